#!/usr/bin/python3
"""Reports of pprof profiles against `go tool pprof` on the same files, line by line: ours, made of the
golden traces, and one of Go itself, made by a small program here.  Skipped where there is no go.

    check_reports.py HEAPTAP SOURCE"""
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

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


def compare(profile, kind, theirs, ours, first="Showing"):
    name = os.path.basename(profile)
    check(f"{name} {kind}: {' '.join(theirs)}",
          lines(["go", "tool", "pprof", f"-sample_index={kind}", *theirs, profile], first),
          lines([heaptap, *[argument.replace("@", profile) for argument in ours], "-s", kind], first))


def compare_all(profile, kinds, function):
    for kind in kinds:
        for grain in ["functions", "filefunctions", "files", "lines", "addresses"]:
            compare(profile, kind, ["-top", f"-{grain}"], ["top", "@", "-g", grain])
        compare(profile, kind, ["-top", "-cum", "-nodecount=7"], ["top", "@", "--cum", "-n", "7"])
        compare(profile, kind, ["-top", "-noinlines", "-nodefraction=0"], ["top", "@", "--no-inlines", "--node-fraction", "0"])
        compare(profile, kind, ["-tree"], ["tree", "--context", "@"])
        compare(profile, kind, ["-tree", "-lines", "-nodecount=10"], ["tree", "--context", "@", "-g", "lines", "-n", "10"])
        compare(profile, kind, [f"-peek={function}"], ["peek", "@", function])
        compare(profile, kind, ["-traces"], ["traces", "--labels", "@"], "---")
        for unit in UNITS[kind]:
            compare(profile, kind, ["-top", f"-unit={unit}"], ["top", "@", "--unit", unit])
            compare(profile, kind, ["-tree", f"-unit={unit}"], ["tree", "--context", "@", "--unit", unit])
            compare(profile, kind, ["-traces", f"-unit={unit}"], ["traces", "--labels", "@", "--unit", unit], "---")
        for report in ["-top", "-tree"]:
            compare(profile, kind, [report, "-relative_percentages", f"-focus={function}"],
                    [*(["top"] if report == "-top" else ["tree", "--context"]), "@", "--relative-percentages", f"focus={function}"])
        compare(profile, kind, ["-peek=.", "-relative_percentages", f"-hide={function}"],
                ["peek", "@", ".", "--relative-percentages", f"hide={function}"])
        for word, option in [("focus", "focus"), ("ignore", "ignore"), ("hide", "hide"), ("show", "show"), ("show-from", "show_from")]:
            compare(profile, kind, ["-peek=.", f"-{option}={function}"], ["peek", "@", ".", f"{word}={function}"])


with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, HOME=folder, PPROF_TMPDIR=folder, GOCACHE=os.path.join(folder, "cache"),
                       GOFLAGS="-mod=mod", GO111MODULE="off", TZ="UTC")
    for trace, kinds, function in [("irmin-replay-v2", ["alloc_space"], "rev_append|Btree"),
                                   ("lists-and-sets-v1", ["lifetime"], "list.map|bal")]:
        profile = os.path.join(folder, trace + ".pb.gz")
        subprocess.run([heaptap, "pprof", os.path.join(source, "tests/golden/valid", trace + ".ctf"), "-o", profile], check=True)
        compare_all(profile, kinds, function)
    program = os.path.join(folder, "prog.go")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    profile = os.path.join(folder, "go.pb.gz")
    subprocess.run(["go", "run", program, profile], check=True, env=environment, cwd=folder)
    compare_all(profile, ["alloc_space"], "leaf|recurse")
    for kind in ["alloc_space", "inuse_objects"]:
        compare(profile, kind, ["-top"], ["top", "@"])
    for index in "0123":
        compare(profile, index, ["-top"], ["top", "@"], "Type:")
        compare(profile, kind, [r"-list=main\."], ["list", "@", r"main\."], "Total")

print(f"1..{number}")
sys.exit(1 if failures else 0)
