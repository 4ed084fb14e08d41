#!/usr/bin/env python3
"""How many leaks `heaptap leaks` finds in a fleet's store, and how many stores without one it accuses: bench/fleet_verdicts.py HEAPTAP [STORES]

Prints a table for bench/RESULTS.md: of simulated stores (tests/helpers/simulated_fleets.py), by the number of instances."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/helpers"))
import simulated_fleets as simulated  # noqa: E402

heaptap, stores = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
COUNTS, MINUTES, SITES = (1, 4), 120, 6
whole_periods = lambda: simulated.periodic(random.uniform(.03, .5) * MINUTES, lag=random.uniform(0, 3))  # noqa: E731
LEAKS = [("a leak of 2 % an hour, noise of 3 %", lambda: simulated.leak(.02 * 20 / 60 / 20)),
         ("a leak of 20 % an hour, noise of 3 %", lambda: simulated.leak(.2 * 20 / 60 / 20)),
         ("a leak that doubles the level in an hour", lambda: simulated.leak(1 / 60)),
         ("the same beside a load that comes and goes", lambda: simulated.leak_under_load(random.uniform(.1, .5) * MINUTES, .5 / 60))]
SOUND = [("steady levels", simulated.steady), ("caches that fill", lambda: simulated.cache(random.uniform(.05, .6))),
         ("caches that fill ever more slowly", lambda: simulated.cache_at_random(random.uniform(.1, .6))),
         ("periodic load, whole periods", whole_periods),
         ("a part of a period", lambda: simulated.periodic(random.uniform(1, 3) * MINUTES, lag=random.uniform(0, 3))),
         ("rising load", simulated.rising_load), ("levels that wander", simulated.wandering), ("bursts", simulated.bursts)]


def sound_sites():
    """The same kinds in each instance, as they are one program."""
    names = [name for name, _ in SOUND]
    chosen = [random.choice(names) for _ in range(SITES)]
    return lambda: {f"{i} {name}": dict(SOUND)[name]() for i, name in enumerate(chosen)}


def is_accused(sites, count):
    found = simulated.verdicts(heaptap, simulated.fleet(count, sites, MINUTES), MINUTES)
    return {name for name, (verdict, _) in found.items() if verdict == "grows"}


def restarts(count):
    """Of each host four runs, each of which warms up, and more hosts as time goes."""
    instances = []
    for host in range(count):
        for run in range(4):
            start = run * MINUTES // 4 + host
            instances.append(({"host": f"h{host}", "process": str(run)}, start, start + MINUTES // 4, {"warm": simulated.cache(.05), "steady": simulated.steady()}))
        instances.append(({"host": f"more{host}"}, host * MINUTES // (2 * count), MINUTES, {"steady": simulated.steady()}))
    return any(verdict == "grows" for verdict, _ in simulated.verdicts(heaptap, instances, MINUTES).values())


def row(name, is_hit):
    cells = []
    for count in COUNTS:
        random.seed(count)
        cells.append(f"{100 * sum(is_hit(count) for _ in range(stores)) / stores:.0f} %")
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


print("| stores | " + " | ".join(f"{count} instances" for count in COUNTS) + " |")
print("| --- |" + " ---: |" * len(COUNTS))
for name, kind in LEAKS:
    row(f"{name}: found", lambda count: "leak" in is_accused(lambda: {"leak": kind()}, count))
for name, kind in SOUND:
    row(f"{name}: accused", lambda count: bool(is_accused(lambda: {f"s{i}": kind() for i in range(SITES)}, count)))
row("restarts, and ever more instances: accused", restarts)
row("all of these: accused", lambda count: bool(is_accused(sound_sites(), count)))
