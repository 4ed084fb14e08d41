#!/usr/bin/python3
"""Verdicts of `heaptap leaks` on a store: growth within an instance's time.  Prints TAP."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
import simulated_fleets as simulated  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
folder = tempfile.TemporaryDirectory()
MB = simulated.MB


def straight(minute, age, whole):
    """10 MiB, and 3 MiB more each minute."""
    return 10 * MB + 3 * MB * age, 5 * MB


def constant(minute, age, whole):
    return 10 * MB, 5 * MB


def of_store(name, instances, whole, *conditions):
    path = pathlib.Path(folder.name, name + ".db")
    simulated.make(HEAPTAP, path, instances, whole, folder.name)
    return simulated.answer(HEAPTAP, path, *conditions), path


# ---- Exact values: two versions, of which one leaks, in two of its three instances
fleet = [({"host": "a", "version": "1.4"}, 0, 32, {"grow": straight, "keep": constant}),
         ({"host": "b", "version": "1.4"}, 0, 32, {"grow": straight, "keep": constant}),
         ({"host": "c", "version": "1.4"}, 0, 32, {"grow": constant, "keep": constant}),
         ({"host": "a", "version": "1.3"}, 0, 32, {"grow": constant, "keep": constant})]
answer, path = of_store("exact", fleet, 32)
grow, keep = ({site["function"]: site for site in answer["sites"]}[name] for name in ("grow", "keep"))
check("the one that grows, and the other", (grow["verdict"], keep["verdict"]) == ("grows", "steady"), answer)
check("levels are averaged as without verdicts", (grow["value"], keep["value"]) ==
      (round((2 * (10 + 3 * 15.5) + 2 * 10) * MB), 40 * MB), (grow["value"], keep["value"]))
rate = 3 * MB / 60
check("how fast, in each that grows", all(abs(grow[key] - rate) < 1 for key in ("growth", "growth_low", "growth_high")),
      {key: value for key, value in grow.items() if key.startswith("growth")})
# Twice 3/2 of the median of three, which is one order in 12! (the first quarter is no trial), times the tests: two sites in two versions.
check("p", abs(grow["p_of_all"] - 2 * 1.5 * 4 / 479001600) < 1e-14, grow["p_of_all"])
check("the evidence", grow["evidence"] ==
      "in 2 of 3 instances of version 1.4 (of other versions 0 of 1) what is in use goes on growing, from 12 MB to 102 MB in 32 min 0 s: "
      "3.0 MB a minute (3.0 MB to 3.0 MB) each", grow["evidence"])
check("nothing grows", keep["evidence"] == "it goes on growing in 0 of 1 instance of version 1.3 (of other versions 0 of 3)", keep["evidence"])
check("its curve", grow["live_bytes"] == [(10 + 3 * (2 * part + .5)) * MB for part in range(16)], grow["live_bytes"])
text = subprocess.run([HEAPTAP, "leaks", f"store:{path}"], capture_output=True, text=True, check=True).stdout
check("in text", "1 place grew until the run ended (by chance in at most 5 of 100 stores whose levels come and go)\ngrow (app.c:20) grows:\n" in text,
      text)
summary = subprocess.run([HEAPTAP, "summary", f"store:{path}"], capture_output=True, text=True, check=True).stdout
check("the summary names it", "\ngrow (app.c:20) grows: 3.0 MB a minute (3.0 MB to 3.0 MB)\n" in summary, summary)
only = simulated.answer(HEAPTAP, path, "version=1.3")
check("of the version without it", {site["verdict"] for site in only["sites"]} == {"steady"}, only)
focused = simulated.answer(HEAPTAP, path, "focus=keep")
check("under a filter", [(site["function"], site["verdict"]) for site in focused["sites"]] == [("keep", "steady")], focused)

# ---- What is no growth of an instance
answer, path = of_store("short", [({"host": "a"}, 0, 15, {"grow": straight})], 15)
check("15 profiles are too few", "verdict" not in answer["sites"][0], answer)
answer, path = of_store("gap", [({"host": "a"}, 0, 16, {"grow": straight}), ({"host": "a"}, 40, 56, {"grow": straight})], 56)
check("a gap begins another run", answer["sites"][0]["evidence"].startswith("in 2 of 2 instances "), answer)
jump = [({"host": "a"}, 0, 16, {"s": lambda minute, age, whole: (10 * MB, MB)}), ({"host": "a"}, 20, 40, {"s": lambda minute, age, whole: (30 * MB, MB)})]
answer, path = of_store("jump", jump, 40)
check("what is more after a restart does not grow", answer["sites"][0]["verdict"] == "steady", answer)
more = [({"host": f"h{i}"}, 2 * i, 60, {"s": constant}) for i in range(20)]
answer, path = of_store("more", more, 60)
check("ever more instances do not, either", answer["sites"][0]["verdict"] == "steady", answer)
versions = [({"host": "a", "version": f"1.{i}"}, 20 * i, 20 * i + 20, {"s": lambda minute, age, whole: ((10 + minute // 20) * MB, MB)}) for i in range(8)]
answer, path = of_store("versions", versions, 160)
check("nor versions of which each has more", answer["sites"][0]["verdict"] == "steady", answer)
load = [({"host": "a"}, 0, 64, {"s": lambda minute, age, whole: ((1 + minute) * MB, (1 + minute) * MB)})]
answer, path = of_store("load", load, 64)
check("more load is more in use, which lives no longer", answer["sites"][0]["verdict"] == "steady", answer)
fell = [({"host": "a"}, 0, 64, {"s": lambda minute, age, whole: ((1 + minute) * MB, 0)})]
answer, path = of_store("unknown", fell, 64)
check("where nothing tells the load, it is growth", answer["sites"][0]["verdict"] == "grows", answer)

# ---- Some of bench/fleet_verdicts.py, the same each time
random.seed(3)
SOUND = {"cache": lambda: simulated.cache(.4), "random": lambda: simulated.cache_at_random(.5), "periodic": lambda: simulated.periodic(25),
         "day": lambda: simulated.periodic(400), "rising": simulated.rising_load, "bursts": simulated.bursts, "steady": simulated.steady}
found = simulated.verdicts(HEAPTAP, simulated.fleet(3, lambda: {"leak": simulated.leak(1 / 60), **{name: make() for name, make in SOUND.items()}}, 120), 120)
check("of eight sites the one that leaks", [name for name, (verdict, _) in found.items() if verdict == "grows"] == ["leak"], found)
end()
