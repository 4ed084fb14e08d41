#!/usr/bin/env python3
"""heaptap memtracer on CPython: known numbers come back exactly, and programs behave as without it.

    HEAPTAP=... SOURCE=... test_python.py [--python PATH] [TEST...]       prints TAP

Every CPython from 3.11 to 3.13 that is here is tried: python3.N on PATH, and those of pyenv."""
import argparse
import collections
import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

HEAPTAP = os.environ["HEAPTAP"]
TARGETS = os.path.join(os.environ["SOURCE"], "tests", "guest", "python")
number = 0
failed = False


def ok(passed, name, more=""):
    global number, failed
    number += 1
    failed = failed or not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    if not passed:
        for line in str(more).splitlines():
            print(f"# {line}")
    sys.stdout.flush()


def same(got, wanted, name):
    ok(got == wanted, name, f"got:    {got}\nwanted: {wanted}")


def target(name):
    return os.path.join(TARGETS, name)


def environment(**more):
    plain = {key: value for key, value in os.environ.items()
             if not key.startswith(("PYTHON", "HEAPTAP_GUEST", "LD_PRELOAD", "MEMTRACE"))}
    return {**plain, "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(command, stdin=b"", preexec_fn=None, **more):
    return subprocess.run(command, input=stdin, capture_output=True, env=environment(**more), timeout=900,
                          preexec_fn=preexec_fn)


def traced(python, arguments, options=(), stdin=b"", **more):
    """The processes of a traced run by pid order, and the run itself."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        ran = run([HEAPTAP, "memtracer", "--json", "--output-file", report, *options, "--", python, *arguments],
                  stdin, **more)
        processes = json.load(open(report, encoding="utf-8"))["processes"] if os.path.exists(report) else []
    return processes, ran


def counts(process, name):
    """{line: {type: count}} of a file."""
    lines = collections.defaultdict(dict)
    for row in process["rows"]:
        if os.path.basename(row["file"] or "") == name:
            lines[row["line"]][row["type"]] = lines[row["line"]].get(row["type"], 0) + row["count"]
    return lines


def expected(path):
    """{line: {type: count}} from the comments of a target."""
    lines = {}
    for at, text in enumerate(open(path, encoding="utf-8"), 1):
        said = re.search(r"#: (.*)$", text)
        if said:
            lines[at] = {kind: int(count) for kind, count in (word.split("=") for word in said[1].split())}
    return lines


def find_pythons():
    """{version: path}"""
    found = {}
    paths = ["/usr/bin/python3.11", "/usr/bin/python3.12", "/usr/bin/python3.13"]
    paths += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[123].*/bin/python3.1[123]")))
    for path in paths:
        version = re.search(r"python(3\.1[123])$", path)[1]
        if version not in found and os.access(path, os.X_OK):
            ran = run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2], getattr(sys, '_is_gil_enabled', "
                                   "lambda: True)())"])
            if ran.stdout.split() == [version.encode(), b"True"]:
                found[version] = path
    return found


# ---- Numbers --------------------------------------------------------------------------------------


def test_counts(version, python):
    for name in "counts.py", "events.py":
        processes, ran = traced(python, [target(name)])
        same((ran.returncode, len(processes)), (0, 1), f"{version}: {name} runs")
        got = counts(processes[0], name)
        for line, kinds in expected(target(name)).items():
            same({kind: got[line].get(kind) for kind in kinds}, kinds, f"{version}: {name}:{line}")
        check_sums(version, name, processes[0])
    made = counts(processes[0], "made.py")
    same([made[line].get("Noted") for line in range(1001, 1201)], [1] * 200,
         f"{version}: code objects that come to the address of others have lines of their own")
    classes = counts(processes[0], "classes.py")
    same({kind: count for kind, count in classes[2].items() if kind.startswith("Made")},
         {f"Made{n}": 1 for n in range(200)}, f"{version}: and so have types their names")


def check_sums(version, name, process):
    rows = process["rows"]
    same(sum(row["count"] for row in rows), process["recorded"], f"{version}: {name}: the rows add up to the header")
    same(sum(heap["allocations"] for heap in process["heaps"]), process["recorded"],
         f"{version}: {name}: and so do the heaps")
    same([row for row in rows if row["live"] != row["count"] + row["resized"] - row["resized_away"] - row["freed"]], [],
         f"{version}: {name}: live is what came less what went, in every row")


def test_oracle(version, python):
    """tracemalloc, which stands in the same place of the same allocators."""
    with tempfile.TemporaryDirectory() as folder:
        said = os.path.join(folder, "rows.json")
        processes, ran = traced(python, [target("oracle.py"), said])
        wanted = {int(line): tuple(row) for line, row in json.load(open(said)).items()}
    got = collections.defaultdict(lambda: (0, 0))
    for row in processes[0]["rows"]:
        if os.path.basename(row["file"] or "") == "oracle.py":
            blocks, size = got[row["line"]]
            got[row["line"]] = blocks + row["live"], size + row["live_bytes"]
    built = range(*lines_between(target("oracle.py"), "def build", "return node"))
    inside = {line: row for line, row in wanted.items() if line in built}
    ok(len(inside) >= 4 and sum(row[0] for row in inside.values()) > 3000, f"{version}: tracemalloc saw something", inside)
    own = [(0, 0), (1, 24)]  # tracemalloc itself keeps a note of each line, which it doesn't see
    more = {line: (got[line][0] - row[0], got[line][1] - row[1]) for line, row in inside.items()}
    ok(all(each in own for each in more.values()),
       f"{version}: live blocks and bytes of each line as tracemalloc has them", more)


def lines_between(path, first, last):
    texts = list(open(path, encoding="utf-8"))
    return [1 + next(i for i, text in enumerate(texts) if word in text) for word in (first, last)]


def test_stacks(version, python):
    """The stacks of 4000 objects, each of a class of its own, as the program sees them by itself in another run."""
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "stacks.json")
        run([python, target("stacks.py"), told])
        wanted = json.load(open(told, encoding="utf-8"))
    for options, at_least in ([], 4000), (["--rate", "0.05"], 500):
        processes, ran = traced(python, [target("stacks.py")], ["--stacks", "--type", "Made*", *options],
                                HEAPTAP_GUEST_SEED="1")
        name = " ".join([f"{version}: stacks", *options])
        same((ran.returncode, ran.stderr), (0, b""), f"{name}: the program runs")
        wrong, seen = [], 0
        for row in processes[0]["rows"]:
            n = int(re.match(r"Made(\d+)$", row["type"])[1])
            got = [[[call["function"] or "<module>", call["line"]] for call in each["callers"]] for each in row["stacks"]]
            seen += n < len(wanted)
            if n < len(wanted) and got != [wanted[n][1:]]:
                wrong.append((n, len(got), [pair for each in got for pair in zip(each, wanted[n][1:]) if pair[0] != pair[1]][:1]))
        ok(not wrong and seen >= at_least and len(wanted) == 4000 and max(map(len, wanted)) > 900,
           f"{name}: of each object as the program sees it", (seen, wrong[:20]))


def test_free_lists(version, python):
    processes, _ = traced(python, [target("free_lists.py")])
    got = counts(processes[0], "free_lists.py")
    first, last = lines_between(target("free_lists.py"), "y = x * n", "return y")
    objects = {line: sum(count for kind, count in got[line].items() if kind != "(internal)")
               for line in range(first, last)}
    ok(all(count <= 2 for count in objects.values()),
       f"{version}: 10000 objects a line that come from free lists, or are never allocated, don't reach the allocator", objects)


# ---- Processes ----------------------------------------------------------------------------------------


def test_forks(version, python):
    processes, ran = traced(python, [target("forks.py")])
    same(ran.returncode, 0, f"{version}: forks.py runs")
    made = [sum(line.get("Noted", 0) for line in counts(process, "forks.py").values()) for process in processes]
    same(sorted(made), [300, 1000, 2000], f"{version}: parent and forked children have reports of their own")
    same(sorted(process["forked"] for process in processes), [False, True, True], f"{version}: which say what they are")


def test_children(version, python):
    """Programs that the program starts."""
    code = ("import subprocess, sys\n"
            "subprocess.run([sys.executable, '-c', 'kept = [bytearray(1) for _ in range(123)]'], check=True)\n"
            "subprocess.run(['/bin/sh', '-c', 'exit 0'], check=True)\n")
    processes, ran = traced(python, ["-c", code])
    same(ran.returncode, 0, f"{version}: a program that starts others runs")
    made = sorted(sum(row["count"] for row in process["rows"]
                      if row["file"] == "<string>" and row["type"] == "bytearray") for process in processes)
    same(made[-1:], [123], f"{version}: a Python that is started is reported as well")


def test_passing_through(version, python):
    code = "import sys; data = sys.stdin.read(); print(data.upper()); print('to stderr', file=sys.stderr); sys.exit(7)"
    plain = run([python, "-c", code], b"from stdin")
    _, ran = traced(python, ["-c", code], stdin=b"from stdin")
    same((ran.stdout, ran.stderr, ran.returncode), (plain.stdout, plain.stderr, 7),
         f"{version}: stdin, stdout, stderr and exit status pass through")
    processes, ran = traced(python, ["-c", "import os, signal; x = [bytearray(1) for _ in range(321)]; "
                                           "os.kill(os.getpid(), signal.SIGKILL)"])
    same(ran.returncode, 128 + signal.SIGKILL, f"{version}: the status of a killed program is 128 and the signal")
    same([counts(process, "<string>")[1].get("bytearray") for process in processes], [321],
         f"{version}: and it is reported all the same")
    processes, ran = traced(python, ["-c", "raise SystemExit('why')"])
    same((ran.returncode, b"why" in ran.stderr), (1, True), f"{version}: an exception ends as it does")


def test_descriptors(version, python):
    code = "import os; print(sorted(map(int, os.listdir('/dev/fd')))[:-1], os.open('/dev/null', 0))"
    plain = run([python, "-c", code])
    _, ran = traced(python, ["-c", code])
    same(ran.stdout, plain.stdout, f"{version}: no descriptor is the program's but its own")


def test_allocators(version, python):
    for name, arguments, more in (("PYTHONMALLOC=malloc", [], {"PYTHONMALLOC": "malloc"}),
                                  ("PYTHONMALLOC=debug", [], {"PYTHONMALLOC": "debug"}),
                                  ("PYTHONDEVMODE=1", [], {"PYTHONDEVMODE": "1"}), ("-X dev", ["-X", "dev"], {})):
        processes, ran = traced(python, [*arguments, target("counts.py")], **more)
        got = counts(processes[0], "counts.py")
        line, kinds = next((line, kinds) for line, kinds in expected(target("counts.py")).items() if "Slots" in kinds)
        same({kind: got[line].get(kind) for kind in kinds}, kinds, f"{version}: {name}: exact as well")
        ok(any("PYTHONMALLOC" in note for note in processes[0]["notes"]), f"{version}: {name}: and told",
           processes[0]["notes"])


BRIEF_ALLOCATORS = {  # under the first, memory that has ended is not there any more, or has something else in it
    "mmap": {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_PERTURB_": "85"},
    "PYTHONMALLOC=malloc": {"PYTHONMALLOC": "malloc", "MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_PERTURB_": "85"},
    "PYTHONMALLOC=debug": {"PYTHONMALLOC": "debug", "MALLOC_MMAP_THRESHOLD_": "4096"},
}


def test_brief(version, python):
    """Blocks that end while their type is awaited: never read afterwards, and counted as what they are."""
    path = target("brief.py")
    for name, more in BRIEF_ALLOCATORS.items():
        for options in ([], ["--rate", "0.05"], *([["--stacks"], ["--rate", "0.001"]] if name == "mmap" else [])):
            processes, ran = traced(python, ["-S", path], options, HEAPTAP_GUEST_SEED="3", **more)
            called = f"{version}: brief.py, {' '.join([name, *options])}"
            same((ran.returncode, ran.stdout.split(b"\n")[0], ran.stderr), (0, b"300", b""), f"{called}: runs as without heaptap")
            if options:
                continue
            check_sums(version, called, processes[0])
            got = counts(processes[0], "brief.py")
            for line, kinds in expected(path).items():
                same({kind: n for kind, n in got[line].items() if n}, kinds, f"{called}:{line}")
    for code in ("bytearray(200000)", "for _ in range(50): b = bytearray(200000); b += bytes(10)",
                 "import io; io.BytesIO(bytes(300000)).read()", "next(bytearray(200000) for _ in [1])"):
        for options in [], ["--rate", "0.01"]:
            _, ran = traced(python, ["-c", code], options)
            same((ran.returncode, ran.stderr), (0, b""), f"{version}: {' '.join(options)} -c {code!r}")


def test_threads_without_lock(version, python):
    processes, _ = traced(python, ["-c", "pass"])
    ok(any(row["file"] == "<no GIL>" and row["count"] for row in processes[0]["rows"]),
       f"{version}: what is allocated without the lock has a row of its own")


# ---- Real programs ----------------------------------------------------------------------------------------


def compare(name, command, stdin=b"", at_least=1000):
    """Same output and status as without heaptap; what heaptap reports is not nothing."""
    plain = run(command, stdin)
    processes, ran = traced(command[0], command[1:], stdin=stdin)
    same((ran.returncode, ran.stdout == plain.stdout, without_times(ran.stderr)),
         (plain.returncode, True, without_times(plain.stderr)), f"{name}: same output and status")
    ok(processes and processes[0]["recorded"] >= at_least, f"{name}: recorded", [p["recorded"] for p in processes])


def without_times(text):
    return re.sub(rb"in [0-9.]+s", b"in _s", text)


def test_programs(version, python):
    rows = [{"id": n, "name": f"name {n}", "tags": ["a", str(n)], "nested": {"x": n / 7, "y": None}} for n in range(9000)]
    compare(f"{version}: python -m json.tool", [python, "-m", "json.tool"], json.dumps(rows).encode(), 100000)
    compare(f"{version}: json.tool on what is no JSON", [python, "-m", "json.tool"], b"{]")
    if run([python, "-m", "pip", "--version"]).returncode == 0:
        compare(f"{version}: pip --version", [python, "-m", "pip", "--version"])
    compare(f"{version}: pydoc", [python, "-m", "pydoc", "heapq"])
    if run([python, "-c", "import test.test_heapq"]).returncode == 0:
        compare(f"{version}: the standard library's test of heapq", [python, "-m", "unittest", "test.test_heapq"])


# ---- Traces and samples ----------------------------------------------------------------------------------


def test_trace(version, python):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t.ctf")
        processes, ran = traced(python, [target("counts.py")], ["-o", trace])
        same(ran.returncode, 0, f"{version}: -o t.ctf")
        line, kinds = next((line, kinds) for line, kinds in expected(target("counts.py")).items() if "Derived" in kinds)
        info = json.loads(run([HEAPTAP, "info", "--json", trace]).stdout)
        same(re.findall(rb"language *= *Python", run([HEAPTAP, "info", trace]).stdout), [b"language = Python"],
             f"{version}: ... which names its language, once for all heaps")
        folded = run([HEAPTAP, "flamegraph", "--folded", trace]).stdout.decode()
        ok(re.search(r"make.*;Derived \d+$", folded, re.M), f"{version}: the trace has the type as its last frame",
           folded)
        same(info["allocated"]["objects"], sum(row["count"] + row["resized"] for row in processes[0]["rows"]),
             f"{version}: and all that the table counts, resized blocks as new ones")
        for command in (["hotspots"], ["stats"], ["dump"], ["flamegraph"], ["top"], ["pprof", "-o", folder + "/t.pb.gz"]):
            ran = run([HEAPTAP, *command, trace])
            same((ran.returncode, ran.stderr), (0, b""), f"{version}: {command[0]} reads it")
        got = counts(processes[0], "counts.py")
        same({kind: got[line].get(kind) for kind in kinds}, kinds, f"{version}: and the table is exact beside it")


def test_traces_of_several(version, python):
    """Programs that are started, and the one that takes the place of this one, leave each other's traces alone."""
    started = "x = [bytearray(300) for _ in range(77)]"
    code = (f"import os, subprocess, sys\nkept = [bytearray(1000) for _ in range(100)]\n"
            f"subprocess.run([sys.executable, '-S', '-c', {started!r}])\nkept += [bytearray(2000) for _ in range(50)]\n"
            f"os.execv(sys.executable, [sys.executable, '-S', '-c', {started!r}])")
    with tempfile.TemporaryDirectory() as folder:
        processes, ran = traced(python, ["-S", "-c", code], ["-o", os.path.join(folder, "t.ctf")])
        same((ran.returncode, ran.stderr), (0, b""), f"{version}: -o of a program that starts others")
        same(len(processes), 2, f"{version}: ... two reports: who takes the place of a process is in its own")
        names = sorted(os.listdir(folder), key=len)
        pids = sorted(process["pid"] for process in processes)
        same((names[0], sorted(names[1:])), ("t.ctf", [f"t.{pid}.ctf" for pid in sorted(set(pids), key=str)]),
             f"{version}: ... three traces")
        sizes = []
        for name in names:
            folded = run([HEAPTAP, "flamegraph", "--folded", "--weight", "objects", os.path.join(folder, name)])
            sizes.append(sum(int(line.split()[-1]) for line in folded.stdout.decode().splitlines()
                             if re.match(r"<module>;(<listcomp>;)?bytearray ", line)))
        same(sizes, [150, 77, 77], f"{version}: ... with all objects in each, the last before exec too")


def test_samples(version, python):
    """With a rate, the estimate is near: 3000 samples, so within a tenth but for one run in ten million."""
    code = "kept = [bytearray(8000) for _ in range(3000)]"
    processes, ran = traced(python, ["-c", code], ["--rate", "0.001"], HEAPTAP_GUEST_SEED="1",
                            PYTHONHASHSEED="0")
    size = sum(row["bytes"] for row in processes[0]["rows"] if row["file"] == "<string>")
    ok(abs(size - 3000 * 8057) < 2400000, f"{version}: sampled bytes are near the true ones", size)

    path = target("samples.py")
    settings = {"HEAPTAP_GUEST_SEED": "7", "PYTHONHASHSEED": "0"}
    for options in [], ["--stacks"]:
        (process, *_), ran = traced(python, ["-S", path], ["--rate", "0.02", *options], **settings)
        name = f"{version}: {' '.join(['--rate', *options])}:"
        same((ran.returncode, ran.stderr), (0, b""), f"{name} the program runs")
        small = next(n for n, text in enumerate(open(path, encoding="utf-8"), 1) if "# small" in text)
        instances = next(n for n, text in enumerate(open(path, encoding="utf-8"), 1) if "# instances" in text)
        got = counts(process, "samples.py")
        ok(291_000 < got[small]["str"] < 309_000, f"{name} small blocks are drawn beside large ones", got[small])
        ok(7600 < sum(n for kind, n in got[instances].items() if kind.startswith("Class")) < 8400,
           f"{name} instances of classes that come and go", got[instances])
        same({kind for kind in got[instances] if kind.startswith("Class")}, {f"Class{i}" for i in range(7)},
             f"{name} ... have their names")
        pairs = {(row["file"], row["line"]) for row in process["rows"] if (row["file"] or "").startswith("chunk")}
        ok(len(pairs) > 30 and all(line - int(file[5:]) in (1, 2) for file, line in pairs),
           f"{name} code that comes and goes has its own lines", sorted(pairs))
        row = next(row for row in process["rows"] if row["line"] == small and row["type"] == "str")
        same((row["live"], row["freed"]), (0, row["count"]), f"{name} ends are seen")


def announced_rows(process):
    """What was announced, by comment of its line: [count, live, live bytes, resized]."""
    texts = open(target("announced.py"), encoding="utf-8").read().splitlines()
    return {(texts[row["line"] - 1].partition("# ")[2] if row["line"] else row["file"], row["type"]):
            [row["count"], row["live"], row["live_bytes"], row["resized"]]
            for row in process["rows"] if row["type"] in ("(announced)", "(numpy data)")}


def test_announced(version, python):
    wanted = {("kept 6 of 10", "(numpy data)"): [10, 5, 5000, 0],
              ("resized", "(numpy data)"): [0, 1, 5000, 1],
              ("<no GIL>", "(announced)"): [1, 1, 300, 0]}
    for options in (), ("--stacks",):
        processes, ran = traced(python, [target("announced.py")], options)
        name = " ".join([f"{version}: announced memory", *options])
        same((ran.stdout, ran.returncode), (b"True\n", 0), f"{name}: the interpreter's answers come back")
        same(announced_rows(processes[0]), wanted, f"{name}: each block is recorded, once")
    callers = [[[caller["function"] for caller in stack["callers"]] for stack in row["stacks"]]
               for row in processes[0]["rows"] if row["type"] == "(numpy data)"]
    same(callers, [[["<module>"]]] * 2, f"{version}: announced memory: who called")
    check_sums(version, "announced.py", processes[0])
    ran = run([python, target("announced.py")])
    same(ran.stdout, b"True\n", f"{version}: announced memory: as without heaptap")


def limited(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def test_limited(version, python):
    """Of a limit on address space, nearly all is the program's, whoever sets it, and whatever is kept."""
    path, wanted = target("limited.py"), expected(target("limited.py"))
    for megabytes in 100, 300, 500, 1000:
        for name, words, more in ((f"setrlimit, {megabytes} MB", [path, str(megabytes)], {}),
                                  (f"ulimit -v, {megabytes} MB", [path], {"preexec_fn": limited(megabytes)})):
            for options in [], ["--stacks"], ["--rate", "0.01"]:
                processes, ran = traced(python, words, options, **more)
                called = f"{version}: {' '.join([name, *options])}"
                same((ran.returncode, ran.stdout, ran.stderr), (0, b"20000 kept\n", b""), f"{called}: runs as without heaptap")
                if "--rate" in options:
                    continue
                got = counts(processes[0], "limited.py")
                same([{kind: got[line].get(kind) for kind in kinds} for line, kinds in wanted.items()], list(wanted.values()),
                     f"{called}: exact as well")
                check_sums(version, called, processes[0])


def test_numpy(version, python):
    make = "import numpy\nkept = numpy.zeros(1000000), numpy.empty(1000000)\nfor i in range(5):\n    numpy.empty(100000)\n"
    if run([python, "-c", "import numpy"]).returncode:
        ok(True, f"{version}: NumPy's data # SKIP no NumPy (python3-numpy) is here")
        return
    for options, slack in ((), 0), (("--rate", "0.001"), 1000000):
        processes, _ = traced(python, ["-c", make], options)
        got = {row["line"]: row for row in processes[0]["rows"] if row["file"] == "<string>" and row["type"] == "(numpy data)"}
        name = " ".join([f"{version}: NumPy's data", *options])
        ok(abs(got[2]["live_bytes"] - 16000000) <= slack, f"{name}: two arrays of 8 MB are live", got[2])
        ok(abs(got[4]["bytes"] - 4000000) <= slack and got[4]["live"] == 0, f"{name}: five of 800 kB came and went", got[4])


def test_start(version, python):
    """What Python does to start is told apart from the program, whatever way that is run."""
    code = "kept = [object() for _ in [None] * 5000]"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kept.py")
        with open(path, "w", encoding="utf-8") as script:
            script.write(code)
        for words in ([path], ["-c", code], ["-S", path], ["-X", "frozen_modules=off", path]):
            (process, *_), _ = traced(python, words)
            rows = process["rows"]
            own = sum(row["count"] - row.get("start_count", 0) for row in rows)
            name = f"{version}: the start of Python, {' '.join(words[:-1]) or 'a script'}:"
            ok(5000 <= own < 6500, f"{name} the program's work is without it", own)
            same(sum(row.get("start_count", 0) for row in rows), process["recorded_at_start"], f"{name} rows add up to it")
            same([row["start_count"] for row in rows if row["type"] == "object" and row["count"] >= 5000
                  and "start_count" in row], [], f"{name} the program's lines have none of it")
        for expected, status in ("5000", 0), ("100", 1):
            ran = run([HEAPTAP, "memtracer", "-q", "--expect", expected, "--", python, path])
            same(ran.returncode, status, f"{version}: --expect={expected} counts the program's work alone")


TESTS = (test_start, test_announced, test_limited, test_numpy, test_counts, test_oracle, test_stacks, test_free_lists, test_forks, test_children, test_passing_through,
         test_descriptors, test_allocators, test_brief, test_threads_without_lock, test_programs, test_trace, test_traces_of_several,
         test_samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", metavar="PATH")
    parser.add_argument("tests", nargs="*", metavar="TEST")
    arguments = parser.parse_args()
    pythons = {os.path.basename(arguments.python): arguments.python} if arguments.python else find_pythons()
    if not pythons:
        print("1..0 # SKIP no CPython from 3.11 to 3.13 is here")
        return 0
    for version, python in pythons.items():
        for test in TESTS:
            if not arguments.tests or test.__name__ in arguments.tests:
                test(version, python)
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
