#!/usr/bin/python3
"""Reports of large traces: time and memory, beside the whole model.

    bench/large.py BUILD [--size 1G | --trace FILE] [--whole] [--only WORD]

Makes a trace by bench/generate_trace, or takes FILE, and runs each report on it, with and without clauses.  Printed are elapsed
and CPU time, and the most memory that was resident.  With --whole each runs a second time with HEAPTAP_WHOLE_MODEL=1: a row for each
block, as in the page's model.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

REPORTS = ["top", "top live-at=peak", "top lifetime>=1ms", "tree", "peek function_1", "callers function_1", "callees function_1", "traces",
           "list function_1", "graph", "tags", "types", "leaks", "hotspots", "hotspots size>=3w", "flamegraph --folded", "flamegraph --folded size>=3w",
           "pprof -o /dev/null", "pprof -o /dev/null size>=3w", "diff FILE", "check --max-peak=1G --max-allocated=1T", "dump live-at=peak", "info",
           "info size>=3w", "stats", "stats size>=3w", "timeline", "advice", "export --format=folded -o /dev/null",
           "export --format=dhat -o /dev/null"]


def run(heaptap, trace, report, whole):
    words = report.split()
    clauses = [word for word in words[1:] if "=" in word and not word.startswith("-")]
    others = [word for word in words[1:] if word not in clauses]
    patterns = [word for word in others if word.startswith("function_")]
    options = [trace if word == "FILE" else word for word in others if word not in patterns]
    command = [heaptap, words[0], *([] if words[0] == "diff" else options), trace, *patterns, *(options if words[0] == "diff" else []), *clauses]
    environment = dict(os.environ, HEAPTAP_WHOLE_MODEL="1" if whole else "0")
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    messages = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: {messages}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--size", default="1G")
    parser.add_argument("--trace")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
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
            row = [f"{report:38}", f"{elapsed:.1f}", f"{cpu:.1f}", f"{megabytes:.0f}"]
            if options.whole:
                _, cpu, megabytes = run(heaptap, trace, report, True)
                row += [f"{cpu:.1f}", f"{megabytes:.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)


main()
