#!/usr/bin/python3
"""How true the figures of sampled recordings are: programs whose figures are known, recorded many times.

    bench/peak.py BUILD [--runs N] [--rates 1e-2,1e-3,...] [--only WORKLOAD] [--jobs N] [--markdown]

Each program is recorded once with every block, which gives the truth, and N times at each rate, with another seed each
time (the recorder draws it from what differs between runs).  A rate above 1 is a budget: the rate is halved at so many blocks.  `heaptap info --json` then says what it makes of each
recording.  Printed per program and rate: how many samples the peak rests on, in the mean; the mean of its estimate, as a
part of the truth, with its standard error; the same of all bytes and of those live at the end; in how many of 100 recordings the truth is within the printed bounds, for
bytes and objects allocated, bytes live at the end, and the peak; and in how many the peak is said to rest on too few
samples.  With 200 runs, the standard error of a coverage of 95 is 1.5.
"""
import argparse
import concurrent.futures
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import revision

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "workloads")
SHAPES = "waves", "small", "steady", "few"
NEAR_BYTES = 8192
FIGURES = {  # in what info prints: the value, its bounds
    "bytes": (("allocated", "bytes"), ("allocated", "bytes_low"), ("allocated", "bytes_high")),
    "objects": (("allocated", "objects"), ("allocated", "objects_low"), ("allocated", "objects_high")),
    "live": (("live_at_end", "bytes"), ("live_at_end", "bytes_low"), ("live_at_end", "bytes_high")),
    "peak": (("peak", "bytes"), ("peak", "low"), ("peak", "high")),
}


class Workload:
    def __init__(self, name, command, stdin=None, environment=None):
        self.name, self.command, self.stdin, self.environment = name, command, stdin, environment or {}


def workloads(directory):
    peaks = os.path.join(directory, "peaks")
    subprocess.run(["gcc", "-O2", "-g", os.path.join(WORKLOADS, "peaks.c"), "-o", peaks], check=True)
    for shape in SHAPES:
        yield Workload(shape, [peaks, shape])
    if shutil.which("sqlite3"):
        sql = os.path.join(directory, "sql.sql")
        with open(os.path.join(WORKLOADS, "sql.sql"), encoding="utf-8") as original, open(sql, "w", encoding="utf-8") as out:
            out.write(original.read().replace("600000", "5000"))
        yield Workload("sqlite", ["sqlite3", ":memory:"], sql)
    yield Workload("pyjson", ["/usr/bin/python3", os.path.join(WORKLOADS, "pyjson.py"), "1"],
                   environment={"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"})


class Recorder:
    def __init__(self, build, directory):
        self.preload = revision.preload_of(build)
        self.heaptap = os.path.abspath(os.path.join(build, "src/cli/heaptap"))
        self.directory = directory

    def record(self, workload, how):
        """What the program printed, and what info says of the recording."""
        handle, trace = tempfile.mkstemp(suffix=".ctf", dir=self.directory)
        os.close(handle)
        environment = dict(os.environ, **workload.environment, **how, LD_PRELOAD=self.preload, MEMTRACE=trace)
        with open(workload.stdin or os.devnull, "rb") as stdin:
            printed = subprocess.run(workload.command, env=environment, stdin=stdin, stdout=subprocess.PIPE,
                                     check=True).stdout
        shown = subprocess.run([self.heaptap, "info", "--json", trace], stdout=subprocess.PIPE, check=True).stdout
        os.unlink(trace)
        return printed, json.loads(shown)


def value(info, path):
    return info[path[0]][path[1]]


def truth_of(recorder, workload):
    """Of what every block says; what the program itself says must be near: it knows nothing of the buffer of its output,
    and its peak may be within a microsecond."""
    printed, info = recorder.record(workload, {"HEAPTAP_ALL": "1"})
    truth = {figure: value(info, paths[0]) for figure, paths in FIGURES.items()}
    if workload.name in SHAPES:
        own = dict(zip(FIGURES, map(int, printed.split())))
        for figure, expected in own.items():
            if abs(truth[figure] - expected) > NEAR_BYTES:
                sys.exit(f"{workload.name}: {figure} is {expected}, of every block {truth[figure]}")
    return truth


def covers(info, figure, truth):
    _, low, high = FIGURES[figure]
    return value(info, low) <= truth[figure] <= value(info, high)


def mean(infos, figure, truth):
    parts = [value(info, FIGURES[figure][0]) / truth[figure] for info in infos]
    return f"{statistics.mean(parts):.3f} ± {statistics.stdev(parts) / math.sqrt(len(parts)):.3f}"


def measure(recorder, pool, workload, truth, rate, runs):
    how = {"HEAPTAP_BUDGET" if float(rate) > 1 else "MEMTRACE_RATE": rate}
    infos = [info for _, info in pool.map(lambda _: recorder.record(workload, how), range(runs))]
    row = [workload.name, rate, f"{statistics.mean(info['peak']['samples'] for info in infos):.1f}"]
    row += [mean(infos, figure, truth) for figure in ("peak", "bytes", "live")]
    row += [f"{100 * sum(covers(info, figure, truth) for info in infos) / runs:.1f}" for figure in FIGURES]
    return row + [f"{100 * sum(info['peak'].get('too_few_samples', False) for info in infos) / runs:.0f}"]


def study(about, levels, lines, make_recorder, find_truth, take_measure):
    """Records each program often at each of the `levels`, an option and its default: a row for each.  `lines` is the form of a row, and the heads."""
    option, default = levels
    line, heads = lines
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument(option, dest="levels", metavar=option[2:].upper(), default=default)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    if arguments.markdown:
        line = "| " + line.replace(" ", " | ") + " |"
    with tempfile.TemporaryDirectory() as directory:
        recorder = make_recorder(arguments.build, directory)
        print(line.format(*heads))
        if arguments.markdown:
            print(line.format(*["---"] * len(heads)))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for workload in workloads(directory):
                if arguments.only in workload.name:
                    truth = find_truth(recorder, workload)
                    for level in arguments.levels.split(","):
                        print(line.format(*take_measure(recorder, pool, workload, truth, level, arguments.runs)), flush=True)


if __name__ == "__main__":
    study(__doc__, ("--rates", "1e-2,1e-3,1e-4,1e-5,1e-6"),
          ("{:8} {:6} {:>8} {:>15} {:>15} {:>15} {:>6} {:>8} {:>6} {:>6} {:>8}",
           ("program", "rate", "samples", "peak / truth", "bytes / truth", "live / truth", *FIGURES, "too few")),
          Recorder, truth_of, measure)
