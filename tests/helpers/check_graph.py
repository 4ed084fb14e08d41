#!/usr/bin/python3
"""Compares the graphs of `heaptap graph` with those of `go tool pprof -dot` on the same profiles:
all nodes, edges and boxes with every attribute but their order.  Skipped where there is no go.

    check_graph.py HEAPTAP SOURCE"""
import os
import re
import sys
import tempfile

import tap

heaptap, source = sys.argv[1:]
tap.need_go()


def graph(text):
    """The lines of nodes, boxes and edges, with the numbers of nodes replaced by their texts."""
    names, lines = {}, []
    for line in text.splitlines():
        found = re.match(r'(N\d+) \[label="(.*?)" id="node\d+" (.*)\]$', line)
        if found:
            tooltip = re.search(r'tooltip="(.*?)" color', line).group(1)
            names[found.group(1)] = tooltip
    for line in text.splitlines():
        if not re.match(r"N+\d", line):
            continue
        line = re.sub(r'id="[^"]*"', "", line)
        line = re.sub(r"\bN+(\d+)", lambda found: "<" + names.get("N" + found.group(1), "?") + ">", line)
        lines.append(line)
    return sorted(lines)


def legend(text):
    found = re.search(r"Showing nodes accounting for [^\\]*", text)
    dropped = re.findall(r"Dropped \d+ \w+", text)
    return [found.group(0) if found else ""] + dropped


def compare(name, profile, ours=(), theirs=()):
    wanted = run("go", "tool", "pprof", "-dot", *theirs, profile)
    got = run(heaptap, "graph", *ours, profile)
    a, b = graph(got), graph(wanted)
    missing = [line for line in b if line not in a][:6]
    extra = [line for line in a if line not in b][:6]
    tap.check(f"{name}: {len(b)} nodes, boxes and edges", len(b) > 0 and a == b,
          "\n".join(["wanted:", *missing, "got:", *extra]))
    tap.check(f"{name}: the legend", legend(got) == legend(wanted), f"{legend(got)}\n{legend(wanted)}")


with tempfile.TemporaryDirectory() as folder:
    run = tap.runner(folder)
    golden = os.path.join(source, "tests/golden/valid")
    for trace in ("lists-and-sets-v1", "irmin-replay-v2", "ocamlopt-small-v3"):
        profile = os.path.join(folder, trace + ".pb.gz")
        run(heaptap, "pprof", os.path.join(golden, trace + ".ctf"), "-o", profile)
        compare(trace, profile, ["-s", "alloc_space"], ["-sample_index=alloc_space"])
        compare(trace + ", alive", profile, ["-s", "inuse_space"], ["-sample_index=inuse_space"])
        if trace.startswith("ocamlopt"):
            continue
        compare(trace + ", 10 nodes", profile, ["-s", "alloc_objects", "-n", "10"],
                ["-sample_index=alloc_objects", "-nodecount=10"])
        compare(trace + ", all", profile, ["-s", "alloc_space", "-n", "0", "--node-fraction=0", "--edge-fraction=0"],
                ["-sample_index=alloc_space", "-nodecount=0", "-nodefraction=0", "-edgefraction=0"])
        compare(trace + ", lines", profile, ["-s", "alloc_space", "-g", "lines"],
                ["-sample_index=alloc_space", "-lines"])
        compare(trace + ", files", profile, ["-s", "alloc_space", "-g", "files", "-n", "20"],
                ["-sample_index=alloc_space", "-files", "-nodecount=20"])
tap.end()
