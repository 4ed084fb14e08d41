#!/usr/bin/python3
"""Values of profiles on their way into a store and out of it: sums that have no room, and units of any host.  Prints TAP."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402
from values_profile import values_profile  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
MOST = 2**63 - 1
NOTE = "values of 2^63 and more are cut to 2^63 - 1, and those of -2^63 and less to -2^63, the limits of this format"
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def run(*arguments):
    return subprocess.run([HEAPTAP, *arguments], capture_output=True, text=True, check=False)


def told(*arguments):
    done = run(*arguments, "--json")
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}


def add(store, label, types, samples):
    pathlib.Path(label + ".pb").write_bytes(values_profile(types, samples))
    return run("fleet", "store", "add", store, "-l", "service=" + label, label + ".pb")


def near(got, wanted):
    """Numbers of JSON have 15 digits."""
    return got is not None and abs(got - wanted) <= 1e-14 * abs(wanted)


# ---- Sums
bytes_alone = [("alloc_space", "bytes")]
run("fleet", "store", "init", "sums.db")
for name, values, wanted in [("largest", [MOST] * 4, MOST), ("smallest", [-MOST - 1] * 4, -MOST - 1),
                             ("fits", [2**61, 2**61, 2**61], 3 * 2**61)]:
    done = add("sums.db", name, bytes_alone, [[value] for value in values])
    check(f"{name}: is stored", done.returncode == 0, done.stderr)
    got = told("top", name + ".pb")
    check(f"{name}: of a file", near(got.get("selected"), wanted), got)
    of_store = told("top", "store:sums.db", "service=" + name)
    check(f"{name}: of a store", near(of_store.get("selected"), wanted), of_store)
    services = told("fleet", "services", "store:sums.db", "service=" + name)
    check(f"{name}: of services", near(services["services"][0]["allocated_bytes"], wanted), services)
    is_cut = name in ("largest", "smallest")
    check(f"{name}: {'said' if is_cut else 'nothing to say'}",
          [answer.get("lacks") for answer in (got, of_store, services)] == [NOTE if is_cut else None] * 3, (got, of_store, services))
shares = {row["name"]: row["share"] for row in told("fleet", "services", "store:sums.db", "service!=fits")["services"]}
check("shares of amounts that cancel each other", shares == {"largest": 0.5, "smallest": -0.5}, shares)
shares = [row["share"] for row in told("fleet", "services", "store:sums.db")["services"]]
check("... are of the whole, without regard to signs", abs(sum(abs(share) for share in shares) - 1) < 1e-9, shares)
check("a warning, once", run("top", "largest.pb").stderr == f"heaptap top: largest.pb: {NOTE}\n")
for name in "one", "two":
    add("sums.db", name, bytes_alone, [[MOST // 2 + (name == "two")]])
got = told("top", "store:sums.db", "service!=largest", "service!=smallest", "service!=fits")
check("profiles that fit, one by one, and not together", near(got.get("total"), 2**63) and got["lacks"] == NOTE, got)
got = told("top", "one.pb", "two.pb", "one.pb")
check("files likewise", near(got.get("total"), MOST) and got["lacks"] == NOTE, got)
got = told("compare", "--long", "smallest.pb", "largest.pb")
check("a difference that has no room", "failed" not in got and got["lacks"] == NOTE, got)

# ---- Units
run("fleet", "store", "init", "units.db")
UNITS = {"bytes": 1, "B": 1, "kilobytes": 1 << 10, "kB": 1 << 10, "KiB": 1 << 10, "MB": 1 << 20, "mebibytes": None, "megabyte": 1 << 20, "GiB": 1 << 30}
TIMES = {"nanoseconds": 1, "ns": 1, "us": 1000, "microseconds": 1000, "ms": 10**6, "milliseconds": 10**6, "s": 10**9, "seconds": 10**9,
         "minutes": 6 * 10**10}
for unit, factor in UNITS.items():
    done = add("units.db", "s" + unit, [("alloc_space", unit)], [[3]])
    check(f"{unit}: {'is stored' if factor else 'is no unit of memory'}", (done.returncode == 0) == (factor is not None), done.stderr)
    if factor:
        got = told("top", "store:units.db", f"service=s{unit}")
        check(f"{unit}: top", got["total"] == 3 * factor and got["unit"] == "bytes", got)
wanted = 3 * sum(factor for factor in UNITS.values() if factor)
got = told("top", "store:units.db")["total"], sum(row["allocated_bytes"] for row in told("fleet", "services", "store:units.db")["services"])
check("of all: top and services agree", got == (wanted, wanted), (got, wanted))
for unit, factor in TIMES.items():
    add("units.db", "t" + unit, [("wait", unit), ("alloc_space", "bytes")], [[7, 0]])
got = told("top", "-s", "wait", "store:units.db")
check("times become nanoseconds", got["total"] == 7 * sum(TIMES.values()) and got["unit"] == "nanoseconds", got)
add("units.db", "other", [("wait", "gizmos"), ("alloc_space", "bytes")], [[7, 0]])
got = told("top", "-s", "wait", "store:units.db", "service=other")
check("other units are what they are", got["total"] == 7 and got["unit"] == "gizmos", got)
end()
