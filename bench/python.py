#!/usr/bin/python3
"""What tracing a Python program costs, beside tracemalloc and beside a hook that does nothing.

    bench/python.py BUILD [--rounds N] [--python PYTHON]

Each round runs every way once, one after the other, so that what else the machine does falls on all of them; the smallest
processor time of each counts.  A pair is an allocation and its end, as many as heaptap counts in the loop."""
import argparse
import json
import os
import resource
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = "py_kept", "py_short", "py_json"


def processor_time(command, **more):
    environment = {**os.environ, "PYTHONHASHSEED": "0", **more}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ways(heaptap, python, null_hook, folder):
    traced = [heaptap, "memtracer", "-q"]
    plain = [python, "-S"]
    yield "plain", plain, {}
    yield "a hook that does nothing", plain, {"LD_PRELOAD": null_hook}
    yield "every block", [*traced, "--", *plain], {}
    yield "every block, with stacks", [*traced, "--stacks", "--", *plain], {}
    yield "--rate 0.001", [*traced, "--rate", "0.001", "--", *plain], {}
    yield "every block into a trace", [*traced, "-o", os.path.join(folder, "t.ctf"), "--", *plain], {}
    yield "-X tracemalloc", [*plain, "-X", "tracemalloc"], {}


def count(heaptap, command, folder):
    report = os.path.join(folder, "report.json")
    subprocess.run([heaptap, "memtracer", "--json", "--output-file", report, "--", *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as it:
        return json.load(it)["processes"][0]["recorded"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="/usr/bin/python3")
    arguments = parser.parse_args()
    heaptap = os.path.join(arguments.build, "src", "cli", "heaptap")
    with tempfile.TemporaryDirectory() as folder:
        null_hook = os.path.join(folder, "null_hook.so")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "null_hook.c"), "-o", null_hook], check=True)
        empty = count(heaptap, [arguments.python, "-S", "-c", "pass"], folder)
        for program in PROGRAMS:
            path = os.path.join(HERE, "workloads", program + ".py")
            pairs = count(heaptap, [arguments.python, "-S", path], folder) - empty
            best = {}
            for _ in range(arguments.rounds):
                for name, command, more in ways(heaptap, arguments.python, null_hook, folder):
                    best[name] = min(best.get(name, 1e9), processor_time([*command, path], **more))
            plain, traced = best["plain"], best["every block"]
            print(f"{program}: {pairs / 1e6:.1f} million pairs")
            for name, seconds in best.items():
                times = "" if name in ("plain", "every block") or seconds <= plain else \
                    f"  {(seconds - plain) / (traced - plain):5.1f} times what every block costs" * (traced > plain)
                print(f"  {name:26} {seconds:7.2f} s  {seconds / plain:6.2f}  "
                      f"{(seconds - plain) / pairs * 1e9:7.1f} ns a pair{times}")


main()
