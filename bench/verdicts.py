#!/usr/bin/env python3
"""How many leaks `heaptap leaks` finds, and how many programs without one it accuses: bench/verdicts.py HEAPTAP [PROGRAMS [ONE_IN]]

With ONE_IN, each program has so many times as many blocks, of which as many are seen as without.  Prints a table for bench/RESULTS.md: of simulated programs (tests/helpers/simulated_programs.py), by the blocks of each site."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/helpers"))
import simulated_programs as simulated  # noqa: E402

heaptap, programs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
one_in = int(sys.argv[3]) if len(sys.argv) > 3 else 1
COUNTS = (300, 1000, 2000, 5000)
ROWS = [("1 % of a site's blocks leak: found", simulated.leak, None),
        ("5 % leak: found", lambda count: simulated.leak(count, .05), None),
        ("grows without end, a tenth of the blocks: found", simulated.growing, None),
        ("10 % leak, beside a cache at the same site: found",
         lambda count: simulated.leak(count // 2, .1) + simulated.fifo(count // 2, .2), None),
        ("one block, reallocated ever larger: found", simulated.reallocated_larger, None),
        ("caches alone: accused", None, simulated.CACHES),
        ("warm-up: accused", None, [simulated.warm_up]),
        ("growth that ends: accused", None, [simulated.growth_that_ends]),
        ("tables that are filled late: accused", None, [simulated.late_table, simulated.short, simulated.short]),
        ("periodic load: accused", None, [simulated.periodic]),
        ("all of these: accused", None, simulated.SOUND),
        *[(f"one block, {kind.__name__.replace('_', ' ')}: accused", None, [kind]) for kind in simulated.REPLACED],
        *[(f"{kind.__name__.replace('_', ' ')}: accused", None, [kind]) for kind in simulated.FRESH],
        ("all of the last seven: accused", None, simulated.FRESH)]

print("| programs | " + " | ".join(f"{count} blocks a site" for count in COUNTS) + " |")
print("| --- |" + " ---: |" * len(COUNTS))
for name, faulty, kinds in ROWS:
    cells = []
    for count in COUNTS:
        random.seed(count)
        hits = sum(simulated.is_found(heaptap, count, faulty, one_in) if faulty else simulated.is_falsely_accused(heaptap, count, kinds, one_in)
                   for _ in range(programs))
        cells.append(f"{100 * hits / programs:.0f} %")
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
