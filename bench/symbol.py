#!/usr/bin/python3
"""The symbolizer beside addr2line and llvm-symbolizer: speed, peak memory and answers.

  bench/symbol.py BENCH_SYMBOL FILE [--count N] [--seed N] [--examples N] [--with eu-addr2line]

Takes N random code addresses of FILE, asks everybody who is installed, and prints addresses per second, peak
memory and how many answers (functions, files, lines, whole inlined chain) are the same.  Functions compare
by their linker names.  A difference is put under the first heading that fits:

  symbol only    we know the name from the symbol table alone; file is then the module's path here
  suffix         the same but for a clone's suffix (.isra.0, .cold, .llvm.1), which we take from no symbol
  no name        the other one knows no name, and we do, or the other way round
  depth, function, file, line    what differs otherwise
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter


def code_addresses(path, count, seed):
    listing = subprocess.run(["readelf", "-WS", path], capture_output=True, text=True, check=True).stdout
    sections = []
    for line in listing.splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+PROGBITS\s+(\S+)\s+\S+\s+(\S+)\s+\S+\s+(\S*)", line)
        if match and "X" in match[4] and match[1].startswith(".text"):
            sections.append((int(match[2], 16), int(match[3], 16)))
    if not sections:
        sys.exit(f"{path}: no code in it")
    numbers = random.Random(seed)
    starts = numbers.choices([s for s, _ in sections], [size for _, size in sections], k=count)
    sizes = dict(sections)
    return [start + numbers.randrange(sizes[start]) for start in starts]


def run(command, addresses):
    """Output, seconds, peak MiB."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as output:
        given.write("".join(f"{a:#x}\n" for a in addresses))
        given.seek(0)
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=given, stdout=output, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        output.seek(0)
        return output.read(), seconds, usage.ru_maxrss / 1024


def split_place(place):
    match = re.match(r"(.*?):(\d+|\?)(?::\d+)?(?: \(discriminator \d+\))?$", place)
    path, line = (match[1], match[2]) if match else (place, "0")
    return os.path.normpath(path), 0 if line == "?" else int(line)


def read_ours(text):
    for block in text.split("\n\n"):
        lines = block.strip().split("\n")[1:]
        if lines:
            yield [(f, *split_place(p)) for f, p in (line.split("\t") for line in lines)]


def read_llvm(text):
    for block in text.split("\n\n"):
        lines = block.strip().split("\n")
        if len(lines) > 1:
            yield [(lines[i], *split_place(lines[i + 1])) for i in range(0, len(lines) - 1, 2)]


def read_addr2line(text):
    frames, function = None, None
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            if frames is not None:
                yield frames
            frames, function = [], None
        elif function is None:
            function = re.sub(r" inlined at .*", "", line)
        else:
            frames.append((function, *split_place(line)))
            function = None
    if frames is not None:
        yield frames


def difference(ours, theirs, path):
    if ours == theirs:
        return "same"
    if len(ours) == 1 and ours[0][1] == os.path.normpath(path):
        return "symbol only"
    if len(ours) != len(theirs):
        return "depth"
    bare = [[(re.sub(r"\.(isra|part|constprop|cold|llvm|lto_priv).*", "", f), p, n) for f, p, n in frames]
            for frames in (ours, theirs)]
    if bare[0] == bare[1]:
        return "suffix"
    for a, b in zip(*bare):
        if a[0] != b[0]:
            return "no name" if b[0] == "??" or a[0][:3] == "+0x" else "function"
        if a != b:
            return "file" if a[1] != b[1] else "line"
    return "function"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench_symbol")
    parser.add_argument("file")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--with", dest="more", action="append", default=[])
    options = parser.parse_args()
    path = options.file
    tools = {
        "heaptap": ([options.bench_symbol, "--names", "raw", path], read_ours),
        "llvm-symbolizer": (["llvm-symbolizer", "--no-demangle", "--inlines", "-e", path], read_llvm),
        "addr2line": (["addr2line", "-a", "-i", "-f", "-e", path], read_addr2line),
    }
    if "eu-addr2line" in options.more:
        tools["eu-addr2line"] = (["eu-addr2line", "-a", "-i", "-f", "-e", path], read_addr2line)
    addresses = code_addresses(path, options.count, options.seed)
    ours = None
    for name, (command, read) in tools.items():
        try:
            text, seconds, peak = run(command, addresses)
        except FileNotFoundError:
            print(f"{name:16} is not installed")
            continue
        answers = list(read(text))
        print(f"{name:16} {seconds:8.2f} s  {options.count / seconds:10.0f} addresses/s  {peak:6.0f} MiB", end="")
        if ours is None:
            ours, own_seconds = answers, seconds
            print()
            continue
        print(f"  x{seconds / own_seconds:.1f}")
        if len(answers) != len(ours):
            print(f"  {len(answers)} answers, {len(ours)} expected: not compared")
            continue
        pairs = [(difference(a, b, path), at, a, b) for at, a, b in zip(addresses, ours, answers)]
        print("  " + ", ".join(f"{kind} {n}" for kind, n in Counter(p[0] for p in pairs).most_common()))
        for kind in sorted({p[0] for p in pairs} - {"same"}):
            for _, at, a, b in [p for p in pairs if p[0] == kind][:options.examples]:
                print(f"  {kind} at {at:#x}\n    {a}\n    {b}")


main()
