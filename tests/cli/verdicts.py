#!/usr/bin/env python3
"""Verdicts of `heaptap leaks` on a few simulated programs, the same each time; bench/verdicts.py has many.  Prints TAP."""
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(os.environ["SOURCE"]) / "tests/helpers"))
import simulated_programs as simulated  # noqa: E402

heaptap, PROGRAMS, BLOCKS = os.environ["HEAPTAP"], 8, 1500
CASES = [("1 % leak", simulated.leak, 6), ("5 % leak", lambda count: simulated.leak(count, .05), 7),
         ("growth without end", simulated.growing, 7)]
SOUND = [("caches", simulated.CACHES), ("warm-up", [simulated.warm_up]), ("growth that ends", [simulated.growth_that_ends]),
         ("periodic load", [simulated.periodic])]
count = failed = 0


def check(passed, name):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {name}", flush=True)


for name, faulty, least in CASES:
    random.seed(1)
    found = sum(simulated.is_found(heaptap, BLOCKS, faulty) for _ in range(PROGRAMS))
    check(found >= least, f"{name}: found in {found} of {PROGRAMS} programs")
for name, kinds in SOUND:
    random.seed(1)
    accused = sum(simulated.is_falsely_accused(heaptap, BLOCKS, kinds) for _ in range(PROGRAMS))
    check(accused <= PROGRAMS // 8, f"{name}: accused in {accused} of {PROGRAMS} programs")
print(f"1..{count}")
sys.exit(failed > 0)
