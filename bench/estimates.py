#!/usr/bin/python3
"""How true the figures of a fleet are: programs whose truth is known, sampled, added up in a store, and asked.

    bench/estimates.py BUILD [--runs N] [--rate R] [--versions N] [--mix M,...] [--only bounds|regressions]

Each program of bench/peak.py is recorded once with every block.  What it then has as samples comes from three sources: it is
recorded again, N times, at a rate; what was recorded is subsampled by `heaptap file subsample`; or the samples of each stack and
size are drawn here, as many as Poisson's distribution says, and written as heaptap writes them.  The latter two are fast, and
are fair where their figures are like the first's.

bounds: profiles are added up over instances, 1 to N of them, by `heaptap fleet services`, of all and through the program's functions.
Printed is in how many of 100 cases the truth is within what the answer states: the bounds of 95 of 100.  Of one program cases are
not independent of each other: functions call each other.

regressions: versions of a service, in each of which one function allocates 5 % more than in the one before.  Each is
compared with the one before by `heaptap fleet regressions`.  What grew is what the same question says of exact profiles.  Printed is how
often the planted site is named, by how many samples it has in each version, and in how many comparisons a site is
named that did not grow, which is to be in 5 of 100 at most.  Instances have more or less to do by a factor; with --mix, also each
function of an instance by itself, which sampling's errors do not cover.
"""
import argparse
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import fleet_profiles
from fleet_profiles import message, number, poisson, varint
from peak import SHAPES, Workload, workloads
from protobuf import fields, message as decode

TYPES = 7  # of heaptap's own profiles: alloc_objects, alloc_space, ...
GROWTH = 1.05
SIZES = 3000, 30000, 300000, 3000000  # samples of a version, of all instances and intervals
INSTANCES, INTERVALS = 4, 2
PERIOD = 100000  # bytes, of the default rate


class Tool:
    def __init__(self, build, directory, rate):
        self.rate = rate
        self.heaptap, self.directory = os.path.abspath(os.path.join(build, "src/cli/heaptap")), directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def run(self, *arguments, **how):
        return subprocess.run([self.heaptap, *arguments], check=True, stdout=subprocess.PIPE, **how).stdout

    def ask(self, *arguments):
        """regressions ends with 1 where it names a site."""
        done = subprocess.run([self.heaptap, *arguments, "--json"], stdout=subprocess.PIPE, check=False)
        if done.returncode > 1:
            sys.exit(f"{' '.join(arguments)}: status {done.returncode}")
        return json.loads(done.stdout)

    def add(self, store, paths, **labels):
        self.run("fleet", "store", "add", *[f"--label={key}={value}" for key, value in labels.items()], store, *paths)

    def record(self, workload, to, *options):
        environment = dict(os.environ, **workload.environment)
        with open(workload.stdin or os.devnull, "rb") as stdin:
            self.run("record", "--native", "-q", "--no-follow", *options, "-o", to, "--", *workload.command, stdin=stdin, env=environment)


class Exact:
    """A profile of every block, of which others are drawn: all but its samples stays."""

    def __init__(self, path):
        self.other, self.groups, self.functions = b"", [], {}
        names, locations = {}, {}
        with gzip.open(path) as file:
            content = list(fields(file.read()))
        strings = [value.decode(errors="replace") for key, value in content if key == 6]
        for key, value in content:
            if key == 5:
                one = decode(value)
                names[one[1][0]] = strings[one[2][0]]
            elif key == 4:
                one = decode(value)
                locations[one[1][0]] = decode(one[4][0])[1][0] if 4 in one else 0
        for key, value in content:
            if key == 2:
                one = decode(value)
                values, ids = list(fleet_profiles.packed(one[2][0])), list(fleet_profiles.packed(one[1][0]))
                if values[0] > 0:
                    inside = {names.get(locations[at], "?") for at in ids}
                    rest = message(1, one[1][0]) + b"".join(message(3, label) for label in one.get(3, []))
                    self.groups.append((values[0], values[1], rest, inside))
                    for function in inside:
                        self.functions[function] = self.functions.get(function, 0) + values[1]
            elif key not in (9, 10, 12):
                self.other += message(key, value) if isinstance(value, bytes) else number(key, value)
        self.bytes = sum(group[1] for group in self.groups)

    def write(self, path, period, second, groups):
        """`groups`: objects, bytes and what else there is of each."""
        out = [self.other, number(9, second * 10**9), number(12, round(period))]
        for objects, size, rest in groups:
            values = varint(objects) + varint(size) + bytes(TYPES - 2)
            out.append(message(2, rest + message(2, values)))
        with open(path, "wb") as file:
            file.write(b"".join(out))

    def draw(self, choose, path, period, second, factors=None):
        """As heaptap samples: each byte by itself, so that a group has a Poisson number of samples."""
        drawn, carry = [], 0.0
        for i, (objects, size, rest, _) in enumerate(self.groups):
            size *= factors[i] if factors else 1
            count = poisson(choose, size / period)
            if count > 0:
                carry += count * period / (self.groups[i][1] / objects)
                drawn.append((math.floor(carry), round(count * period), rest))
                carry -= math.floor(carry)
        self.write(path, period, second, drawn)


# ---- Bounds

BUCKETS = 1, 4, 10, 30, 100, 1000, 10000, 100000, 10**12


def bucket_of(samples):
    return next(i for i, most in enumerate(BUCKETS) if samples < most)


def bucket_name(bucket):
    least = BUCKETS[bucket - 1] if bucket else 0
    return f"{least} to {BUCKETS[bucket]}" if bucket + 1 < len(BUCKETS) else f"{least} and more"


METHODS = "recorded", "subsampled", "drawn"


def sample(tool, workload, exact, method, runs):
    """Paths of profiles of samples."""
    choose = random.Random(f"{workload.name} {method}")
    for i in range(runs):
        path, part = tool.path(f"{method}{i}.pb.gz"), tool.path("part.ctf")
        if method == "recorded":
            tool.record(workload, path, "-r", str(tool.rate))
        elif method == "subsampled":
            tool.run("file", "subsample", "-f", str(1 / tool.rate), "--seed", str(choose.getrandbits(60)), "-o", part,
                     tool.path("exact.ctf"))
            tool.run("pprof", "-o", path, part)
        else:
            exact.draw(choose, path, 1 / tool.rate, 1700000000 + i)
        yield path


def count_cases(tool, store, method, truths, runs, cases):
    for instances in (1, 4, 16):
        for function, truth in truths.items():
            through = [f"--through={function}"] if function else []
            found = tool.ask("fleet", "services", f"--by=of{instances}", *through, "store:" + store, "method=" + method)["services"]
            for row in found:
                whole = truth * min(instances, runs - int(row["name"]) * instances)
                case = cases.setdefault((method, bucket_of(whole * tool.rate)), [0, 0, 0])
                low, high = row["allocated_low"], row["allocated_high"]
                case[0] += 1
                case[1] += whole < low
                case[2] += high is not None and whole > high


def bounds(tool, runs):
    cases = {}
    for workload in workloads(tool.directory):
        tool.record(workload, tool.path("exact.ctf"), "--all")
        tool.run("pprof", "-o", tool.path("exact.pb.gz"), tool.path("exact.ctf"))
        exact = Exact(tool.path("exact.pb.gz"))
        store = tool.path(workload.name + ".db")
        tool.run("fleet", "store", "init", store)
        tool.add(store, [tool.path("exact.pb.gz")], method="exact")
        for method in METHODS:
            for i, path in enumerate(sample(tool, workload, exact, method, runs)):
                tool.add(store, [path], method=method, host=i, **{f"of{n}": i // n for n in (1, 4, 16)})
        functions = sorted(exact.functions, key=exact.functions.get, reverse=True)
        truths = {}
        for function in [""] + functions[:40:4]:
            through = [f"--through={function}"] if function else []
            truths[function] = tool.ask("fleet", "services", *through, "store:" + store, "method=exact")["services"][0]["allocated_bytes"]
        for method in METHODS:
            count_cases(tool, store, method, truths, runs, cases)
    line = "| {:>15} |" + " {:>10} | {:>7} |" * len(METHODS)
    print(line.format("samples", *[part for method in METHODS for part in (method, "cases")]))
    print(line.format(*["---"] * (1 + 2 * len(METHODS))))
    for bucket in range(len(BUCKETS)):
        row = []
        for method in METHODS:
            count, above, below = cases.get((method, bucket), [0, 0, 0])
            row += [f"{100 * (count - above - below) / count:.1f}" if count else "", count]
        print(line.format(bucket_name(bucket), *row))
    print()


# ---- Regressions

def programs(directory):
    """Those whose blocks come from many places."""
    many = "my %found; $found{$_ % 5000} .= 'x' x ($_ % 50) for 1 .. 40000; print scalar keys %found, sort values %found"
    yield from (workload for workload in workloads(directory) if workload.name not in SHAPES)
    yield Workload("imports", ["/usr/bin/python3", "-c", fleet_profiles.PYTHON], environment={"PYTHONHASHSEED": "0"})
    yield Workload("perl", ["/usr/bin/perl", "-e", many])


def grown(exact, choose, count):
    """Factors of each group by version, and what was planted in each."""
    names = [name for name, size in exact.functions.items() if 0.01 < size / exact.bytes < 0.5]
    factors, found = [1.0] * len(exact.groups), [[1.0] * len(exact.groups)]
    for _ in range(count):
        name = choose.choice(sorted(names))
        factors = [factor * (GROWTH if name in group[3] else 1) for factor, group in zip(factors, exact.groups)]
        found.append(factors)
    return found


def make_versions(tool, store, exact, versions, size, mix):
    choose = random.Random(f"{size} {mix}")
    second, share = 1700000000, size * PERIOD / exact.bytes / INSTANCES / INTERVALS
    for number_of, factors in enumerate(versions):
        for instance in range(INSTANCES):
            load = choose.lognormvariate(0, 0.3)
            own = {}
            mixed = [factor * load * own.setdefault(frozenset(group[3]), choose.lognormvariate(0, mix))
                     for factor, group in zip(factors, exact.groups)]
            paths = []
            for interval in range(INTERVALS):
                second += 60
                paths.append(tool.path(f"interval{interval}.pb"))
                exact.draw(choose, paths[-1], PERIOD, second, [factor * share for factor in mixed])
            tool.add(store, paths, scale=size, mix=mix, version=number_of, instance=instance)


def make_truth(tool, store, exact, versions):
    path = tool.path("truth.pb")
    for number_of, factors in enumerate(versions):
        exact.write(path, 1, 1700000000, [(1, round(1000 * group[1] * factor), group[2]) for factor, group in zip(factors, exact.groups)])
        tool.add(store, [path], scale="exact", version=number_of)


def compare(tool, store, version, *conditions):
    """Sites that are said to have grown."""
    sides = [part for side in (version - 1, version) for part in ("store:" + store, *conditions, f"version={side}")]
    return {(site["function"], site["file"]): site for site in tool.ask("fleet", "regressions", "-n", "0", *sides)["sites"]}


def regressions(tool, count, mixes):
    """(mix, samples): comparisons, those with a false alarm; and (mix, samples of the site): sites that grew by 5 %, those named."""
    alarms, named = {}, {}
    for workload in programs(tool.directory):
        tool.record(workload, tool.path("exact.ctf"), "--all")
        tool.run("pprof", "-o", tool.path("exact.pb.gz"), tool.path("exact.ctf"))
        exact, store = Exact(tool.path("exact.pb.gz")), tool.path(workload.name + ".db")
        tool.run("fleet", "store", "init", store)
        versions = grown(exact, random.Random(workload.name), count)
        make_truth(tool, store, exact, versions)
        truths = [compare(tool, store, version, "scale=exact") for version in range(1, count + 1)]
        for mix, size in [(mix, size) for mix in mixes for size in SIZES]:
            make_versions(tool, store, exact, versions, size, mix)
            for version, truth in enumerate(truths, 1):
                found = compare(tool, store, version, f"scale={size}", f"mix={mix}")
                count_one(alarms, (mix, size), bool(found.keys() - truth.keys()))
                for site, row in truth.items():
                    if row["new_value"] > 0.999 * GROWTH * row["base_value"]:
                        count_one(named, (mix, bucket_of(size * row["base_share"])), site in found)
    return alarms, named


def count_one(counts, key, is_so):
    count = counts.setdefault(key, [0, 0])
    count[0] += 1
    count[1] += is_so


def print_regressions(line, alarms, named):
    print(line.format("mix", "samples of a version", "comparisons", "% with a false alarm"))
    print(line.format(*["---"] * 4))
    for (mix, size), (count, those) in sorted(alarms.items()):
        print(line.format(f"{100 * mix:g} %", size, count, f"{100 * those / count:.1f}"))
    print()
    print(line.format("mix", "samples of the site", "grew by 5 %", "% named"))
    print(line.format(*["---"] * 4))
    for (mix, bucket), (count, those) in sorted(named.items()):
        print(line.format(f"{100 * mix:g} %", bucket_name(bucket), count, f"{100 * those / count:.1f}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=96)
    parser.add_argument("--rate", type=float, default=1e-3, help="at which programs are recorded, for the bounds")
    parser.add_argument("--versions", type=int, default=50)
    parser.add_argument("--mix", default="0", help="by how much each function's work differs from instance to instance: 0,0.05")
    parser.add_argument("--only", choices=("bounds", "regressions"))
    arguments = parser.parse_args()
    for what in ("bounds", "regressions"):
        with tempfile.TemporaryDirectory() as directory:
            tool = Tool(arguments.build, directory, arguments.rate)
            if what == "bounds" and arguments.only != "regressions":
                bounds(tool, arguments.runs)
            elif what == "regressions" and arguments.only != "bounds":
                print_regressions("| {:>5} | {:>20} | {:>15} | {:>20} |",
                                  *regressions(tool, arguments.versions, [float(mix) for mix in arguments.mix.split(",")]))


if __name__ == "__main__":
    main()
