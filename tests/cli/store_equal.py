#!/usr/bin/python3
"""The same questions on profiles in a file of SQLite, in ClickHouse, and on the profiles' own files: equal to the digit.  Prints TAP.

A store has no programs and libraries, of which files say where a frame without a name is: so no filter here is of these.
Each choice has one profile for each set of labels, so that levels, too, are the sums that the files have."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/bench")
import fleet_servers  # noqa: E402
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
GOLDEN = os.environ["SOURCE"] + "/tests/golden/valid/"

PROFILES = {  # name: (trace, clauses, labels)
    "api1": ("ocamlopt-small-v3.ctf", ["allocated<50%"], {"service": "api", "version": "1", "host": "a"}),
    "api2": ("ocamlopt-small-v3.ctf", ["allocated>=50%"], {"service": "api", "version": "2", "host": "b"}),
    "replay": ("irmin-replay-v2.ctf", [], {"service": "replay", "version": "1", "host": "a"}),
    "web": ("irmin-replay-v2.ctf", ["source=minor"], {"service": "web", "version": "2", "host": "c"}),
}
CHOICES = {  # conditions: names of the profiles that they choose
    "version=1 service=api": ["api1"],
    "service=api": ["api1", "api2"],
    "host!=c": ["api1", "api2", "replay"],
    "": ["api1", "api2", "replay", "web"],
}
FILTERS = [[], ["focus=List"], ["ignore=^Irmin"], ["hide=Stdlib"], ["libraries=show"], ["show-from=^Stdlib"]]
REPORTS = [
    ["top", "-n", "10000"], ["top", "-n", "10000", "-s", "inuse_space"], ["top", "-n", "10000", "-s", "alloc_objects", "-g", "lines"],
    ["top", "-n", "10000", "-s", "inuse_objects", "--no-inlines"], ["tree"], ["tree", "-s", "inuse_space", "--context"], ["traces"], ["tags"], ["hotspots", "-n", "10000"],
    ["hotspots", "-n", "10000", "-s", "inuse_space", "-g", "line"], ["flamegraph"], ["graph"], ["tree", "--callers", "List"], ["tree", "--callees", "List"], ["peek", "List"],
]

FILTERED = [["top", "-n", "10000"], ["tree"], ["hotspots", "-n", "10000"]]


def run(*arguments):
    return subprocess.run([HEAPTAP, *arguments], capture_output=True, text=True, check=False)


def takes_pattern(report):
    """Of one file alone."""
    return report[-1] == "List"


def answer(report, files, clauses):
    pattern = ["List"] if takes_pattern(report) else []
    done = run(*report[:len(report) - len(pattern)], "--json", *files, *pattern, *clauses)
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stderr.partition(": ")[2].rpartition(": ")[2]
    told.pop("trace", None)  # the file's name
    for key in ("stacks", "sites", "edges"):  # of the same weight, in any order
        told[key] = sorted(told.get(key, []), key=json.dumps)
    return done.returncode, told


def first_difference(a, b, where=""):
    if type(a) is type(b) and isinstance(a, dict):
        for key in {**a, **b}:
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{where}.{key}")
    if type(a) is type(b) and isinstance(a, (list, tuple)):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{where}[{i}]")
        return f"{where}: {len(a)} and {len(b)} items"
    return f"{where}: {a!r} and {b!r}"


def main(folder):
    files = {name: f"{folder}/{name}.pb.gz" for name in PROFILES}
    stores = {"SQLite": folder + "/app.db"}
    server = None
    if shutil.which("clickhouse-server", path=os.environ["PATH"] + ":/usr/sbin"):
        server = fleet_servers.ClickHouse(folder + "/clickhouse")
        stores["ClickHouse"] = server.url
    for name, (trace, clauses, labels) in PROFILES.items():
        done = run("pprof", GOLDEN + trace, "--no-sizes", "-o", files[name], *clauses)
        assert done.returncode == 0, done.stderr
        for store in stores.values():
            if name == "api1":
                run("fleet", "store", "init", store)
            done = run("fleet", "store", "add", store, *(part for key, value in labels.items() for part in ("-l", f"{key}={value}")), files[name])
            assert done.returncode == 0, done.stderr
    for report in REPORTS:
        for clauses in FILTERS if report in FILTERED else [[]]:
            wrong = []
            for choice, names in CHOICES.items():
                if clauses and choice != "host!=c" or takes_pattern(report) and len(names) > 1:
                    continue
                wanted = answer(report, [files[name] for name in names], clauses)
                for kind, store in stores.items():
                    got = answer(report, ["store:" + store, *choice.split()], clauses)
                    if got != wanted:
                        wrong.append(f"{kind}, {choice or 'all'}: {first_difference(got, wanted)}")
            check(" ".join(report + clauses), not wrong, "\n".join(wrong))
    for two in ([["version=1", "service=api"], ["version=2", "service=api"]], [["service=replay"], ["service=web"]]):
        answers = []
        for store in stores.values():
            answers.append(answer(["compare", "--long"], [f"store:{store}", *two[0], f"store:{store}", *two[1]], []))
        names = [name for conditions in two for name, (_, _, labels) in PROFILES.items() if all(condition in [f"{k}={v}" for k, v in labels.items()] for condition in conditions)]
        wanted = answer(["compare", "--long"], [files[name] for name in names], [])
        for told in (*answers, wanted):
            for key in ("base", "new", "before", "after"):
                told[1].pop(key, None)
        check(f"diff of {two[0]} and {two[1]}", all(told == wanted for told in answers), [first_difference(told, wanted) for told in answers])
    if not server:
        print("# there is no clickhouse-server: its part is left out")
    else:
        server.end()


with tempfile.TemporaryDirectory() as place:
    main(place)
end()
