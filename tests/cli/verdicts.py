#!/usr/bin/env python3
"""Verdicts of `heaptap leaks` on a few simulated programs, the same each time; bench/verdicts.py has many.  Prints TAP."""
import os
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ["SOURCE"]) / "tests/helpers"))
import simulated_programs as simulated  # noqa: E402
from random_blocks import MAIN, MAJOR, PLACES, RUN_US, Block, write_trace  # noqa: E402

heaptap, PROGRAMS, BLOCKS = os.environ["HEAPTAP"], 8, 1500
CASES = [("1 % leak", simulated.leak, 6), ("5 % leak", lambda count: simulated.leak(count, .05), 7),
         ("growth without end", simulated.growing, 7), ("one block, reallocated ever larger", simulated.reallocated_larger, 7)]
SOUND = [("caches", simulated.CACHES), ("warm-up", [simulated.warm_up]), ("growth that ends", [simulated.growth_that_ends]),
         ("tables that are filled late", [simulated.late_table, simulated.short, simulated.short]), ("periodic load", [simulated.periodic]),
         ("blocks that are replaced by larger ones and smaller ones, or stay as they are", simulated.REPLACED)]
count = failed = 0


def check(passed, name):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {' '.join(name.split())}", flush=True)


for name, faulty, least in CASES:
    random.seed(1)
    found = sum(simulated.is_found(heaptap, BLOCKS, faulty) for _ in range(PROGRAMS))
    check(found >= least, f"{name}: found in {found} of {PROGRAMS} programs")
for name, kinds in SOUND:
    random.seed(1)
    accused = sum(simulated.is_falsely_accused(heaptap, BLOCKS, kinds) for _ in range(PROGRAMS))
    check(accused <= PROGRAMS // 8, f"{name}: accused in {accused} of {PROGRAMS} programs")
random.seed(1)
words = [simulated.verdicts(heaptap, [simulated.fifo(150, .3) + simulated.short(3000)], 50)[0] for _ in range(20)]
check("cache" not in words, f"three sampled blocks that grow old are no cache: {words}")
# A block of 100 bytes each second that nobody frees, beside many short ones.
exact = [[(i / 100, simulated.NEVER) for i in range(100)], [(i / 1000, i / 1000 + .001) for i in range(1000)]]
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write(simulated.text_of(exact))
    file.flush()

    def said(*arguments):
        return subprocess.run([heaptap, *arguments, file.name], capture_output=True, text=True, check=True).stdout

    full = json.loads(said("leaks", "--json", "--limit", "64kB"))["full"]
    check(abs(full["growth"] / 100 - 1) < .02 and full["growth_low"] <= 100 <= full["growth_high"], f"100 bytes a second: {full}")
    check(full["limit_bytes"] == 65536 and abs(full["full_us"] - 1e6 * (65536 - 10100) / full["growth"]) < 1 and
          full["full_us_low"] <= full["full_us"] <= full["full_us_high"], f"and when that fills 64 kB: {full}")
    text = said("leaks", "--limit", "64kB")
    check("\nFull in 9 min " in text and "): the 64 kB of --limit\n" in text and full["limit_of"] == "option", f"... in words: {text}")
    check("full" not in json.loads(said("leaks", "--json")) and "\nFull in " not in said("leaks"), "not without a limit")
    check(json.loads(said("leaks", "--json", "--limit", "1kB"))["full"]["full_us"] == 0, "of what is more than the limit now")
    check("\nAlready full: 9.9 kB are alive at the end, of the 1.0 kB of --limit\n" in said("leaks", "--limit", "1kB"), "... in words")
    check("\nFull in 2.91 days at this rate " in said("leaks", "--limit", "24MB"), "long times are in days")
    check("\nFull in 34 years at this rate " in said("leaks", "--limit", "100GB"), "... in years")
    check("\nFull in over 1000 years at this rate (over 1000 years to " in said("leaks", "--limit", "1024TB"), "or years")
    head = json.loads(said("advice", "--json"))["heads"][0]
    check((head["kind"], head["function"], head["bytes"]) == ("leak", "site0", 10000), f"advice names it first: {head}")
    check("site0 (t.cc:1), 352 kB an hour (" in said("advice").split("\n")[2], f"... with its rate: {said('advice')[:300]}")
    cause = json.loads(said("diagnose", "--json"))["causes"][0]
    check((cause["function"], cause["figure"], cause["bytes"]) == ("site0", "left", 10000), f"and so does diagnose: {cause}")
    check("\nsite0 (t.cc:1) grows: " in said("summary"), "and the summary")
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write(simulated.text_of([[(i / 1000, i / 1000 + .001) for i in range(1000)]]))
    file.flush()
    check("\nNothing is found to grow: when it is full can't be said of the 64 kB of --limit\n" in said("leaks", "--limit", "64kB"),
          "of what doesn't grow a limit has a sentence")
    check("full" not in json.loads(said("leaks", "--json", "--limit", "64kB")), "... and no record")
# One block that grows by 10 bytes each 10th of a second, and one that doubles; each beside short ones.
stepwise = [(i / 1000, (i + 1) / 1000 if i < 999 else simulated.NEVER, 10 * (i + 1)) for i in range(1000)]
doubling = [(0, .1, 1024), (.1, .25, 2048), (.25, .6, 4096), (.6, simulated.NEVER, 8192)]
for sizes, wanted in ((stepwise, "site0 (t.cc:1) grows: one block, reallocated or replaced ever larger, from 630 B to 9.8 kB: 352 kB an hour (352 kB to 353 kB) "),
                      (doubling, "No place is found that grew until the run ended; site0 (t.cc:1) ends at its largest, 8.0 kB, from 4.0 kB at half of the run: too few changes to tell ")):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(simulated.text_of([sizes, exact[1]]))
        file.flush()
        check(wanted in " ".join(said("leaks").split()), f"one block of many sizes: {said('leaks')[:500]}")
# A queue that becomes longer, of which blocks are freed in turn: it has not stopped growing, whatever else can be said of it.
for consumed in .5, .75, .9:
    queue = [[(i / 4000, i / 4000 / consumed if i / 4000 / consumed < 1 else simulated.NEVER) for i in range(4000)]]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(simulated.text_of(queue))
        file.flush()
        site = json.loads(said("leaks", "--json"))["sites"][0]
        check(site["verdict"] in ("grows", "too few", "in use"), f"a queue of which {consumed} is consumed: {site['verdict']}")
        check("is found that grew" not in said("leaks") or "ends at its largest" in said("leaks") or site["verdict"] == "in use",
              f"... and the sentence does not hide that: {said('leaks').splitlines()[1:3]}")
# A leak that begins late grows as fast as one that began with the run.
for begins in 0, .25, .5, .65, .75:
    late = [[(begins + i / 1000, simulated.NEVER) for i in range(round(1000 * (1 - begins)))], [(i / 1000, i / 1000 + .001) for i in range(1000)]]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(simulated.text_of(late))
        file.flush()
        site = [site for site in json.loads(said("leaks", "--json"))["sites"] if site["verdict"] == "grows"][0]
        truth = site["bytes"] / (site["oldest_us"] * 1e-6)
        check(site["growth_low"] <= truth <= site["growth_high"] and abs(site["growth"] / truth - 1) < .02,
              f"it begins at {begins} of the run: {truth:.1f} B a second, and {site['growth']:.1f} told")
# OCaml's major heap, without a collection and with one: what nobody has looked for may be dead.
kept = [Block(i, 0, MAJOR, 8, 8, (MAIN, PLACES[0]), i * RUN_US // 200, None, None) for i in range(200)]
short = [Block(200 + i, 0, MAJOR, 8, 8, (MAIN, PLACES[2]), i * RUN_US // 2000, None, i * RUN_US // 2000 + 1000) for i in range(1999)]
for blocks, wanted in ((kept, ("too few", "peak")), (kept + short, ("grows", "left"))):
    with tempfile.NamedTemporaryFile(suffix=".ctf") as file:
        write_trace(file.name, blocks, 1)
        site = json.loads(said("leaks", "--json"))["sites"][0]
        cause = json.loads(said("diagnose", "--json"))["causes"][0]
        check((site["verdict"], cause["figure"]) == wanted, f"OCaml: {wanted}: {site['verdict']}, {cause}")
print(f"1..{count}")
sys.exit(failed > 0)
