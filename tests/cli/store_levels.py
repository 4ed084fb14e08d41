#!/usr/bin/python3
"""What a fleet has in use: an instance counts once at each time, whatever its labels become.  Prints TAP."""
import json
import os
import subprocess
import sys
import tempfile
from urllib.parse import urlencode

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from serving import HEAPTAP, Server  # noqa: E402
from tap import check, end  # noqa: E402
from values_profile import values_profile  # noqa: E402

BEGIN, MINUTE = 1_700_000_000, 60
folder = tempfile.TemporaryDirectory()


def store_of(name, profiles):
    """Profiles are (labels, from minute, until minute, bytes in use)."""
    path = os.path.join(folder.name, name + ".db")
    server = Server("--store", path, "--max-age", "36500d")
    for number, (labels, first, last, amount) in enumerate(profiles):
        query = urlencode({**labels, "from": BEGIN + first * MINUTE, "until": BEGIN + last * MINUTE})
        status, text = server.post("/profiles?" + query, values_profile([("inuse_space", "bytes"), ("alloc_space", "bytes")], [[amount, 1000 + number]]))
        assert status in (200, 202), text
    server.end()
    return "store:" + path


def rows(store, label, *conditions, steps=0):
    more = ["--steps", str(steps)] if steps else []
    done = subprocess.run([HEAPTAP, "fleet", "services", "--json", "--by", label, *more, store, *conditions], capture_output=True, text=True, check=True)
    return {row["name"]: row for row in json.loads(done.stdout)["services"]}


def levels(store, label, *conditions):
    return {name: round(row["in_use_bytes"], 6) for name, row in rows(store, label, *conditions).items()}


def of_each_minute(labels, first, last, amount):
    return [(labels, minute, minute + 1, amount) for minute in range(first, last)]


def labels(host, version):
    return {"service": "api", "host": host, "version": version}


# Host a goes on as another version after 60 of 120 minutes, with less in use; host b stays what it is.
upgraded = store_of("upgraded", of_each_minute(labels("a", "1.3"), 0, 60, 100_000) + of_each_minute(labels("a", "1.4"), 60, 120, 80_000) +
                    of_each_minute(labels("b", "1.3"), 0, 120, 50_000))
check("an upgraded instance counts once", levels(upgraded, "service") == {"api": 140_000}, levels(upgraded, "service"))
check("... by host", levels(upgraded, "host") == {"a": 90_000, "b": 50_000}, levels(upgraded, "host"))
check("... by version: rows add up to the same", levels(upgraded, "version") == {"1.3": 100_000, "1.4": 40_000}, levels(upgraded, "version"))
half = f"time={BEGIN}..{BEGIN + 60 * MINUTE}"
check("... of one half", levels(upgraded, "version", half) == {"1.3": 150_000}, levels(upgraded, "version", half))
for steps in (2, 5, 24, 119):
    curve = rows(upgraded, "service", steps=steps)["api"]["in_use_by_step"]
    whole = 120 / steps
    wanted = [((min(60, (i + 1) * whole) - min(60, i * whole)) * 150_000 + (max(60, (i + 1) * whole) - max(60, i * whole)) * 130_000) / whole for i in range(steps)]
    check(f"... over time, in {steps} steps", all(abs(a - b) < 1 for a, b in zip(curve, wanted)), (curve, wanted))
    by_version = [sum(values) for values in zip(*(row["in_use_by_step"] for row in rows(upgraded, "version", steps=steps).values()))]
    check("... by version, too", all(abs(a - b) < 1 for a, b in zip(by_version, wanted)), (by_version, wanted))

# A service that ran for a quarter of the time beside one that ran always.
short = store_of("short", of_each_minute({"service": "job"}, 30, 40, 80_000) + of_each_minute({"service": "api"}, 0, 40, 10_000))
check("what ran for a part of the time counts with that", levels(short, "service") == {"job": 20_000, "api": 10_000}, levels(short, "service"))
check("... alone, as long as it ran", levels(short, "service", "service=job") == {"job": 80_000}, levels(short, "service", "service=job"))
gap = store_of("gap", of_each_minute({"service": "api"}, 0, 10, 10_000) + of_each_minute({"service": "api"}, 90, 100, 30_000))
check("times without any profile don't count", levels(gap, "service") == {"api": 20_000}, levels(gap, "service"))
twice = store_of("twice", [({"service": "api"}, 0, 10, 10_000), ({"service": "api"}, 0, 10, 30_000), ({"service": "b"}, 0, 10, 1_000)])
check("two profiles of one time and equal labels are one instance", levels(twice, "service") == {"api": 20_000, "b": 1_000}, levels(twice, "service"))

# Profiles of a moment, as a client without times sends them.
moments = store_of("moments", [({"service": "api", "host": str(i)}, 3 * i, 3 * i, 10_000) for i in range(4)])
check("instances of which a moment is known add up", levels(moments, "service") == {"api": 40_000}, levels(moments, "service"))
mixed = store_of("mixed", [({"service": "api", "host": "0"}, 5, 5, 10_000)] + of_each_minute({"service": "api", "host": "1"}, 0, 10, 20_000))
check("... beside those of which a time is", levels(mixed, "service") == {"api": 30_000}, levels(mixed, "service"))
end()
