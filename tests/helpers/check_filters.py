#!/usr/bin/python3
"""Every report under every clause of the filter language: it answers, and otherwise than without the
clause, or says in a sentence that points at the clause why it can't.

    check_filters.py HEAPTAP MAKE_STORY

It looks at the trace of tests/helpers/story.h, and at a profile made of it."""
import json
import os
import subprocess
import sys
import tempfile

heaptap = os.path.abspath(sys.argv[1])
number = failures = 0

# Clauses that leave some of the story, and not all.
CLAUSES = ["allocated>=30ms", "live-at=peak", "collected=never", "promoted!=never", "lifetime>=20ms", "size>=4w", "size>=64",
           "source=minor", "domain=0", "thread=worker", "type=Node", "depth>=3", "tag=^32$", "tag:bytes>=64", "focus=map", "ignore=map",
           "hide=main", "show=map", "show-from=helper"]
REPORTS = {"info": ["--json"], "top": ["--json", "--node-fraction=0"], "tree": ["--json"], "peek": ["--json", "."],
           "callers": ["--json", "map|iter|ext|^main"], "callees": ["--json", "main|map|helper|iter"], "traces": ["--json"], "list": ["--json", "."],
           "graph": ["--json"], "timeline": ["--json"], "leaks": ["--json"], "hotspots": ["--json"], "advice": ["--json"],
           "flamegraph": ["--folded"], "stats": ["--json"], "dump": ["--json"], "export": ["--format=folded", "-o", "-"],
           "report": ["-o", "-"], "pprof": ["-o", "-"], "diff": ["--json", "BASE"], "compare": ["--json", "BASE"],
           "check": ["--json", "--max-allocated=1G", "--max-objects=1000"]}
# Frames that don't stand in the dump's stacks would be missing from its blocks.
NOT_FOR = {"dump": ["hide", "show", "show-from"]}
NEEDS_TIMES = ["timeline", "advice", "stats", "dump", "types"]
# Clauses that change nothing of what the report is about: main is no place that leaks, and too far from them to be told as
# a caller.
SAME = {("leaks", "hide=main")}


def check(name, passed, detail=""):
    global number, failures
    number += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    if not passed:
        print("# " + str(detail)[:900].replace("\n", "\n# "))


def run(*arguments):
    return subprocess.run([heaptap, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"))


def refused(done, clause):
    """A sentence, and a line that points at all of the clause."""
    lines = done.stderr.decode().splitlines()
    return done.returncode == 2 and len(lines) == 3 and lines[1].strip() == clause and lines[2].strip() == "^" * len(clause)


def content(output):
    """What a report says, but for the filter that it names."""
    try:
        document = json.loads(output)
    except ValueError:
        return output
    for part in [document, *document.get("budgets", [])]:
        for key in ("filter", "notes"):
            part.pop(key, None)
    return document


def word_of(clause):
    return clause.split("=")[0].split("<")[0].split(">")[0].split(":")[0].rstrip("!")


def expects_refusal(report, clause, is_profile):
    word = word_of(clause)
    if word == "tag":
        return not is_profile
    if is_profile:
        return clause == "size>=4w" or word in ("allocated", "live-at", "collected", "promoted", "lifetime", "source", "domain", "thread", "type")
    return word in NOT_FOR.get(report, [])


def check_report(report, file, base, is_profile):
    arguments = [report] + [base if argument == "BASE" else argument for argument in REPORTS[report] if argument not in (".", "map|iter|ext|^main", "main|map|helper|iter")]
    pattern = [argument for argument in REPORTS[report] if "|" in argument or argument == "."]
    plain = run(*arguments, file, *pattern)
    if is_profile and report in NEEDS_TIMES:
        check(f"{report}: a profile has no times", plain.returncode == 3 and b"times" in plain.stderr, plain.stderr)
        return
    check(f"{report}: answers", plain.returncode == 0 and plain.stdout and not plain.stderr, plain.stderr)
    for clause in CLAUSES:
        name = f"{report} {clause}{' of a profile' if is_profile else ''}"
        done = run(*arguments, file, *pattern, clause)
        option = run(*arguments, file, *pattern, f"--{word_of(clause)}={clause.split('=', 1)[1]}")
        if ":" not in clause and clause.count("=") == 1 and "<" not in clause and ">" not in clause and "!" not in clause:
            check(f"{name}: the same as an option", report in ("report", "pprof") or (option.returncode, content(option.stdout)) == (done.returncode, content(done.stdout)), option.stderr)
        if expects_refusal(report, clause, is_profile):
            check(f"{name}: is refused in a sentence", refused(done, clause), done.stderr.decode())
        else:
            is_same = content(done.stdout) == content(plain.stdout)
            check(f"{name}: answers", done.returncode == 0 and not done.stderr, done.stderr.decode())
            if report not in ("report", "pprof"):
                same = (report, clause) in SAME
                check(f"... {'the same' if same else 'something else than without it'}", is_same == same, done.stdout)
    for clause, status in [("focus=nowhere", 0), ("sise=3", 2), ("size=x", 2), ("focus=(", 2), ("focus=", 2)]:
        done = run(*arguments, file, *pattern, clause)
        lines = done.stderr.decode().splitlines() or [""]
        pointed = len(lines) == 3 and "^" in lines[2]
        check(f"{report} {clause}: {'what is wrong is pointed at' if status else 'says that nothing is left'}",
              pointed and done.returncode == 2 if status else "leaves nothing" in lines[0] and done.returncode == (1 if "no function" in lines[-1] else 0), lines)


with tempfile.TemporaryDirectory() as folder:
    story, base = os.path.join(folder, "story.ctf"), os.path.join(folder, "base.ctf")
    open(story, "wb").write(subprocess.run([sys.argv[2]], stdout=subprocess.PIPE, check=True).stdout)
    run("subsample", "--to", "0.055", story, "-o", base)
    for trace in (story, base):
        run("pprof", trace, "-o", trace + ".pb.gz")
    listed = [line.split()[0] for line in run("help").stdout.decode().splitlines() if line.startswith("  ")]
    known = [command for command in listed if b"--filter" in run(command, "--help").stdout]
    for command in known:
        if command != "memtracer" and b"--markdown" in run(command, "--help").stdout:
            REPORTS.setdefault(command, ["--json"])
    # the page has its tests, and so has what runs a program: tests/viewer, tests/cli/memtracer.sh
    check("every report that takes a filter is looked at", set(known) - {"view", "memtracer"} == set(REPORTS), sorted(set(known) ^ set(REPORTS)))
    for report in REPORTS:
        if report in listed:
            check_report(report, story, base, False)
            check_report(report, story + ".pb.gz", base + ".pb.gz", True)

print(f"1..{number}")
sys.exit(1 if failures else 0)
