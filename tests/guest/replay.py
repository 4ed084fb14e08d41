#!/usr/bin/env python3
"""The table of a run and the trace of the same run tell the same, for Lua and Python.

    HEAPTAP=... SOURCE=... replay.py       prints TAP

The interpreter's tap counts in rows as it goes; beside that it writes each event to the trace.  Here
the events are read by the second decoder, which knows nothing of heaptap's code, and counted anew."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HEAPTAP, SOURCE = os.environ["HEAPTAP"], os.environ["SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "helpers"))
sys.dont_write_bytecode = True
from decode_trace import ALLOCATION, Trace, decompress  # noqa: E402
from tap import check, end  # noqa: E402

LUA = """
local function node(value, below)
  return {value = value, below = below, name = "node " .. value}
end
local kept = {}
for round = 1, 30 do
  local chain
  for i = 1, 100 do chain = node(i, chain) end
  kept[round % 7] = chain
  local maker = coroutine.wrap(function() for i = 1, 20 do coroutine.yield({i, tostring(i * 1.5)}) end end)
  for i = 1, 20 do kept[#kept + 1] = maker() end
  if round % 10 == 0 then collectgarbage() end
end
print(#table.concat({string.rep("x", 1000), string.rep("y", 2000)}))
"""

PYTHON = """
import re
class Node:
    def __init__(self, value, below):
        self.value, self.below, self.name = value, below, f"node {value}"
def numbers(n):
    for i in range(n):
        yield [i, i * 1.5]
kept = {}
for round in range(30):
    chain = None
    for i in range(100):
        chain = Node(i, chain)
    kept[round % 7] = chain
    kept[100 + round] = list(numbers(20)) + [x for x in "a b c".split()]
    grown = []
    for i in range(1000):
        grown.append(i * 1000)
print(len(re.sub("a+", lambda found: found.group() * 3, "banana" * 100)))
"""

# Of a row: blocks that came, by allocation or by being resized; their bytes; blocks that went; left; bytes left.
Row = collections.namedtuple("Row", "came bytes went live live_bytes")
NONE = Row(0, 0, 0, 0, 0)


def place_and_type(trace, event):
    """(file, line, type) of an allocation: its last frame is the type, the one before the line."""
    *_, place, kind = [None] + [trace.locations[code][0] for code in event.codes]
    if not place or place.file == b"(no location)":
        return None, None, kind.function.decode()
    return place.file.decode(), place.line or None, kind.function.decode()


def replayed(path):
    with open(path, "rb") as file:
        trace = Trace(*decompress(file.read()))
    rows, blocks = {}, {}
    for event in trace.true_order():
        if event.kind == ALLOCATION:
            key, size, step = place_and_type(trace, event), event.length, 1
            blocks[event.id] = key, size
        else:
            (key, size), step = blocks.pop(event.id), -1
        came, total, went, live, live_bytes = rows.get(key, NONE)
        rows[key] = Row(came + (step > 0), total + size * (step > 0), went + (step < 0), live + step, live_bytes + step * size)
    return rows


def told(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        process, = json.load(file)["processes"]
    for row in process["rows"]:
        rows[row["file"], row["line"] or None, row["type"]] = Row(row["count"] + row["resized"], row["bytes"],
                                                          row["freed"] + row["resized_away"], row["live"], row["live_bytes"])
    return rows, process["recorded"]


def by_line(rows):
    lines = {}
    for (file, line, _), row in rows.items():
        lines[file, line] = Row(*map(sum, zip(lines.get((file, line), NONE), row)))
    return lines


def equal(got, wanted):
    differing = [f"{key}: table {got.get(key)}, events {wanted.get(key)}" for key in got.keys() | wanted.keys()
                 if got.get(key) != wanted.get(key)]
    return len(got) > 5 and not differing, "\n".join(sorted(differing)[:10])


def compare(name, interpreter, text, folder, late_types=False):
    """late_types: that of a block in whose making the collector ran is known when its event has been written."""
    script, trace, table = (os.path.join(folder, name + end) for end in (".txt", ".ctf", ".json"))
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([HEAPTAP, "memtracer", "--json", "--output-file", table, "-o", trace, "--", interpreter, script],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode == 127:
        check(f"{name} # SKIP no {interpreter} here", True)
        return
    check(f"{name}: runs", run.returncode == 0, run.stderr.decode())
    rows, recorded = told(table)
    events = replayed(trace)
    check(f"{name}: lines are what the events come to", *equal(by_line(rows), by_line(events)))
    if late_types:
        lacking = sum(max(0, row.came - events.get(key, NONE).came) for key, row in rows.items() if key[2] != "(internal)")
        check(f"{name}: few types came too late for the trace", lacking * 100 < recorded, f"{lacking} of {recorded}")
    else:
        check(f"{name}: ... each type of them", *equal(rows, events))
    check(f"{name}: blocks that were resized are among them", recorded < sum(row.came for row in events.values()))


with tempfile.TemporaryDirectory() as scratch:
    compare("lua", "lua5.4", LUA, scratch)
    compare("python", "/usr/bin/python3", PYTHON, scratch, late_types=True)
end()
