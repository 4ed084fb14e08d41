#!/usr/bin/python3
"""Reports of large traces: time and memory, beside the whole model.

    bench/large.py BUILD [--size 1G | --trace FILE] [--whole] [--only WORD] [--results FILE]
    bench/large.py BUILD --results FILE --draw FILE.svg

Makes a trace by bench/generate_trace, or takes FILE, and runs each report on it, with and without clauses.  Printed are elapsed
and CPU time, and the most memory that was resident.  With --whole each runs a second time with HEAPTAP_WHOLE_MODEL=1: a row for each
block, as in the page's model.
"""
import argparse
import html
import json
import math
import os
import subprocess
import sys
import tempfile
import time

REPORTS = ["top", "top live-at=peak", "top lifetime>=1ms", "tree", "peek function_1", "tree --callers function_1", "tree --callees function_1", "traces",
           "list function_1", "graph", "tags", "types", "leaks", "hotspots", "hotspots size>=3w", "flamegraph --folded", "flamegraph --folded size>=3w",
           "pprof -o /dev/null", "pprof -o /dev/null size>=3w", "compare --long FILE", "compare FILE", "check --max-peak=1G --max-allocated=1T", "dump live-at=peak", "info",
           "info size>=3w", "stats", "stats size>=3w", "timeline", "advice", "export --format=folded -o /dev/null",
           "export --format=dhat -o /dev/null"]


def run(heaptap, trace, report, whole):
    words = report.split()
    clauses = [word for word in words[1:] if "=" in word and not word.startswith("-")]
    others = [word for word in words[1:] if word not in clauses]
    patterns = [word for word in others if word.startswith("function_")]
    options = [trace if word == "FILE" else word for word in others if word not in patterns]
    command = [heaptap, words[0], *([] if words[0] == "compare" else options), trace, *patterns, *(options if words[0] == "compare" else []), *clauses]
    environment = dict(os.environ, HEAPTAP_WHOLE_MODEL="1" if whole else "0")
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    messages = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: {messages}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


# ---- The drawing -----------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 600, 560, 60, 260, 40, 40


def decades(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


def spread(places, least, lowest):
    """Heights of labels that would stand at `places`, in that order: no two closer than `least`, none below `lowest`."""
    found = []
    for place in places:
        found.append(max(place, found[-1] + least) if found else place)
    for i in range(len(found) - 1, -1, -1):
        found[i] = min(found[i], lowest - least * (len(found) - 1 - i))
    return found


def panel(left, title, unit, results, at, limit):
    """One quantity of each report, by the size of the trace; both axes are logarithmic."""
    lines = {report: sorted((int(size), values[at]) for size, values in sizes.items()) for report, sizes in results.items()}
    sizes = [size for line in lines.values() for size, _ in line]
    values = [value for line in lines.values() for _, value in line]
    low, high = 10 ** min(decades(min(values), max(values))), 10 ** max(decades(min(values), max(values)))

    def x(size):
        span = math.log10(max(sizes) / min(sizes)) or 1
        return left + LEFT + (WIDTH - LEFT - RIGHT) * math.log10(size / min(sizes)) / span

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log10(value / low) / math.log10(high / low)

    yield f'<text x="{left + LEFT}" y="22" font-size="15" font-weight="600">{title}</text>'
    for power in decades(low, high):
        yield (f'<line x1="{left + LEFT}" x2="{left + WIDTH - RIGHT}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" stroke="#e3e8ee"/>'
               f'<text x="{left + LEFT - 6}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10 ** power:g} {unit}</text>')
    for size in sorted(set(sizes)):
        label = f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"
        yield f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{label}</text>'
    if limit:
        yield f'<line x1="{left + LEFT}" x2="{left + WIDTH - RIGHT}" y1="{y(limit):.1f}" y2="{y(limit):.1f}" stroke="#c0392b" stroke-dasharray="4 3"/>'
    ends = sorted(lines, key=lambda report: -lines[report][-1][1])
    for report, height in zip(ends, spread([y(lines[report][-1][1]) for report in ends], 11.5, HEIGHT)):
        points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in lines[report])
        yield (f'<polyline points="{points}" fill="none" stroke="#2f7ebc" stroke-opacity="0.6"/>'
               f'<text x="{x(lines[report][-1][0]) + 8:.1f}" y="{height + 4:.1f}" font-size="10">{html.escape(report)}</text>')


def draw(path, results):
    """Of the reports that were measured with the largest trace."""
    largest = max(int(size) for sizes in results.values() for size in sizes)
    results = {report: sizes for report, sizes in results.items() if str(largest) in sizes}
    body = [*panel(0, "Processor time", "s", results, 0, None), *panel(WIDTH, "Memory", "MB", results, 1, 500)]
    height = HEIGHT + 60
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{height}" viewBox="0 0 {2 * WIDTH} {height}" '
                   f'font-family="system-ui,sans-serif" font-size="11" fill="#243447"><rect width="100%" height="100%" fill="#fff"/>\n'
                   + "\n".join(body) + "\n</svg>\n")


# ---- The runs --------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--size", default="1G")
    parser.add_argument("--trace")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--results", help="JSON that figures are added to, by report and size of the trace")
    parser.add_argument("--draw", help="draw these figures into this SVG file, instead of measuring")
    options = parser.parse_args()
    results = {}
    if options.results and os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            results = json.load(file)
    if options.draw:
        return draw(options.draw, results)
    heaptap = os.path.join(options.build, "src/cli/heaptap")
    with tempfile.TemporaryDirectory() as folder:
        trace = options.trace or os.path.join(folder, "large.ctf")
        if not options.trace:
            subprocess.run([os.path.join(options.build, "bench/generate_trace"), trace, options.size], check=True)
        titles = ["report", "s", "CPU s", "MB"] + (["CPU s, whole", "MB, whole"] if options.whole else [])
        print("| " + " | ".join(titles) + " |")
        print("| --- |" + " ---: |" * (len(titles) - 1))
        for report in REPORTS:
            if options.only not in report:
                continue
            elapsed, cpu, megabytes = run(heaptap, trace, report, False)
            results.setdefault(report, {})[str(os.path.getsize(trace))] = [round(cpu, 2), round(megabytes, 1)]
            if options.results:
                with open(options.results, "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1, sort_keys=True)
            row = [f"{report:38}", f"{elapsed:.1f}", f"{cpu:.1f}", f"{megabytes:.0f}"]
            if options.whole:
                _, cpu, megabytes = run(heaptap, trace, report, True)
                row += [f"{cpu:.1f}", f"{megabytes:.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)


main()
