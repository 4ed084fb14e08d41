#!/usr/bin/python3
"""What recording costs: processor time of programs, recorded in several ways, as a multiple of the plain run.

    bench/record.py BUILD [--rounds N] [--scale F] [--only WORKLOAD] [--peers | --parts | --sample | --against REVISION]

Each round runs every way once, one after the other, so that what else the machine does falls on all of them; the
smallest time of each counts.  Beside each multiple stands the one that is aimed at.  --peers: those that are installed
beside: heaptrack (which symbolises while it records; "heaptrack raw" leaves that for later), and the profiling modes of
jemalloc and tcmalloc (each against its own malloc, for which LD_PRELOAD is set too).  Each run has 8 GB of memory and a
minute, or a hundred times the plain run's time, if that is more; a way that fails is told in one line and left out.
--parts: instead, what each part of the recorder costs on one allocation and its free.
--sample: instead, what one sample costs.
--against: instead, another revision of heaptap is built beside and takes turns with this one, each into a trace and into
a profile; printed is what both add to the plain run, and this one's part of that one's.  Below a twentieth of the plain run
that ratio is left out: it would be one of noise.
--scale: so many times the work of each program.
"""
import argparse
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import revision

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "workloads")
CHURN = 10_000_000
PATHS = 4_000_000
LEAST_SHARE = 0.05  # of the plain run's time: what is compared must cost that much
BUDGET = "21000"  # that of heaptap record
MEMORY_BYTES = 8 << 30
TIME_S, TIMES = 60, 100
AIMS = {  # of the multiples
    "1e-5": {"churn 1 thread": 1.10, "sqlite": 1.02, "pyjson": 1.05, "cc1plus": 1.02},
    "all": {"churn 1 thread": 3, "sqlite": 1.3, "pyjson": 2.2, "cc1plus": 1.25},
}


def library(name):
    found = glob.glob("/usr/lib/*/" + name)
    return found[0] if found else None


def cc1plus():
    """The compiler proper, as g++ would call it: the driver itself allocates next to nothing."""
    shown = subprocess.run(["g++", "-O2", "-###", "-S", "-o", "/dev/null", os.path.join(WORKLOADS, "big.cc")],
                           capture_output=True, text=True, check=True).stderr
    line = next(line for line in shown.splitlines() if "cc1plus" in line)
    return [word.strip('"') for word in line.split()]


class Failure(Exception):
    """A run came to nothing; says why."""


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def how_it_ended(status, messages):
    """In a few words; `messages` is what it wrote to standard error."""
    said = [line.strip() for line in messages.decode(errors="replace").splitlines() if line.strip()]
    killed = -status if status < 0 else status - 128  # shells pass on by what their child was killed
    known = killed in iter(signal.Signals)
    how = f"killed by {signal.Signals(killed).name}" if known else f"status {status}"
    return f"{how}: {' '.join(said[-1].split())}" if said else how


class Workload:
    def __init__(self, name, command, stdin=None, environment=None):
        self.name = name
        self.command = command
        self.stdin = stdin
        self.environment = environment or {}
        self.time_limit_s = TIME_S

    def run(self, environment, prefix=()):
        """Processor time, in seconds."""
        full = dict(os.environ, **self.environment, **environment)
        full.pop("MEMTRACE", None) if "MEMTRACE" not in environment else None
        with open(self.stdin or os.devnull, "rb") as stdin, tempfile.TemporaryFile() as messages:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            with subprocess.Popen([*prefix, *self.command], env=full, stdin=stdin, stdout=subprocess.DEVNULL,
                                  stderr=messages, preexec_fn=limit_memory, start_new_session=True) as process:
                try:
                    status = process.wait(self.time_limit_s)
                except subprocess.TimeoutExpired:
                    raise Failure(f"not done after {self.time_limit_s:.0f} s") from None
                finally:
                    end_group(process.pid)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            messages.seek(0)
            if status:
                raise Failure(how_it_ended(status, messages.read()))
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def end_group(leader):
    """What a run leaves behind must not weigh on the next one."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def workloads(directory, scale):
    churn = os.path.join(directory, "churn")
    subprocess.run(["gcc", "-O2", "-g", "-fomit-frame-pointer", os.path.join(WORKLOADS, "churn.c"), "-o", churn,
                    "-lpthread"], check=True)
    blocks = int(CHURN * scale)
    yield Workload("churn 1 thread", [churn, str(blocks)])
    yield Workload("churn 4 threads", [churn, str(blocks), "4"])
    if shutil.which("sqlite3"):
        sql = os.path.join(directory, "sql.sql")
        with open(os.path.join(WORKLOADS, "sql.sql"), encoding="utf-8") as original, open(sql, "w", encoding="utf-8") as out:
            out.write(original.read().replace("600000", str(int(600000 * scale))))
        yield Workload("sqlite", ["sqlite3", ":memory:"], sql)
    yield Workload("pyjson", ["/usr/bin/python3", os.path.join(WORKLOADS, "pyjson.py"), str(max(1, int(60 * scale)))],
                   environment={"PYTHONMALLOC": "malloc"})
    if shutil.which("g++"):
        yield Workload("cc1plus", cc1plus())


def path_workloads(directory, scale):
    """Of many pairs of stack and size, and of one."""
    program = os.path.join(directory, "paths")
    subprocess.run(["gcc", "-O2", "-g", os.path.join(WORKLOADS, "paths.c"), "-o", program], check=True)
    pairs = str(int(PATHS * scale))
    yield Workload("paths 4096 x 256", [program, pairs, "4096", "256"])
    yield Workload("paths 1 x 1", [program, pairs, "1", "1"])


def ways(preload, trace, peers):
    """(name, environment, prefix, name of what it is measured against)"""
    ours = {"LD_PRELOAD": preload}
    recorded = {**ours, "MEMTRACE": trace}
    yield "plain", {}, (), None
    yield "off", ours, (), "plain"
    yield "default", {**recorded, "HEAPTAP_BUDGET": BUDGET}, (), "plain"
    yield "1e-5", {**recorded, "MEMTRACE_RATE": "1e-5"}, (), "plain"
    gathered = {**ours, "MEMTRACE": trace + ".pb.gz", "HEAPTAP_KEEP": "1"}
    yield "default, profile", {**gathered, "HEAPTAP_BUDGET": BUDGET}, (), "plain"
    yield "1e-5, profile", {**gathered, "MEMTRACE_RATE": "1e-5"}, (), "plain"
    yield "all", {**recorded, "HEAPTAP_ALL": "1"}, (), "plain"
    if not peers:
        return
    if shutil.which("heaptrack"):
        yield "heaptrack", {}, ("heaptrack", "-o", trace + ".heaptrack"), "plain"
        yield "heaptrack raw", {}, ("heaptrack", "--raw", "-o", trace + ".heaptrack"), "plain"
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


def heaptap_of(build):
    return os.path.abspath(os.path.join(build, "src/cli/heaptap"))


def events_of(heaptap, trace):
    shown = subprocess.run([heaptap, "info", "--json", trace], capture_output=True, text=True, check=True).stdout
    return json.loads(shown)["events"]["total"]


def compressed_size(trace):
    """As zstd packs it, or None where there is no zstd."""
    if not shutil.which("zstd"):
        return None
    with subprocess.Popen(["zstd", "-q", "-3", "-c", trace], stdout=subprocess.PIPE) as packing:
        return sum(len(block) for block in iter(lambda: packing.stdout.read(1 << 20), b""))


def remove_outputs(trace):
    for path in glob.glob(glob.escape(trace) + "*"):
        os.unlink(path)


def measure(workload, preload, heaptap, trace, rounds, peers):
    times, notes, failures = {}, {}, {}
    for _ in range(rounds):
        for name, environment, prefix, base in ways(preload, trace, peers):
            if name in failures or base in failures:
                continue
            try:
                spent = workload.run(environment, prefix)
                if name == "all" and name not in notes:
                    events, packed = events_of(heaptap, trace), compressed_size(trace)
                    notes[name] = [events, os.path.getsize(trace) / events, packed and packed / events]
            except (Failure, subprocess.CalledProcessError) as failure:
                failures[name] = failure
                continue
            finally:
                remove_outputs(trace)
            times[name] = min(spent, times.get(name, spent))
            if name == "plain":
                workload.time_limit_s = max(TIME_S, TIMES * spent)
    if "plain" in failures:
        print(f"\n{workload.name}: failed ({failures['plain']})", flush=True)
        return
    print(f"\n{workload.name}: plain {times['plain']:.3f} s", flush=True)
    for name, _, _, base in ways(preload, trace, peers):
        if name in failures:
            print(f"  {name}: failed ({failures[name]})")
        if name in failures or base not in times or name not in times:
            continue
        aim = AIMS.get(name, {}).get(workload.name)
        line = f"  {name:16} {times[name] / times[base]:6.2f} x {base}" + (f" (aim {aim})" if aim else "")
        if name in notes:
            events, size, packed = notes[name]
            line += f"; {events} events, each {(times[name] - times[base]) / events * 1e9:.0f} ns, {size:.1f} bytes"
            line += f", {packed:.1f} with zstd" if packed else ""
        print(line, flush=True)


def ways_against(trace):
    """(name, environment)"""
    yield "default", {"MEMTRACE": trace}
    yield "all", {"MEMTRACE": trace, "HEAPTAP_ALL": "1"}
    yield "all, profile", {"MEMTRACE": trace + ".pb.gz", "HEAPTAP_ALL": "1"}


def measure_against(workload, builds, trace, rounds):
    """The smallest times by way and build, "plain" among them, and how many events there are."""
    times, events = {}, None
    for turn in range(rounds):
        spent = {("plain", None): workload.run({})}
        for name, environment in ways_against(trace):
            for build in builds if turn % 2 == 0 else reversed(builds):
                spent[name, build] = workload.run({"LD_PRELOAD": revision.preload_of(build), **environment})
                if name == "all" and events is None:
                    events = events_of(heaptap_of(build), trace)
                remove_outputs(trace)
        times = {key: min(time, times.get(key, time)) for key, time in spent.items()}
    return times, events


def against(workload, builds, trace, rounds):
    try:
        times, events = measure_against(workload, builds, trace, rounds)
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"\n{workload.name}: failed ({failure})", flush=True)
        return
    plain = times["plain", None]
    print(f"\n{workload.name}: plain {plain:.3f} s, {events} events", flush=True)
    for name, _ in ways_against(trace):
        added = [times[name, build] - plain for build in builds]
        line = f"  {name:13}" + "".join(f" {1 + more / plain:6.2f} x {more / events * 1e9:6.0f} ns" for more in added)
        if min(added) >= LEAST_SHARE * plain:
            line += f"   ratio {added[0] / added[1]:.2f}"
        print(line, flush=True)


def run_against(other, arguments, directory, everything):
    with revision.built(other) as build:
        print(f"this revision, {revision.full_name(other)[:7]}; of the plain run's time, and for each event", flush=True)
        for workload in [*everything, *path_workloads(directory, arguments.scale)]:
            if arguments.only in workload.name:
                against(workload, [arguments.build, build], os.path.join(directory, "t.ctf"), arguments.rounds)


def parts(workload, preload, rounds):
    """Each way does what the one before does, and something more; the trace goes to /dev/null but for the last."""
    base = {"LD_PRELOAD": preload}
    null = {**base, "MEMTRACE": "/dev/null"}
    steps = [
        ("plain", {}),
        ("pass-through", base),
        ("countdown and filter", {**null, "MEMTRACE_RATE": "1e-12"}),
        ("ids, clock and encoding", {**null, "HEAPTAP_ALL": "1", "HEAPTAP_CALLSTACK_SIZE": "0"}),
        ("stacks of one frame", {**null, "HEAPTAP_ALL": "1", "HEAPTAP_CALLSTACK_SIZE": "1"}),
        ("unwinding, whole stacks", {**null, "HEAPTAP_ALL": "1"}),
        ("writing the file", {**base, "HEAPTAP_ALL": "1", "MEMTRACE": "t.ctf"}),
    ]
    best = {}
    for _ in range(rounds):
        for name, environment in steps:
            spent = workload.run(environment) / int(workload.command[1]) * 1e9
            best[name] = min(spent, best.get(name, spent))
            if os.path.exists("t.ctf"):
                os.unlink("t.ctf")  # to empty a file costs more than to fill it
    print("nanoseconds for an allocation and its free")
    last = 0
    for name, _ in steps:
        print(f"  {name:26} {best[name]:7.1f}  {best[name] - last:+7.1f}")
        last = best[name]


def sample(workload, preload, heaptap, trace, rounds):
    """The cost of one sample, from runs at two rates that differ in nothing else."""
    rates = "1e-12", "1e-2"
    best, events = {}, {}
    for _ in range(rounds):
        for rate in rates:
            spent = workload.run({"LD_PRELOAD": preload, "MEMTRACE": trace, "MEMTRACE_RATE": rate})
            best[rate] = min(spent, best.get(rate, spent))
            shown = subprocess.run([heaptap, "info", "--json", trace], capture_output=True, text=True, check=True).stdout
            events[rate] = json.loads(shown)["events"]["alloc_major"]
            os.unlink(trace)
    each = (best[rates[1]] - best[rates[0]]) / events[rates[1]] * 1e9
    print(f"one sample, with its stack and its block's end: {each:.0f} ns ({events[rates[1]]} samples)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--against", metavar="REVISION")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    preload, heaptap = revision.preload_of(arguments.build), heaptap_of(arguments.build)
    if not os.path.exists(preload):
        sys.exit(f"{preload} is not there: build it first")
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        trace = os.path.join(directory, "t.ctf")
        everything = list(workloads(directory, arguments.scale))
        if arguments.parts:
            parts(everything[0], preload, arguments.rounds)
        elif arguments.sample:
            sample(everything[0], preload, heaptap, trace, arguments.rounds)
        elif arguments.against:
            run_against(arguments.against, arguments, directory, everything)
        else:
            for workload in everything:
                if arguments.only in workload.name:
                    measure(workload, preload, heaptap, trace, arguments.rounds, arguments.peers)


if __name__ == "__main__":
    main()
