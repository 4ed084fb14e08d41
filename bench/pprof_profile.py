#!/usr/bin/env python3
"""Writes a large pprof profile: by default 300 000 samples of 40 frames, almost no two stacks
the same, which is the worst that a profile can be for whoever shares the beginnings of stacks.

    bench/pprof_profile.py [--samples N] [--frames N] [--shared N] OUTPUT.pb.gz

With --shared, the outermost N frames of a stack come from a small call tree, as in programs.
"""
import argparse
import gzip
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "helpers"))
from protobuf_encode import field as message, field as number, varint  # noqa: E402

LOCATIONS, FUNCTIONS, FILES = 3000, 1000, 100


def tables(strings):
    """Sample types, functions and locations; 0 is the string table's empty text."""

    def text(value):
        return strings.setdefault(value, len(strings))

    out = []
    for name, unit in (("alloc_objects", "count"), ("alloc_space", "bytes")):
        out.append(message(1, number(1, text(name)) + number(2, text(unit))))
    for i in range(1, FUNCTIONS + 1):
        name, file = text(f"pkg{i % FILES}.function_{i}"), text(f"src/pkg{i % FILES}/file.c")
        out.append(message(5, number(1, i) + number(2, name) + number(4, file)))
    for i in range(1, LOCATIONS + 1):
        line = number(1, i % FUNCTIONS + 1) + number(2, i)
        out.append(message(4, number(1, i) + number(3, 0x400000 + i * 16) + message(4, line)))
    return out


def samples(count, frames, shared, choose):
    ids = [varint(i) for i in range(1, LOCATIONS + 1)]
    for _ in range(count):
        outer, path = [], 0
        for _ in range(shared):
            path = path * 2 + choose.randrange(2) if path < 1 << 12 else path * 5 % 4093
            outer.append(ids[path % LOCATIONS])
        inner = choose.choices(ids, k=frames - shared)
        objects = choose.randrange(1, 100)
        values = varint(objects) + varint(objects * choose.randrange(1, 64) * 8)
        stack = b"".join(inner + outer[::-1])
        yield message(2, message(1, stack) + message(2, values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--samples", type=int, default=300_000)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--shared", type=int, default=0)
    options = parser.parse_args()
    strings = {"": 0}
    head = tables(strings)
    with gzip.open(options.output, "wb", compresslevel=1) as output:
        output.write(b"".join(head))
        for sample in samples(options.samples, options.frames, options.shared, random.Random(1)):
            output.write(sample)
        for value in strings:
            output.write(message(6, value.encode()))


main()
