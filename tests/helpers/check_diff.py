#!/usr/bin/python3
"""Compares `heaptap compare --long` with `go tool pprof -diff_base` on the same profiles: flat and cum of every
function, and the graph's nodes and edges.  Skipped where there is no go.

    check_diff.py HEAPTAP SOURCE"""
import csv
import io
import os
import sys
import tempfile

import tap

heaptap, source = sys.argv[1:]
tap.need_go()


def top(text):
    """Name -> flat, cum and flat%."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["flat", "flat%"])
    rows = {}
    for line in lines[first + 1:]:
        flat, share, _, cum, _, name = line.split(None, 5)
        name = name.removesuffix(" (inline)").removesuffix(" (partial-inline)")
        rows[name] = (float(flat.removesuffix("B")), float(cum.removesuffix("B")), share)
    return rows


def compare(name, base, other, sample, *more):
    wanted = top(run("go", "tool", "pprof", "-top", "-unit=B", "-nodefraction=0", "-sample_index=" + sample,
                     *more, "-diff_base=" + base, other))
    text = run(heaptap, "compare", "--long", "-s", sample, "-n", "0", "--csv", *(["--normalize"] if more else []), base, other, "libraries=show")
    rows = list(csv.DictReader(io.StringIO(text)))
    got = {row["name"]: (float(row["flat_change"]), float(row["cum_change"]), float(row["flat_share"])) for row in rows}
    slack = 2 if more else 0  # pprof cuts scaled values, heaptap rounds them
    wrong = [(key, value, got.get(key)) for key, value in wanted.items()
             if (value[0], value[1]) != (0, 0) and
             (key not in got or abs(got[key][0] - value[0]) > slack * 50 or abs(got[key][1] - value[1]) > slack * 1000)]
    tap.check(f"{name}: flat and cum of {len(wanted)} functions", wanted and not wrong, wrong[:5])
    shares = [(key, value[2], got[key][2]) for key, value in wanted.items() if key in got and value[0] != 0 and
              abs(abs(got[key][2]) * 100 - float(value[2].rstrip("%"))) > 0.006]
    tap.check(f"{name}: percent of base", not shares, shares[:5])


def nodes_and_edges(text):
    return sorted(part.split('"')[1] for line in text.splitlines() if line.startswith("N") and "labeltooltip" not in line
                  for part in [line[line.index("tooltip="):]]) + \
        sorted(line[line.index("tooltip="):].split('"')[1] for line in text.splitlines() if " -> " in line and "labeltooltip" in line)


with tempfile.TemporaryDirectory() as folder:
    run = tap.runner(folder)
    profiles = {}
    for trace in ("lists-and-sets-v1", "ocamlopt-small-v3"):
        profiles[trace] = os.path.join(folder, trace + ".pb.gz")
        run(heaptap, "pprof", "--no-sizes", os.path.join(source, "tests/golden/valid", trace + ".ctf"), "-o", profiles[trace])
    base, other = profiles["lists-and-sets-v1"], profiles["ocamlopt-small-v3"]
    compare("all else", base, other, "alloc_space")
    compare("back", other, base, "alloc_objects")
    compare("in use", other, base, "inuse_space")
    compare("normalized", base, other, "alloc_space", "-normalize")
    wanted = run("go", "tool", "pprof", "-dot", "-sample_index=alloc_space", "-diff_base=" + base, other)
    got = run(heaptap, "compare", "--long", "--graph", "-s", "alloc_space", base, other, "libraries=show")
    tap.check("graph: nodes and edges", nodes_and_edges(got) == nodes_and_edges(wanted) and "->" in got,
          "\n".join(set(nodes_and_edges(wanted)) ^ set(nodes_and_edges(got))))
tap.end()
