#!/usr/bin/env python3
"""CPython's own tests under heaptap memtracer: what fails with it and not without it.

    HEAPTAP=... cpython.py [--python PATH] [--all] [--timeout SECONDS] [--budget SECONDS] [--way WAY] [--turns] [MODULE...]

Each module runs plain, and then traced in each way of WAYS, in a process of its own; --turns: in one of them, in turn.  Prints TAP, a test for each module;
without MODULE, those of FEW, or of --all.  --budget: begin with no further module after that time.  CPYTHON_KEEP=FOLDER:
what modules that differ said is kept there."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HEAPTAP = os.environ["HEAPTAP"]

# Under these, memory that has ended is gone, or has something else in it.
SCARCE = {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_PERTURB_": "85"}
WAYS = {
    "exact": ([], SCARCE),
    "exact, PYTHONMALLOC=malloc": ([], {**SCARCE, "PYTHONMALLOC": "malloc"}),
    "sampled": (["--rate", "0.01"], SCARCE),
    "sampled, PYTHONMALLOC=malloc": (["--rate", "0.01"], {**SCARCE, "PYTHONMALLOC": "malloc"}),
}
FEW = ("test_array test_bufio test_bytes test_call test_class test_code test_coroutines test_deque test_descr test_dict "
       "test_enumerate test_exceptions test_fork1 test_gc test_generators test_iter test_itertools test_json test_list "
       "test_memoryview").split()
TIMEOUT = 240  # of a module, in seconds


def environment(more):
    return {**{key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "HEAPTAP_GUEST"))}, **more}


def outcome(command, more):
    """(how it ended, the tests that failed, what it said)"""
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "said"), "w+b") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, cwd=folder,
                                   env=environment(more), start_new_session=True)
        try:
            status = str(process.wait(TIMEOUT))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            status = "timeout"
        said.seek(0)
        text = said.read().decode(errors="replace")
    fatal = re.findall(r"Fatal Python error: .*", text)
    return status, {*re.findall(r"^(?:FAIL|ERROR): (.*)$", text, re.M), *fatal}, text


def available(python):
    code = "from test.libregrtest.runtest import findtests; print(*findtests())"
    code += "" if subprocess.run([python, "-c", code], capture_output=True).returncode == 0 else "#"
    if code.endswith("#"):
        code = "from test.libregrtest.findtests import findtests; print(*findtests())"
    return subprocess.run([python, "-c", code], capture_output=True, check=True, text=True).stdout.split()


def check(python, module, ways):
    """(how it ends without heaptap, a line for each way that differs)"""
    words = [python, "-m", "test", "-v", module]
    plain = {}
    differences = []
    for way in ways:
        options, more = WAYS[way]
        key = more.get("PYTHONMALLOC")
        if key not in plain:
            plain[key] = outcome(words, more)
        status, failed, text = outcome([HEAPTAP, "memtracer", "-q", *options, "--", *words], more)
        fresh = failed - plain[key][1]
        if fresh or status != plain[key][0]:
            differences.append(f"{way}: status {status}, {plain[key][0]} without; {'; '.join(sorted(fresh)) or 'no test fails'}")
            if os.environ.get("CPYTHON_KEEP"):
                with open(os.path.join(os.environ["CPYTHON_KEEP"], f"{module}.{way}"), "w", encoding="utf-8") as kept:
                    kept.write(text)
    return {outcome[0] for outcome in plain.values()}, differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default="/usr/bin/python3.11")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--budget", type=float, default=1e9)
    parser.add_argument("--timeout", type=float, default=TIMEOUT)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("modules", nargs="*")
    arguments = parser.parse_args()
    globals()["TIMEOUT"] = arguments.timeout
    for way in [way for way in WAYS if arguments.way and way not in arguments.way]:
        del WAYS[way]
    if subprocess.run([arguments.python, "-c", "import test.test_list"], capture_output=True).returncode != 0:
        print("1..0 # SKIP CPython's own tests are not here (libpython3.11-testsuite)")
        return 0
    modules = arguments.modules or (available(arguments.python) if arguments.all else FEW)
    number = bad = 0
    end = time.monotonic() + arguments.budget
    for module in modules:
        if time.monotonic() > end:
            break
        ways = list(WAYS)
        plain, differences = check(arguments.python, module, ways[number % len(ways):][:1] if arguments.turns else ways)
        number += 1
        bad += bool(differences)
        print(f"{'not ok' if differences else 'ok'} {number} - {module}{'' if plain == {'0'} else ' (plain: ' + ' '.join(sorted(plain)) + ')'}")
        for line in differences:
            print(f"# {line}")
        sys.stdout.flush()
    print(f"1..{number}")
    return 1 if bad else 0


sys.exit(main())
