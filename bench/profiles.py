#!/usr/bin/python3
"""How true the figures of recorded profiles are whose rate is a budget: programs whose figures are known, recorded many times.

    bench/profiles.py BUILD [--runs N] [--budgets 500,2000,8000] [--only WORKLOAD] [--jobs N] [--markdown]

Each program (those of bench/peak.py) is recorded once with every block, which gives the truth, and N times with each budget, the number of blocks at which
the rate is halved.  Printed: the periods that the profiles ended with, their samples in the mean; the means of the bytes and objects allocated and the bytes in use
at the end, as parts of the truth, with their standard errors; and in how many of 100 recordings the bytes are within 1.96 standard errors of a recording
that had the last rate from the start, all of them and those in use.  With 200 runs, the standard error of a coverage of 95 is 1.5.
"""
import json
import math
import os
import statistics
import subprocess
import tempfile

import peak

TYPES = {"bytes": "alloc_space", "objects": "alloc_objects", "live": "inuse_space"}


class Recorder(peak.Recorder):
    def record(self, workload, how):
        """The profile's period, and its totals."""
        handle, profile = tempfile.mkstemp(suffix=".pb.gz", dir=self.directory)
        os.close(handle)
        environment = dict(os.environ, **workload.environment, **how, LD_PRELOAD=self.preload, MEMTRACE=profile)
        with open(workload.stdin or os.devnull, "rb") as stdin:
            subprocess.run(workload.command, env=environment, stdin=stdin, stdout=subprocess.DEVNULL, check=True)
        shown = json.loads(subprocess.run([self.heaptap, "info", "--json", profile], stdout=subprocess.PIPE, check=True).stdout)
        os.unlink(profile)
        totals = {kind["type"]: kind["total"] for kind in shown["sample_types"]}
        return shown["period"], {figure: totals[kind] for figure, kind in TYPES.items()}


def mean(infos, figure, truth):
    parts = [totals[figure] / truth[figure] for _, totals in infos]
    return f"{statistics.mean(parts):.3f} ± {statistics.stdev(parts) / math.sqrt(len(parts)):.3f}"


def covered(infos, figure, truth):
    within = [abs(totals[figure] - truth[figure]) <= 1.96 * math.sqrt(truth[figure] * (period - 1)) for period, totals in infos]
    return f"{100 * sum(within) / len(within):.1f}"


def measure(recorder, pool, workload, truth, budget, runs):
    infos = list(pool.map(lambda _: recorder.record(workload, {"HEAPTAP_BUDGET": budget}), range(runs)))
    periods = sorted({period for period, _ in infos})
    samples = statistics.mean(totals["bytes"] / period for period, totals in infos)
    row = [workload.name, budget, ", ".join(map(str, periods)), f"{samples:.0f}"]
    return row + [mean(infos, figure, truth) for figure in TYPES] + [covered(infos, figure, truth) for figure in ("bytes", "live")]


def truth_of(recorder, workload):
    return recorder.record(workload, {"HEAPTAP_ALL": "1"})[1]


if __name__ == "__main__":
    peak.study(__doc__, ("--budgets", "500,2000,8000"),
               ("{:8} {:>6} {:>16} {:>8} {:>15} {:>15} {:>15} {:>6} {:>6}",
                ("program", "budget", "periods", "samples", *(f"{figure} / truth" for figure in TYPES), "bytes", "live")),
               Recorder, truth_of, measure)
