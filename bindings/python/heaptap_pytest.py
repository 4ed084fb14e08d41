"""A pytest plugin: tests keep to limits of memory, by heaptap.

    @pytest.mark.heaptap(limit="20 MB", leaks="0")
    def test_load(): ...

A marked test is recorded while its function runs: every block that Python's allocators give, with its stack.  Then
`heaptap check` is asked whether the limits hold; if not, the test fails, with the lines that allocate most.

    limit, peak   bytes, the most that is alive at once        leaks   bytes, what is left when the test returns
    allocated     bytes, all that the test allocates           objects how many blocks it allocates

`pytest --heaptap` records all tests and lists the heaviest; `--heaptap-dir DIR` keeps the recordings, one for each test,
which every command of heaptap reads.

What a test does in other threads counts; what it does in other processes does not."""
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


def amount(measure, value):
    if measure == "objects":
        return str(round(value))
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1024 or unit == "TB":
            return f"{value:.0f} B" if unit == "B" else f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"
        value /= 1024


# ---- heaptap itself --------------------------------------------------------------------


def find_heaptap():
    named = os.environ.get("HEAPTAP")
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 3, "bin", "heaptap")
    for path in (named, beside, shutil.which("heaptap")):
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


class Recorder:
    """The adapter in this process.  `why` says why it can't record; None if it can."""

    def __init__(self):
        self.heaptap = find_heaptap()
        self.why = self.load()

    def load(self):
        if not self.heaptap:
            return "heaptap was not found: put it on PATH, or its path into the variable HEAPTAP"
        path = find_adapter(self.heaptap)
        if not path:
            return f"libheaptap-python.so was not found beside {self.heaptap}"
        try:
            self.library = ctypes.PyDLL(path)
        except OSError as error:
            return str(error)
        self.library.heaptap_python_prepare.restype = ctypes.c_char_p
        self.library.heaptap_python_begin.restype = ctypes.c_char_p
        self.library.heaptap_python_end.restype = None
        return self.text(self.library.heaptap_python_prepare())

    @staticmethod
    def text(sentence):
        return sentence.decode() if sentence else None

    def record(self, function, fixtures, folder, trace, name, limits):
        """Calls the function of a test of this name.  What is allocated for the call itself is none of the test's: so its arguments go in a
        tuple that is there already, wherever they can."""
        begin, end = self.library.heaptap_python_begin, self.library.heaptap_python_end
        positional, named = as_positional(function, fixtures)
        directory, path = os.fsencode(folder), os.fsencode(trace)
        name = name.encode(errors="replace")
        budgets = "; ".join(f"{measure} <= {limit}" for measure, limit in limits.items()).encode(errors="replace")
        gc.collect()
        why = begin(directory, path)
        if why:
            pytest.fail(f"nothing can be recorded: {self.text(why)}", pytrace=False)
        try:
            if named:
                function(**named)
            else:
                function(*positional)
        finally:
            end(name, budgets)

    def check(self, trace):
        """What `heaptap check` says of a test's trace."""
        ran = subprocess.run([self.heaptap, "check", "--tests", "--json", "--", trace], capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            raise ValueError(ran.stderr.strip())
        return json.loads(ran.stdout)


# ---- Limits ----------------------------------------------------------------------------


def limits_of(item):
    """The limits of a test's marker, {measure: text}; None without a marker.  The innermost of several counts."""
    mark = item.get_closest_marker("heaptap")
    if not mark:
        return None
    unknown = [name for name in mark.kwargs if name not in LIMITS]
    if mark.args or unknown:
        what = f"{unknown[0]}=" if unknown else "a value without a name"
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.heaptap doesn't take {what}: "
                                f"it takes {', '.join(f'{name}=' for name in LIMITS)}")
    return {LIMITS[name]: str(value) for name, value in mark.kwargs.items()}


def message(item, broken, trace):
    lines = []
    for budget in broken:
        measure = budget["measure"]
        lines.append(f"{item.name}: {MEASURES[measure]}: {amount(measure, budget['measured'])}, "
                     f"over its limit of {amount(measure, budget['limit'])}")
        for site in budget["sites"]:
            function, _, place = site["name"].rpartition(" ")
            lines.append(f"    {amount(measure, site['value']):>8}  {place}  {function}")
    if trace:
        lines.append(f"recorded in {trace}")
    return "\n".join(lines)


# ---- The plugin ------------------------------------------------------------------------


class Plugin:
    def __init__(self, config):
        self.recorder = Recorder()
        self.records_all = config.getoption("--heaptap")
        self.kept = config.getoption("--heaptap-dir")
        self.measured = []  # of each test that was recorded: its name, and its figures by measure
        if self.kept:
            os.makedirs(self.kept, exist_ok=True)
        if self.records_all and self.recorder.why and "HEAPTAP_GUEST_DIR" not in os.environ:
            raise pytest.UsageError(f"--heaptap: {self.recorder.why}")

    def trace_name(self, folder, item):
        if not self.kept:
            return os.path.join(folder, "test.ctf")
        stem = re.sub(r"[^A-Za-z0-9.]+", "-", item.nodeid).strip("-.")
        if len(stem) > 120:
            stem = f"{stem[:100]}-{hashlib.sha256(item.nodeid.encode()).hexdigest()[:12]}"
        return os.path.join(self.kept, f"{stem}.ctf")

    def pytest_collection_modifyitems(self, items):
        for item in items:
            limits_of(item)  # a marker that is wrong is told before any test has run

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        limits = limits_of(pyfuncitem)
        function = pyfuncitem.obj
        is_recorded = "HEAPTAP_GUEST_DIR" in os.environ  # all of the run, by `heaptap memtracer`
        if (limits is not None or self.records_all) and not is_recorded and not inspect.iscoroutinefunction(function):
            pyfuncitem.obj = self.recorded(pyfuncitem, limits or {})
        yield
        pyfuncitem.obj = function

    def recorded(self, item, limits):
        """The test's function, recorded and judged."""
        function = item.obj

        @functools.wraps(function)
        def heaptap_test(**fixtures):
            if self.recorder.why:
                pytest.fail(f"{item.name} has a limit, and nothing can be recorded: {self.recorder.why}", pytrace=False)
            with tempfile.TemporaryDirectory(prefix="heaptap-") as folder:
                trace = self.trace_name(folder, item)
                self.recorder.record(function, fixtures, folder, trace, item.nodeid, limits)
                self.judge(item, trace)

        return heaptap_test

    def judge(self, item, trace):
        why = None
        try:
            said = self.recorder.check(trace)
        except ValueError as error:
            why = str(error)
        if why:
            pytest.fail(f"{item.name}: {why}", pytrace=False)
        # These go where reports go: to the process that prints the summary, and into --junit-xml.
        item.user_properties += [(f"heaptap-{measure}", round(said["tests"][0][key])) for measure, key in FIGURES.items()]
        broken = [budget for budget in said["budgets"] if budget["verdict"] == "broken"]
        if broken:
            pytest.fail(message(item, broken, trace if self.kept else None), pytrace=False)

    def pytest_runtest_logreport(self, report):
        figures = {name[8:]: value for name, value in report.user_properties if name.startswith("heaptap-")}
        if report.when == "call" and figures:
            self.measured.append((report.nodeid, figures))

    def pytest_terminal_summary(self, terminalreporter):
        if not self.records_all or not self.measured:
            return
        heaviest = sorted(self.measured, key=lambda test: -test[1]["peak"])[:HEAVIEST]
        terminalreporter.section(f"heaptap: the heaviest of {len(self.measured)} tests, by peak")
        terminalreporter.write_line(f"{'PEAK':>8} {'ALLOCATED':>9} {'BLOCKS':>8} {'LEFT':>8}  TEST")
        for name, figures in heaviest:
            terminalreporter.write_line(
                f"{amount('peak', figures['peak']):>8} {amount('allocated', figures['allocated']):>9} "
                f"{figures['objects']:>8} {amount('live-at-end', figures['live-at-end']):>8}  {name}")


def pytest_addoption(parser):
    group = parser.getgroup("heaptap")
    group.addoption("--heaptap", action="store_true", help="record the memory of all tests, and list the heaviest")
    group.addoption("--heaptap-dir", metavar="DIR", help="keep the recordings of tests in DIR, for `heaptap`")


def pytest_configure(config):
    config.addinivalue_line("markers", "heaptap(limit, peak, allocated, leaks, objects): the test keeps to limits of "
                                       "memory, such as limit=\"20 MB\", leaks=\"0\"")
    config.pluginmanager.register(Plugin(config), "heaptap-tests")
