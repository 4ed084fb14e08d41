#!/usr/bin/python3
"""What tracing a Lua or Python program costs, beside tracemalloc and beside a hook that does nothing.

    bench/guests.py BUILD [--rounds N] [--python PYTHON] [--lua LUA] [--only PATTERN]... [PROGRAM...]

Programs are those in bench/workloads whose names begin with py_ or lua_; all of them, if none is named.  Each round runs every
way once, one after the other, so that what else the machine does falls on all of them; the smallest processor time of each
counts.  A pair is an allocation and its end, as many as heaptap counts in the program.  --only leaves out the ways in which
nothing matches, except for plain ones.  `bench/bench_guest.c` times the embedding API."""
import argparse
import json
import os
import re
import resource
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = "py_kept", "py_short", "py_json", "py_deep", "lua_kept", "lua_tables", "lua_mixed", "lua_deep"


def processor_time(command, **more):
    environment = {**os.environ, "PYTHONHASHSEED": "0", **more}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ways(heaptap, plain, folder):
    traced = [heaptap, "memtracer", "-q"]
    yield "plain", plain, {}
    yield "every block", [*traced, "--", *plain], {}
    yield "every block, with stacks", [*traced, "--stacks", "--", *plain], {}
    yield "--rate 0.001", [*traced, "--rate", "0.001", "--", *plain], {}
    yield "every block into a trace", [*traced, "-o", os.path.join(folder, "t.ctf"), "--", *plain], {}
    if "python" in plain[0]:
        yield "a hook that does nothing", plain, {"LD_PRELOAD": os.path.join(folder, "null_hook.so")}
        yield "-X tracemalloc", [*plain, "-X", "tracemalloc"], {}
    else:
        yield "--fast", [*traced, "--fast", "--", *plain], {}
        load = f"package.loadlib('{folder}/null_hook.so', 'null_hook_lua')()"
        yield "a hook that does nothing", plain, {"LUA_INIT_5_4": load}
        yield "--rate 1e-12: nothing is drawn", [*traced, "--rate", "1e-12", "--", *plain], {}


def count(heaptap, command, folder):
    report = os.path.join(folder, "report.json")
    subprocess.run([heaptap, "memtracer", "--json", "--output-file", report, "--", *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as it:
        return json.load(it)["processes"][0]["recorded"]


def show(program, pairs, best):
    plain, traced = best["plain"], best.get("every block", 0)
    print(f"{program}: {pairs / 1e6:.1f} million pairs")
    for name, seconds in best.items():
        times = "" if name in ("plain", "every block") or seconds <= plain or traced <= plain else \
            f"  {(seconds - plain) / (traced - plain):5.1f} times what every block costs"
        print(f"  {name:26} {seconds:7.2f} s  {seconds / plain:6.2f}  "
              f"{(seconds - plain) / pairs * 1e9:7.1f} ns a pair{times}", flush=True)


def measure(arguments, heaptap, program, folder):
    if program.startswith("py_"):
        plain, script, nothing = [arguments.python, "-S"], program + ".py", ["-c", "pass"]
    else:
        plain, script, nothing = [arguments.lua], program + ".lua", ["-e", "local a = 1"]
    path = os.path.join(HERE, "workloads", script)
    pairs = count(heaptap, [*plain, path], folder) - count(heaptap, [*plain, *nothing], folder)
    best = {}
    for _ in range(arguments.rounds):
        for name, command, more in ways(heaptap, plain, folder):
            if name == "plain" or not arguments.only or any(re.search(word, name) for word in arguments.only):
                best[name] = min(best.get(name, 1e9), processor_time([*command, path], **more))
    show(program, pairs, best)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--lua", default="lua5.4")
    parser.add_argument("--only", action="append", metavar="PATTERN")
    arguments = parser.parse_intermixed_args()
    heaptap = os.path.join(arguments.build, "src", "cli", "heaptap")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-Wl,-z,nodelete", os.path.join(HERE, "null_hook.c"), "-o",
                        os.path.join(folder, "null_hook.so")], check=True)
        for program in arguments.programs or PROGRAMS:
            measure(arguments, heaptap, program, folder)


main()
