#!/usr/bin/python3
"""Gives profiles that `heaptap pprof` writes to `go tool pprof`, which must take them without a
warning and report the figures that heaptap does.  Skipped where there is no go (package golang-go).

    check_pprof_client.py HEAPTAP GENERATE_TRACE"""
import json
import os
import subprocess
import sys
import tempfile

import tap

heaptap, generate = sys.argv[1:]
tap.need_go()
UNITS = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


def is_clean(done):
    """No complaint: pprof says what it is doing on stderr, nothing else."""
    return done.returncode == 0 and not [line for line in done.stderr.splitlines()
                                         if not line.startswith(("Generating report", "Main binary filename not available"))]


def bytes_of(text):
    for unit in ("kB", "MB", "GB", "TB", "B"):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * UNITS[unit]
    return float(text)


def plain(name):
    return name.removesuffix(" (inline)").removesuffix(" (partial-inline)")


def top_rows(output):
    """(flat, function) of the rows of -top."""
    lines = output.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["flat", "flat%"])
    rows = [line.split(None, 5) for line in lines[first + 1:]]
    return [(bytes_of(row[0]), row[5]) for row in rows]


with tempfile.TemporaryDirectory() as folder:
    start = tap.starter(folder)

    def pprof(*arguments):
        return start("go", "tool", "pprof", *arguments)

    trace, profile, other = (os.path.join(folder, name) for name in ("t.ctf", "t.pb.gz", "o.pb.gz"))
    subprocess.run([generate, trace, "300k", "2"], check=True)
    subprocess.run([heaptap, "pprof", trace, "-o", profile, "--host"], check=True)
    subprocess.run([heaptap, "pprof", "--no-sizes", trace, "-o", other], check=True)
    for report in ["-top", "-peek=function_1", "-tree", "-traces", "-raw", "-dot", "-tags", "-comments"]:
        done = pprof(report, profile)
        tap.check(f"{report}: no warning", is_clean(done) and done.stdout, done.stderr)

    events = os.path.join(folder, "e.pb.gz")
    subprocess.run([heaptap, "pprof", "--with-events", trace, "-o", events], check=True)
    for report in ["-top", "-tree", "-traces", "-raw", "-dot", "-tags"]:
        done = pprof(report, events)
        tap.check(f"{report} with events: no warning", is_clean(done) and done.stdout, done.stderr)
    done = pprof("-top", f"-diff_base={events}", "-sample_index=alloc_space", events)
    tap.check("-diff_base of one with events: nothing is left", is_clean(done) and
          "Showing nodes accounting for 0, 0%" in done.stdout, done.stdout + done.stderr)

    ours = json.loads(subprocess.run([heaptap, "hotspots", "--json", trace], check=True, stdout=subprocess.PIPE).stdout)
    done = pprof("-top", "-unit=B", "-nodecount=100000", "-nodefraction=0", profile)
    functions = {}
    for site in ours["sites"]:
        functions[site["function"]] = functions.get(site["function"], 0) + site["bytes"]
    rows = [row for row in top_rows(done.stdout) if row[0]]
    clean = {plain(name): flat for flat, name in rows}
    total = ours["total"]["bytes"]
    tap.check("-top: the sum is ours", abs(sum(flat for flat, _ in rows) - total) <= 1, (sum(f for f, _ in rows), total))
    tap.check("-top: each function's bytes are ours", set(clean) == set(functions) and
          all(abs(clean[name] - value) <= 1000 for name, value in functions.items()),
          [(name, clean.get(name), value) for name, value in functions.items() if abs(clean.get(name, 0) - value) > 1000][:5])
    best = sorted(functions, key=functions.get, reverse=True)[:3]
    tap.check("-top: the first rows are ours", [plain(name) for _, name in rows[:3]] == best, (rows[:3], best))

    for kind in ["alloc_objects", "inuse_objects", "inuse_space", "promoted_objects", "promoted_space", "lifetime"]:
        done = pprof("-top", f"-sample_index={kind}", profile)
        tap.check(f"-sample_index={kind}", is_clean(done) and f"Type: {kind}" in done.stdout, done.stderr)
    done = pprof("-top", "-mean", "-sample_index=lifetime", profile)
    tap.check("-mean of lifetimes", is_clean(done) and "Type: mean_lifetime" in done.stdout, done.stderr)
    done = pprof("-top", f"-diff_base={profile}", profile)
    tap.check("-diff_base itself: nothing is left", is_clean(done) and "Showing nodes accounting for 0, 0%" in done.stdout,
          done.stdout + done.stderr)
    done = pprof("-top", f"-base={other}", "-sample_index=alloc_space", "-unit=B", "-nodefraction=0", profile)
    tap.check("-base without sizes: rounding is left", is_clean(done) and
          all(abs(flat) <= 1000 for flat, _ in top_rows(done.stdout)), done.stdout + done.stderr)
    merged = os.path.join(folder, "merged.pb.gz")
    done = pprof("-proto", f"-output={merged}", profile, profile)
    twice = json.loads(subprocess.run([heaptap, "hotspots", "--json", merged], check=True, stdout=subprocess.PIPE).stdout)
    once = json.loads(subprocess.run([heaptap, "hotspots", "--json", profile], check=True, stdout=subprocess.PIPE).stdout)
    tap.check("what pprof merges, heaptap reads", twice["sample_type"] == once["sample_type"] == "alloc_space" and
          twice["total"]["value"] == 2 * once["total"]["value"] and twice["site_count"] == once["site_count"],
          (twice["total"], once["total"]))

tap.end()
