"""A pytest plugin: tests keep to limits of memory, by heaptap.

    @pytest.mark.heaptap(limit="20 MB", leaks="0")
    def test_load(): ...

A marked test is recorded while its function runs: every block that Python's allocators give, with its stack.  Then
`heaptap check` is asked whether the limits hold; if not, the test fails, with the lines that allocate most.

    limit, peak   bytes, the most that is alive at once        leaks   bytes, what is left when the test returns
    allocated     bytes, all that the test allocates           objects how many blocks it allocates

A limit may be a function of the test's arguments: limit=lambda count: 100 * count.  `heaptap_limit = 20 MB` in the ini file
holds for each test that has none of its own.

`pytest --heaptap` records all tests and lists the heaviest; `--heaptap-dir DIR` keeps the recordings, one for each test,
which every command of heaptap reads.

What a test does in other threads counts; what it does in other processes does not, and what it imports is told apart."""
import ctypes
import functools
import gc
import glob
import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import tempfile

import pytest

# What a marker may say, and the option of `heaptap check` for it.
LIMITS = {"limit": "peak", "peak": "peak", "allocated": "allocated", "leaks": "live-at-end", "objects": "objects"}
MEASURES = {"peak": "peak", "allocated": "allocated", "live-at-end": "left at the end", "objects": "blocks"}
# Where `heaptap check --tests` has a test's figures.
FIGURES = {"peak": "peak_bytes", "allocated": "allocated_bytes", "live-at-end": "left_bytes", "objects": "objects"}
HEAVIEST = 10
NOT_JUDGED = "heaptap-not-judged"  # the property of a test with limits where all of the run is recorded
# A full collection costs milliseconds.  Python makes one, perhaps within a test, once enough objects have grown old: so that
# it is not what tests before have left, one is made between tests, after so many.
TESTS_A_COLLECTION = 32


def amount(measure, value):
    if measure == "objects":
        return str(round(value))
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1024 or unit == "TB":
            return f"{value:.0f} B" if unit == "B" else f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"
        value /= 1024


# ---- heaptap itself --------------------------------------------------------------------


def find_heaptap():
    """The path that HEAPTAP has, whatever is there; else a program that is found, or None."""
    named = os.environ.get("HEAPTAP")
    if named:
        return os.path.realpath(named)
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 3, "bin", "heaptap")
    for path in (beside, shutil.which("heaptap")):
        if path and os.access(path, os.X_OK):
            return os.path.realpath(path)
    return None


def find_adapter(heaptap):
    """The library that goes into Python, beside the program as it is installed or built."""
    folder = os.path.dirname(heaptap)
    for place in ("../lib/*/heaptap", "../lib/heaptap", "../lib64/heaptap", "../tap/guest/python"):
        found = glob.glob(os.path.join(folder, place, "libheaptap-python.so"))
        if found:
            return found[0]
    return None


class Judge:
    """One `heaptap check` for the whole run: it gets the names of traces, and says of each what `check --tests` does."""

    def __init__(self, heaptap):
        self.command = [heaptap, "check", "--tests", "--format=jsonl", "--files-from=-"]
        self.process = None
        self.asker = None  # the process that talks to it: a fork has one of its own

    def ask(self, trace):
        """The answer, and what was wrong with the test or its trace; "" for nothing."""
        if self.asker != os.getpid() or self.process.poll() is not None:
            self.asker = os.getpid()
            self.complaints = tempfile.TemporaryFile()
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.complaints)
        before = os.fstat(self.complaints.fileno()).st_size
        self.process.stdin.write(os.fsencode(os.path.abspath(trace)) + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        size = os.fstat(self.complaints.fileno()).st_size - before
        why = os.pread(self.complaints.fileno(), size, before).decode(errors="replace").strip()
        said = json.loads(line) if line else {}
        if said.get("tests") and not said["tests"][0].get("refused"):
            return said, ""
        return said, re.sub(r"^heaptap check: [^:]*: ", "", why) or "heaptap check ended"

    def end(self):
        if self.asker == os.getpid():
            self.process.communicate()


class Recorder:
    """The adapter in this process.  `why` says why it can't record; None if it can."""

    def __init__(self):
        self.heaptap = find_heaptap()
        self.why = self.load()
        self.tests = 0  # that were recorded

    def load(self):
        if not self.heaptap:
            return "heaptap was not found: put it on PATH, or its path into the variable HEAPTAP"
        if not os.access(self.heaptap, os.X_OK):
            return f"the variable HEAPTAP says {self.heaptap}, which is no program that can be run"
        path = find_adapter(self.heaptap)
        if not path:
            return f"libheaptap-python.so was not found beside {self.heaptap}"
        try:
            library = ctypes.PyDLL(path)
        except OSError as error:
            return str(error)
        self.prepare, self.begin, self.stop, self.left, self.end = (
            getattr(library, f"heaptap_python_{name}") for name in ("prepare", "begin", "stop", "left", "end"))
        self.prepare.restype = self.begin.restype = ctypes.c_char_p
        self.stop.restype = self.end.restype = None
        self.left.restype = ctypes.c_uint64
        return self.text(self.prepare())

    @staticmethod
    def text(sentence):
        return sentence.decode() if sentence else None

    def refuses(self, limit):
        """Why a limit of the ini file is none; None if it is one."""
        measure, text = limit
        ran = subprocess.run([self.heaptap, "check", f"--max-{measure}={text}", "--", os.devnull],
                             capture_output=True, text=True)
        return ran.stderr.strip() if ran.returncode == 2 else None


def collections():
    """How many there were that may have made objects old."""
    return sum(generation["collections"] for generation in gc.get_stats()[1:])


# ---- A test that is recorded ------------------------------------------------------------


def as_positional(function, fixtures):
    """The arguments of a call as a tuple and none by name, if the function can be called so."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return (), fixtures
    if any(one.kind != one.POSITIONAL_OR_KEYWORD for one in parameters):
        return (), fixtures
    names = [one.name for one in parameters]
    return (tuple(fixtures.values()), {}) if names == list(fixtures) else ((), fixtures)


class Recording:
    """The function of a test, recorded when it is called, whoever calls it: pytest, unittest, or a plugin that runs coroutines.

    What is allocated for the call itself is none of the test's: so the arguments go in a tuple that is there already,
    wherever they can, and a coroutine is made beforehand."""

    def __init__(self, recorder, item, trace, limits):
        self.recorder = recorder
        self.item = item
        self.trace = trace
        self.limits = limits
        self.began = False  # it was called
        self.returned = False  # by itself: a test that fails is not held to its limits
        self.name = item.nodeid.encode(errors="replace")

    def budgets(self):
        return "; ".join(f"{measure} <= {limit}" for measure, limit in self.limits.items()).encode(errors="replace")

    def begin(self):
        path, begin = os.fsencode(self.trace), self.recorder.begin
        self.recorder.tests += 1
        gc.collect(2 if self.recorder.tests % TESTS_A_COLLECTION == 1 else 1)
        self.began, self.returned = True, False
        self.collections = collections()
        why = begin(path)
        if why:
            pytest.fail(f"nothing can be recorded: {self.recorder.text(why)}", pytrace=False)

    def end(self, budgets):
        self.recorder.stop()
        self.collect()
        self.recorder.end(self.name, budgets)

    def collect(self):
        """What the test has left is what no collection takes.  Its objects are young, unless they have become old within it; cycles
        with older objects are looked for where what is left is limited."""
        have_grown_old = collections() > self.collections
        if self.recorder.left():
            gc.collect(1)
        if self.recorder.left() and (have_grown_old or "live-at-end" in self.limits):
            gc.collect()

    def wrapped(self, function):
        budgets = self.budgets()

        @functools.wraps(function)
        def heaptap_test(*arguments, **fixtures):
            positional, named = (arguments, fixtures) if arguments else as_positional(function, fixtures)
            self.begin()
            try:
                result = function(*positional, **named) if named else function(*positional)
            finally:
                self.end(budgets)
            self.returned = True
            return result

        @functools.wraps(function)
        async def heaptap_coroutine(*arguments, **fixtures):
            coroutine = function(*arguments, **fixtures)
            try:
                self.begin()
            except BaseException:
                coroutine.close()
                raise
            try:
                result = await coroutine
            finally:
                self.end(budgets)
            self.returned = True
            return result

        return heaptap_coroutine if inspect.iscoroutinefunction(function) else heaptap_test


# ---- Limits ----------------------------------------------------------------------------


def mark_of(item):
    """The nearest marker: a parameter's own, else the function's, the class's or the module's."""
    of_parameters = [mark for mark in getattr(getattr(item, "callspec", None), "marks", ()) if mark.name == "heaptap"]
    return of_parameters[-1] if of_parameters else item.get_closest_marker("heaptap")


def said_twice(names):
    """Two names of one measure; None where each measure is limited once."""
    of = {}
    for name in names:
        if LIMITS.get(name) in of:
            return of[LIMITS[name]], name
        of[LIMITS.get(name, name)] = name
    return None


def complain(item):
    """Why a test's marker is none; None if it is one, or there is none."""
    mark = mark_of(item)
    unknown = [name for name in mark.kwargs if name not in LIMITS] if mark else []
    twice = said_twice(mark.kwargs) if mark else None
    if twice and not unknown:
        return f"{item.nodeid}: @pytest.mark.heaptap takes {twice[0]}= or {twice[1]}=, which limit the same, and not both"
    if not mark or not (mark.args or unknown):
        return None
    what = f"{unknown[0]}=" if unknown else "a value without a name"
    return (f"{item.nodeid}: @pytest.mark.heaptap doesn't take {what}: "
            f"it takes {', '.join(f'{name}=' for name in LIMITS)}")


def value_of(item, limit):
    """A limit's text; that of a function is what it says of the test's arguments."""
    if callable(limit):
        arguments = {**getattr(getattr(item, "callspec", None), "params", {}), **getattr(item, "funcargs", {})}
        wanted = inspect.signature(limit).parameters
        missing = [name for name in wanted if name not in arguments]
        if missing:
            pytest.fail(f"{item.name}: its limit asks for '{missing[0]}', which is none of its arguments", pytrace=False)
        limit = limit(**{name: arguments[name] for name in wanted})
    return None if limit is None else str(limit)


def limits_of(item, usual):
    """A test's limits, {measure: text}: the usual ones, and in their place those of its marker.  None is no limit."""
    mark = mark_of(item)
    own = {LIMITS[name]: value_of(item, value) for name, value in mark.kwargs.items()} if mark else {}
    return {measure: limit for measure, limit in {**usual, **own}.items() if limit is not None}


def message(item, broken, test, trace):
    lines = []
    for budget in broken:
        measure = budget["measure"]
        lines.append(f"{item.name}: {MEASURES[measure]}: {amount(measure, budget['measured'])}, "
                     f"over its limit of {amount(measure, budget['limit'])}")
        for site in budget["sites"]:
            function, _, place = site["name"].rpartition(" ")
            lines.append(f"    {amount(measure, site['value']):>8}  {place}  {function}")
    if test.get("imported_bytes"):
        lines.append(f"    {amount('allocated', test['imported_bytes']):>8}  allocated by imports in it, not counted")
    if trace:
        lines.append(f"recorded in {trace}")
    return "\n".join(lines)


def stem_of(nodeid):
    """A name for a test's recording, which no other test has: what does not stand for itself is told by a number."""
    if re.fullmatch(r"\w[\w./]*(::[\w.]+)*", nodeid, re.ASCII) and len(nodeid) <= 120:
        return nodeid.replace("::", "--").replace("/", "-")
    stem = re.sub(r"[^\w.]+", "-", nodeid, flags=re.ASCII).strip("-.")
    return f"{stem[:100]}-{hashlib.sha256(nodeid.encode(errors='surrogatepass')).hexdigest()[:12]}"


# ---- The plugin ------------------------------------------------------------------------


class Plugin:
    def __init__(self, config):
        self.recorder = Recorder()
        self.judge = Judge(self.recorder.heaptap)
        self.records_all = config.getoption("--heaptap")
        kept = config.getoption("--heaptap-dir")
        self.kept = os.path.abspath(kept) if kept else None  # a test may change the folder
        self.usual = {LIMITS[name]: config.getini(f"heaptap_{name}") for name in LIMITS if config.getini(f"heaptap_{name}")}
        self.measured = []  # of each test that was recorded: its name, and its figures by measure
        self.not_judged = 0  # tests with limits, where all of the run is recorded
        self.stems = {}  # of the recordings that are kept: how many of each
        self.folder = None  # of one that is not
        # All of the run is recorded, by `heaptap record` or `heaptap memtracer`, and tests are not.
        self.is_recorded = "HEAPTAP_GUEST_DIR" in os.environ
        each = getattr(config.option, "dist", "no") == "each" and getattr(config, "workerinput", None)
        self.worker = f"-{each['workerid']}" if each else ""
        if self.kept:
            try:
                os.makedirs(self.kept, exist_ok=True)
            except OSError as error:
                raise pytest.UsageError(f"--heaptap-dir {kept}: {error.strerror}") from error
        if not self.is_recorded:
            self.check_options(config)

    def check_options(self, config):
        asked = "--heaptap" if self.records_all else "heaptap_limit and its kin in the ini file" if self.usual else None
        if asked and self.recorder.why:
            raise pytest.UsageError(f"{asked}: {self.recorder.why}")
        twice = said_twice([name for name in LIMITS if config.getini(f"heaptap_{name}")])
        if twice:
            raise pytest.UsageError(f"in the ini file: heaptap_{twice[0]} or heaptap_{twice[1]}, which limit the same, and not both")
        for limit in self.usual.items():
            why = self.recorder.refuses(limit)
            if why:
                raise pytest.UsageError(f"in the ini file: {why}")

    def trace_name(self, item):
        if not self.kept:
            self.folder = self.folder or tempfile.mkdtemp(prefix="heaptap-")
            return os.path.join(self.folder, "test.ctf")
        stem = stem_of(item.nodeid) + self.worker
        self.stems[stem] = count = self.stems.get(stem, 0) + 1
        return os.path.join(self.kept, f"{stem}.ctf" if count == 1 else f"{stem}.{count}.ctf")  # a test can run again

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        is_judged = mark_of(item) or self.usual
        if self.is_recorded and is_judged:
            item.user_properties.append((NOT_JUDGED, True))
        if self.is_recorded or not (is_judged or self.records_all):
            yield
            return
        runtest = item.runtest
        item.runtest = functools.partial(self.run, item, runtest)
        yield
        del item.runtest

    def run(self, item, runtest):
        """A test, in place of its own runtest()."""
        why = complain(item)
        if why:
            pytest.fail(why, pytrace=False)
        limits = limits_of(item, self.usual)
        has_own = mark_of(item) is not None
        if not limits and not self.records_all:
            runtest()
            return
        if self.recorder.why:
            pytest.fail(f"{item.name} has a limit, and nothing can be recorded: {self.recorder.why}", pytrace=False)
        function = getattr(item, "obj", None)
        if not callable(function):
            if has_own:
                pytest.fail(f"{item.name} has a limit, and is no function that could be recorded", pytrace=False)
            runtest()
            return
        recording = Recording(self.recorder, item, self.trace_name(item), limits)
        # Pytest skips coroutines that no plugin runs: their limits would never be looked at.
        is_awaited = not has_own or not inspect.iscoroutinefunction(function)
        try:
            self.run_recorded(item, runtest, function, recording)
        except pytest.skip.Exception:
            if is_awaited or recording.began:
                raise
            is_awaited = None
        if is_awaited is None:
            pytest.fail(f"{item.name} has a limit, and nothing runs it: coroutines need a plugin, such as pytest-asyncio "
                        "or anyio, and its marker", pytrace=False)
        if recording.returned and not getattr(item, "_excinfo", None):  # unittest keeps a failure there
            self.decide(item, recording)
        elif has_own and not recording.began and not getattr(item, "_excinfo", None):
            pytest.fail(f"{item.name} has a limit, and ran in a way that can't be recorded", pytrace=False)

    @staticmethod
    def run_recorded(item, runtest, function, recording):
        case = getattr(item, "_testcase", None) or getattr(item, "instance", None)
        is_unittest = isinstance(item, pytest.Function) and hasattr(case, "assertEqual") and hasattr(case, "run")
        item.obj = recording.wrapped(function)
        if is_unittest:  # which looks for coroutines itself
            setattr(case, item.originalname or item.name, item.obj)
        try:
            runtest()
        finally:
            item.obj = function
            if is_unittest:
                vars(case).pop(item.originalname or item.name, None)

    def decide(self, item, recording):
        said, why = self.judge.ask(recording.trace)
        if why:
            pytest.fail(f"{item.name}: {why}", pytrace=False)
        test = said["tests"][0]
        # These go where reports go: to the process that prints the summary, and into --junit-xml.
        item.user_properties += [(f"heaptap-{measure}", round(test[key])) for measure, key in FIGURES.items()]
        if test.get("imported_bytes"):
            item.user_properties.append(("heaptap-imported", round(test["imported_bytes"])))
        broken = [budget for budget in said["budgets"] if budget["verdict"] == "broken"]
        if broken:
            pytest.fail(message(item, broken, test, recording.trace if self.kept else None), pytrace=False)

    def pytest_runtest_logreport(self, report):
        if report.when != "call":
            return
        figures = {name[8:]: value for name, value in report.user_properties if name.startswith("heaptap-")}
        if (NOT_JUDGED, True) in map(tuple, report.user_properties):
            self.not_judged += 1
        elif figures:
            self.measured.append((report.nodeid, figures))

    def pytest_unconfigure(self):
        self.judge.end()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter):
        if self.not_judged:
            terminalreporter.write_line(f"heaptap: the limits of {self.not_judged} test{'s' if self.not_judged > 1 else ''} were not judged, "
                                        "as all of the run is recorded: judge them without `heaptap record` or `memtracer`")
        if not self.records_all or not self.measured:
            return
        heaviest = sorted(self.measured, key=lambda test: -test[1]["peak"])[:HEAVIEST]
        terminalreporter.section(f"heaptap: the heaviest of {len(self.measured)} tests, by peak")
        terminalreporter.write_line(f"{'PEAK':>8} {'ALLOCATED':>9} {'BLOCKS':>8} {'LEFT':>8}  TEST")
        for name, figures in heaviest:
            terminalreporter.write_line(
                f"{amount('peak', figures['peak']):>8} {amount('allocated', figures['allocated']):>9} "
                f"{figures['objects']:>8} {amount('live-at-end', figures['live-at-end']):>8}  {name}")
        imported = [figures["imported"] for _, figures in self.measured if figures.get("imported")]
        if imported:
            terminalreporter.write_line(f"Not counted: {amount('allocated', sum(imported))} that imports allocated within "
                                        f"{len(imported)} test{'s' if len(imported) > 1 else ''}")


def pytest_addoption(parser):
    group = parser.getgroup("heaptap")
    group.addoption("--heaptap", action="store_true", help="record the memory of all tests, and list the heaviest")
    group.addoption("--heaptap-dir", metavar="DIR", help="keep the recordings of tests in DIR, for `heaptap`")
    for name, measure in LIMITS.items():
        parser.addini(f"heaptap_{name}", f"limit of memory of each test that has none of its own: {MEASURES[measure]}")


def pytest_configure(config):
    config.addinivalue_line("markers", "heaptap(limit, peak, allocated, leaks, objects): the test keeps to limits of "
                                       "memory, such as limit=\"20 MB\", leaks=\"0\"")
    config.pluginmanager.register(Plugin(config), "heaptap-tests")
