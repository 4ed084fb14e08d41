#!/usr/bin/python3
"""Reports of pprof profiles against `go tool pprof` on the same files, line by line: ours, made of the
golden traces, and one of Go itself, made by a small program here.  Skipped where there is no go.

    check_reports.py HEAPTAP SOURCE"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from protobuf_encode import field

heaptap, source = map(os.path.abspath, sys.argv[1:])
number = failures = 0

if not shutil.which("go"):
    print("1..0 # SKIP there is no go tool pprof (package golang-go)")
    sys.exit(0)

PROGRAM = """package main
import ("os"; "runtime"; "runtime/pprof"; "strings")
var keep [][]byte
func leaf(n int) []byte { return make([]byte, n) }
func mid(n int) {
\tfor i := 0; i < 300; i++ {
\t\tkeep = append(keep, leaf(n))
\t}
}
func recurse(depth int) string {
\tif depth == 0 { return strings.Repeat("x", 10000) }
\treturn recurse(depth-1) + "y"
}
func main() {
\truntime.MemProfileRate = 1
\tmid(1000)
\tmid(5000)
\tfor i := 0; i < 50; i++ { _ = recurse(10) }
\truntime.GC()
\tf, _ := os.Create(os.Args[1])
\tpprof.WriteHeapProfile(f)
\tf.Close()
}
"""


UNITS = {"alloc_space": ["B", "kb", "megabytes", "GB", "auto"], "lifetime": ["ns", "ms", "s", "hrs"]}


SCALES = {"": 1, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
          "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "mins": 60e9, "hrs": 3600e9}


def check(name, wanted, got):
    global number, failures
    number += 1
    passed = wanted == got and wanted
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    if not passed:
        failures += 1
        for line in list(difflib.unified_diff(wanted, got, "pprof", "heaptap", lineterm="", n=0))[:20] or ["both are empty"]:
            print("# " + line)


def lines(command, first):
    """What a command prints, from the line on that begins so."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment, cwd=folder)
    output = done.stdout.splitlines()
    start = next((i for i, line in enumerate(output) if line.startswith(first)), len(output))
    return output[start:]


# What newer releases of Go print in another way, and how that is made the same.

def merged(output):
    """-traces, with a stack once: its values, and by how much each may be off, as they are rounded to hundredths.  Since
    Go 1.24 pprof has a stack for each sample, those whose value is 0 too."""
    head, *stacks = "\n".join(output).split("-----------+" + "-" * 55 + "\n")
    values = {}
    for stack in stacks:
        found = re.fullmatch(r"((?: +[^\n:]+:  [^\n]*\n)*) *(-?[0-9.]+)([^\s]*)   (.*)", stack.rstrip("\n"), re.S)
        labels, number, unit, frames = found.groups()
        values.setdefault((labels, frames), []).append((float(number) * SCALES[unit], 0.0051 * SCALES[unit]))
    return head, values


def span(values, mean):
    """Between which bounds the value of a stack is that has these: their sum is, or else the mean of them all, of which
    no more can be told from several means."""
    low, high = [value - error for value, error in values], [value + error for value, error in values]
    return (min(low), max(high)) if mean else (sum(low), sum(high))


def near(wanted, got, mean):
    """Are these -traces the same, but for roundings, and for stacks in `wanted` that are 0?"""
    (head, theirs), (our_head, ours) = wanted, got
    theirs = {key: values for key, values in theirs.items() if key in ours or any(value for value, _ in values)}
    if head != our_head or list(theirs) != list(ours):
        return False
    spans = [(span(theirs[key], mean), span(ours[key], mean)) for key in ours]
    return all(their_low <= our_high and our_low <= their_high for (their_low, their_high), (our_low, our_high) in spans)


def fit(options, theirs, ours):
    """The two as they are to be compared."""
    option = options[0]
    if go_version >= (1, 24): # it writes a file's time in another form
        theirs, ours = ([line for line in output if not line.startswith("Time: ")] for output in (theirs, ours))
    if theirs == ours:
        return theirs, ours
    if option == "-traces" and go_version >= (1, 24):
        mine, yours = merged(ours), merged(theirs)
        return (theirs, theirs) if near(yours, mine, "-mean" in options) else (theirs, ours)
    if option.startswith("-list") and go_version >= (1, 20):   # profiles have the first line of functions, where pprof begins
        return [[line for line in output if not re.match(r" +\. +\. +[0-9]+:", line)] for output in (theirs, ours)]
    return theirs, ours


def compare(profile, kind, theirs, ours, first="Showing"):
    name = os.path.basename(profile)
    wanted = lines(["go", "tool", "pprof", f"-sample_index={kind}", *theirs, profile], first)
    got = lines([heaptap, *[argument.replace("@", profile) for argument in ours], "-s", kind], first)
    check(f"{name} {kind}: {' '.join(theirs)}", *fit(theirs, wanted, got))


def compare_all(profile, kinds, function):
    for kind in kinds:
        for grain in ["functions", "filefunctions", "files", "lines", "addresses"]:
            if grain == "files" and os.path.basename(profile) == "go.pb.gz" and go_version >= (1, 20):
                continue    # pprof has a row of a file for each first line of a function, which profiles of Go have since
            compare(profile, kind, ["-top", f"-{grain}"], ["top", "@", "-g", grain])
        compare(profile, kind, ["-top", "-cum", "-nodecount=7"], ["top", "@", "--cum", "-n", "7"])
        compare(profile, kind, ["-top", "-noinlines", "-nodefraction=0"], ["top", "@", "--no-inlines", "--node-fraction", "0"])
        compare(profile, kind, ["-tree"], ["tree", "--context", "@"])
        compare(profile, kind, ["-tree", "-lines", "-nodecount=10"], ["tree", "--context", "@", "-g", "lines", "-n", "10"])
        compare(profile, kind, [f"-peek={function}"], ["peek", "@", function])
        compare(profile, kind, ["-traces"], ["traces", "--labels", "@"], "---")
        for report in [["-top"], ["-top", "-cum", "-nodecount=9"], ["-top", f"-focus={function}", "-relative_percentages"]]:
            words = ["--cum", "-n", "9"] if len(report) == 3 and "-cum" in report else \
                [f"focus={function}", "--relative-percentages"] if len(report) == 3 else []
            compare(profile, kind, [*report, "-mean"], ["top", "@", "--mean", *words])
        compare(profile, kind, ["-traces", "-mean"], ["traces", "--labels", "@", "--mean"], "---")
        for unit in UNITS[kind]:
            compare(profile, kind, ["-top", f"-unit={unit}"], ["top", "@", "--unit", unit])
            compare(profile, kind, ["-tree", f"-unit={unit}"], ["tree", "--context", "@", "--unit", unit])
            compare(profile, kind, ["-traces", f"-unit={unit}"], ["traces", "--labels", "@", "--unit", unit], "---")
        compare_tags(profile, kind, [])
        for unit in UNITS[kind]:
            compare_tags(profile, kind, [f"-unit={unit}"], "--unit", unit)
        compare_tags(profile, kind, [f"-focus={function}"], f"focus={function}")
        for report in ["-top", "-tree"]:
            compare(profile, kind, [report, "-relative_percentages", f"-focus={function}"],
                    [*(["top"] if report == "-top" else ["tree", "--context"]), "@", "--relative-percentages", f"focus={function}"])
        compare(profile, kind, ["-peek=.", "-relative_percentages", f"-hide={function}"],
                ["peek", "@", ".", "--relative-percentages", f"hide={function}"])
        for word, option in [("focus", "focus"), ("ignore", "ignore"), ("hide", "hide"), ("show", "show"), ("show-from", "show_from")]:
            compare(profile, kind, ["-peek=.", f"-{option}={function}"], ["peek", "@", ".", f"{word}={function}"])


def compare_tags(profile, kind, theirs, *ours):
    """-tags, of which pprof has no head; newer ones have a row for the labels of samples that are nothing but zeros."""
    wanted = lines(["go", "tool", "pprof", f"-sample_index={kind}", "-tags", *theirs, profile], "")
    wanted = [line for line in wanted if not (go_version >= (1, 20) and re.match(r"\s+0(\.0\w*)? \(\s+0%\): ", line))]
    got = [line for line in lines([heaptap, "tags", profile, *ours, "-s", kind], "") if not HEAD.match(line)]
    check(f"{os.path.basename(profile)} {kind}: {' '.join(['-tags', *theirs])}", wanted, got)


HEAD = re.compile("(File|Build ID|Type|Time|Filter): ")


def labelled():
    """A profile with labels of every kind."""
    texts = ["", "space", "bytes", "main", "main.c", "handler", "/search", "/a", "bytes", "took", "ms", "pid", "request", "kilobytes"]
    number = {text: i for i, text in enumerate(texts)}

    def label(key, value, unit=None):
        body = field(1, number[key]) + (field(2, number[value]) if isinstance(value, str) else field(3, value))
        return field(3, body + (field(4, number[unit]) if unit else b""))

    samples = [(1000, [label("handler", "/search"), label("bytes", 1536)]),
               (3 << 20, [label("handler", "/a"), label("bytes", 1537), label("request", 300)]),
               (500, [label("handler", "/a"), label("handler", "/search"), label("took", 12, "ms"), label("took", 3500)]),
               (70, [label("pid", 4711), label("took", 2, "kilobytes")]), (5, []), (0, [label("pid", 1)])]
    out = field(1, field(1, number["space"]) + field(2, number["bytes"]))
    for value, labels in samples:
        out += field(2, field(1, 1) + field(2, value) + b"".join(labels))
    out += field(4, field(1, 1) + field(4, field(1, 1) + field(2, 7)))
    out += field(5, field(1, 1) + field(2, number["main"]) + field(4, number["main.c"]))
    return out + b"".join(field(6, text.encode()) for text in texts)


with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, HOME=folder, PPROF_TMPDIR=folder, GOCACHE=os.path.join(folder, "cache"),
                       GOFLAGS="-mod=mod", GO111MODULE="off", TZ="UTC")
    version = subprocess.run(["go", "version"], stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout
    go_version = tuple(map(int, re.search(r"go(\d+)\.(\d+)", version).groups()))
    for trace, kinds, function in [("irmin-replay-v2", ["alloc_space"], "rev_append|Btree"),
                                   ("lists-and-sets-v1", ["lifetime"], "list.map|bal")]:
        profile = os.path.join(folder, trace + ".pb.gz")
        subprocess.run([heaptap, "pprof", os.path.join(source, "tests/golden/valid", trace + ".ctf"), "-o", profile], check=True)
        compare_all(profile, kinds, function)
    profile = os.path.join(folder, "labels.pb")
    with open(profile, "wb") as file:
        file.write(labelled())
    for theirs, ours in [([], []), (["-unit=kb"], ["--unit", "kb"]), (["-tagfocus=handler=search"], ["tag:handler=search"])]:
        compare_tags(profile, "space", theirs, *ours)
    for words in [["tagroot=handler"], ["tagleaf=handler"], ["tagroot=handler,took"], ["tagleaf=took,bytes", "tagroot=pid"], ["tagroot=bytes", "unit=kb"]]:
        theirs, ours = [f"-{word}" for word in words], [f"--{word}" for word in words]
        compare(profile, "space", ["-top", "-nodefraction=0", *theirs], ["top", "@", "--node-fraction", "0", *ours])
        compare(profile, "space", ["-tree", "-nodefraction=0", "-edgefraction=0", *theirs],
                ["tree", "--context", "@", "--node-fraction=0", "--edge-fraction=0", *ours])
    program = os.path.join(folder, "prog.go")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    profile = os.path.join(folder, "go.pb.gz")
    subprocess.run(["go", "run", program, profile], check=True, env=environment, cwd=folder)
    compare_all(profile, ["alloc_space"], "leaf|recurse")
    for kind in ["alloc_space", "inuse_objects"]:
        compare(profile, kind, ["-top"], ["top", "@"])
        compare(profile, kind, [r"-list=main\."], ["list", "@", r"main\."], "Total")
    for index in "0123":
        compare(profile, index, ["-top"], ["top", "@"], "Type:")

print(f"1..{number}")
sys.exit(1 if failures else 0)
