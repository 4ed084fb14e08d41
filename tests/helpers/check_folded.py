#!/usr/bin/python3
"""Folded rows answer what the whole model does: each report, under each clause, of several traces, both ways.

    check_folded.py HEAPTAP MAKE_STORY GENERATE_TRACE TRACE...

The first trace that it makes, a small one, is asked everything; the others are asked each report under some of the clauses, which
differ from report to report.  With $STORY_ALONE, the first alone.

Text is compared byte by byte.  In JSON, sums of floating-point numbers may differ in their last digits, as one way adds up what
the other multiplies: there, numbers are the same to nine digits."""
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

heaptap, make_story, generate_trace = map(os.path.abspath, sys.argv[1:4])
number = failures = 0

PARTS = 5  # of which a large trace is asked one, by each report
CLAUSES = [[], ["allocated>=30ms"], ["allocated<50%"], ["live-at=peak"], ["live-at!=peak"], ["live-at=50%..end"], ["collected=never"],
           ["collected>=50%"], ["promoted!=never"], ["promoted=never"], ["lifetime>=2ms"], ["lifetime<1ms"], ["size>=4w"], ["source=minor"],
           ["source=major,external"], ["source=major", "lifetime>=1ms"], ["source=minor", "live-at=peak"], ["domain=0"], ["focus=a"],
           ["hide=main", "live-at=end-1ms"], ["live-at=peak", "lifetime>=1ms", "allocated>=10%"]]
REPORTS = [["top"], ["top", "--json", "--sample=inuse_objects"], ["top", "--sample=promoted_space"], ["tree"], ["tree", "--json"], ["peek", "a"],
           ["callers", "a"], ["callees", "a"], ["traces"], ["traces", "--json"], ["list", "a"], ["graph"], ["graph", "--json"], ["tags"],
           ["tags", "--json"], ["types"], ["types", "--json"], ["leaks"], ["leaks", "--json"], ["hotspots"], ["hotspots", "--json"],
           ["flamegraph", "--folded"], ["export", "--format=folded", "-o", "-"], ["export", "--format=callgrind", "-o", "-"],
           ["export", "--format=dhat", "-o", "-"], ["pprof", "-o", "-"], ["diff"], ["diff", "--json"],
           ["compare"], ["compare", "--json"],
           ["stats"], ["stats", "--json"], ["timeline"], ["timeline", "--json"], ["advice"], ["advice", "--json"],
           ["check", "--max-allocated=1k", "--max-peak=1k", "--max-live-at-end=1", "--max-objects=10"], ["check", "--verbose", "--max-peak=1T"],
           ["check", "--json", "--max-allocated=1k", "--max-peak=1k", "--max-objects=10"]]


def check(name, passed, detail=""):
    global number, failures
    number += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    if not passed:
        print("# " + str(detail)[:900].replace("\n", "\n# "))


def run(arguments, whole):
    environment = dict(os.environ, LC_ALL="C.UTF-8", HEAPTAP_WHOLE_MODEL="1" if whole else "0")
    return subprocess.run([heaptap, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=environment)


two = concurrent.futures.ThreadPoolExecutor(2)


def both(arguments):
    return two.map(lambda whole: run(arguments, whole), (False, True))


def alike(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def same(folded, whole):
    if (folded.returncode, folded.stderr) != (whole.returncode, whole.stderr):
        return False
    if folded.stdout == whole.stdout:
        return True
    try:
        return alike(json.loads(folded.stdout), json.loads(whole.stdout))
    except ValueError:
        return False


def difference(folded, whole):
    for one, other in zip(folded.stdout.splitlines(), whole.stdout.splitlines()):
        if one != other:
            return f"folded: {one[:400]}\nwhole:  {other[:400]}"
    return folded.stderr.decode() + whole.stderr.decode()


with tempfile.TemporaryDirectory() as folder:
    story, generated = os.path.join(folder, "story.ctf"), os.path.join(folder, "generated.ctf")
    open(story, "wb").write(subprocess.run([make_story], stdout=subprocess.PIPE, check=True).stdout)
    subprocess.run([generate_trace, generated, "1M", "2"], check=True)
    for trace in [story] if os.environ.get("STORY_ALONE") else [story, generated, *sys.argv[4:]]:
        for row, report in enumerate(REPORTS):
            wrong, detail = [], ""
            for clauses in CLAUSES if trace == story else CLAUSES[row % PARTS::PARTS]:
                pattern = [report[1]] if report[1:] == ["a"] else []
                options = report[:1] if pattern else report
                arguments = [*options, trace, *pattern, *([story] if report[0] in ("diff", "compare") else []), *clauses]
                folded, whole = both(arguments)
                if not same(folded, whole):
                    wrong.append(" ".join(clauses) or "no clause")
                    detail = detail or difference(folded, whole)
            check(f"{' '.join(report)}: {os.path.basename(trace)}", not wrong, f"{wrong}\n{detail}")

print(f"1..{number}")
sys.exit(1 if failures else 0)
