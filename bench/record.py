#!/usr/bin/python3
"""What recording costs: processor time of programs, recorded in several ways, as a multiple of the plain run.

    bench/record.py BUILD [--rounds N] [--only WORKLOAD] [--peers | --parts]

Each round runs every way once, one after the other, so that what else the machine does falls on all of them; the
smallest time of each counts.  --peers: those that are installed beside: heaptrack, and the profiling modes of jemalloc
and tcmalloc (each against its own malloc, for which LD_PRELOAD is set too).
--parts: instead, what each part of the recorder costs on one allocation and its free.
"""
import argparse
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "workloads")
CHURN = 10_000_000


def library(name):
    found = glob.glob("/usr/lib/*/" + name)
    return found[0] if found else None


def cc1plus():
    """The compiler proper, as g++ would call it: the driver itself allocates next to nothing."""
    shown = subprocess.run(["g++", "-O2", "-###", "-S", "-o", "/dev/null", os.path.join(WORKLOADS, "big.cc")],
                           capture_output=True, text=True, check=True).stderr
    line = next(line for line in shown.splitlines() if "cc1plus" in line)
    return [word.strip('"') for word in line.split()]


class Workload:
    def __init__(self, name, command, stdin=None, environment=None):
        self.name = name
        self.command = command
        self.stdin = stdin
        self.environment = environment or {}

    def run(self, environment, prefix=()):
        """Processor time, in seconds."""
        full = dict(os.environ, **self.environment, **environment)
        full.pop("MEMTRACE", None) if "MEMTRACE" not in environment else None
        with open(self.stdin or os.devnull, "rb") as stdin:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*prefix, *self.command], env=full, stdin=stdin, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def workloads(directory):
    churn = os.path.join(directory, "churn")
    subprocess.run(["gcc", "-O2", "-g", "-fomit-frame-pointer", os.path.join(WORKLOADS, "churn.c"), "-o", churn,
                    "-lpthread"], check=True)
    yield Workload("churn 1 thread", [churn, str(CHURN)])
    yield Workload("churn 4 threads", [churn, str(CHURN), "4"])
    if shutil.which("sqlite3"):
        yield Workload("sqlite", ["sqlite3", ":memory:"], os.path.join(WORKLOADS, "sql.sql"))
    yield Workload("pyjson", ["/usr/bin/python3", os.path.join(WORKLOADS, "pyjson.py")],
                   environment={"PYTHONMALLOC": "malloc"})
    if shutil.which("g++"):
        yield Workload("cc1plus", cc1plus())


def ways(preload, trace, peers):
    """(name, environment, prefix, name of what it is measured against)"""
    ours = {"LD_PRELOAD": preload}
    recorded = {**ours, "MEMTRACE": trace}
    yield "plain", {}, (), None
    yield "off", ours, (), "plain"
    yield "default", recorded, (), "plain"
    yield "all", {**recorded, "HEAPTAP_ALL": "1"}, (), "plain"
    if not peers:
        return
    if shutil.which("heaptrack"):
        yield "heaptrack", {}, ("heaptrack", "-o", trace + ".heaptrack"), "plain"
    jemalloc = library("libjemalloc.so.2")
    if jemalloc:
        yield "jemalloc", {"LD_PRELOAD": jemalloc}, (), None
        yield "jemalloc lg19", {"LD_PRELOAD": jemalloc, "MALLOC_CONF": "prof:true,lg_prof_sample:19"}, (), "jemalloc"
        yield "on jemalloc", {"LD_PRELOAD": preload + ":" + jemalloc, "MEMTRACE": trace}, (), "jemalloc"
    tcmalloc = library("libtcmalloc.so.4")
    if tcmalloc:
        yield "tcmalloc", {"LD_PRELOAD": tcmalloc}, (), None
        yield ("tcmalloc 512k", {"LD_PRELOAD": tcmalloc, "TCMALLOC_SAMPLE_PARAMETER": "524288"}, (), "tcmalloc")
        yield "on tcmalloc", {"LD_PRELOAD": preload + ":" + tcmalloc, "MEMTRACE": trace}, (), "tcmalloc"


def measure(workload, preload, trace, rounds, peers):
    times, sizes = {}, {}
    for _ in range(rounds):
        for name, environment, prefix, _ in ways(preload, trace, peers):
            try:
                spent = workload.run(environment, prefix)
            except subprocess.CalledProcessError as error:
                print(f"{workload.name}, {name}: {error}", file=sys.stderr)
                continue
            times[name] = min(spent, times.get(name, spent))
            if os.path.exists(trace):
                sizes[name] = os.path.getsize(trace)
                os.unlink(trace)
    print(f"\n{workload.name}: plain {times['plain']:.3f} s", flush=True)
    for name, _, _, base in ways(preload, trace, peers):
        if base in times and name in times:
            size = f"  {sizes[name] / 1e6:8.1f} MB" if name in sizes else ""
            print(f"  {name:16} {times[name] / times[base]:6.2f} x {base}{size}")


def parts(workload, preload, rounds):
    """Each way does what the one before does, and something more; the trace goes to /dev/null but for the last."""
    base = {"LD_PRELOAD": preload}
    null = {**base, "MEMTRACE": "/dev/null"}
    steps = [
        ("plain", {}),
        ("hooks that forward", base),
        ("countdown and filter", {**null, "MEMTRACE_RATE": "1e-12"}),
        ("engine, clock and events", {**null, "HEAPTAP_ALL": "1", "HEAPTAP_CALLSTACK_SIZE": "0"}),
        ("stacks of one frame", {**null, "HEAPTAP_ALL": "1", "HEAPTAP_CALLSTACK_SIZE": "1"}),
        ("whole stacks", {**null, "HEAPTAP_ALL": "1"}),
        ("the file", {**base, "HEAPTAP_ALL": "1", "MEMTRACE": "t.ctf"}),
    ]
    best = {}
    for _ in range(rounds):
        for name, environment in steps:
            spent = workload.run(environment) / CHURN * 1e9
            best[name] = min(spent, best.get(name, spent))
    print("nanoseconds for an allocation and a free")
    last = 0
    for name, _ in steps:
        print(f"  {name:26} {best[name]:7.1f}  {best[name] - last:+7.1f}")
        last = best[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--parts", action="store_true")
    arguments = parser.parse_args()
    preload = os.path.abspath(os.path.join(arguments.build, "src/record/libheaptap-preload.so"))
    if not os.path.exists(preload):
        sys.exit(f"{preload} is not there: build it first")
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        everything = list(workloads(directory))
        if arguments.parts:
            parts(everything[0], preload, arguments.rounds)
            return
        for workload in everything:
            if arguments.only in workload.name:
                measure(workload, preload, os.path.join(directory, "t.ctf"), arguments.rounds, arguments.peers)


if __name__ == "__main__":
    main()
