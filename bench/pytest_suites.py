#!/usr/bin/env python3
"""What the pytest plugin costs, and whether it changes what tests say, on the test suites of Debian's packages.

    bench/pytest_suites.py BUILD [--runs N] [--before BUILD] [--suite PACKAGE]...

Fetches the source packages by apt's own Debian mirror into a temporary folder, which it removes; nothing is installed.  Each suite
runs without the plugin, with it and nothing recorded, with all tests recorded, and with all tests held to limits that all keep
(heaptap_limit and heaptap_objects); with --before also recorded by another build's plugin.  The variants take turns.  Figures are processor time,
user and system, of the whole run with all its children, the least of the runs.  Then it compares the verdicts of each test.

Needs python3-pytest, and the mirror."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# The package, its tests and where its modules are, and what its suite needs: Debian's packages, which need not be installed.
SUITES = [
    ("toolz", "toolz", ".", []),
    ("sortedcontainers", "tests", ".", []),
    ("jinja2", "tests", "src", ["python3-markupsafe"]),
]
PYTHON = "/usr/bin/python3"


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, capture_output=True, **options).stdout


def mirror():
    """Where apt has the package lists of this Debian, and which release it is."""
    lines = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Origin: Debian", "Component: main").split("\n")
    uri, release = next(line.split() for line in lines if line and "-security" not in line)
    return uri.rstrip("/"), release


def source_list(folder):
    """An apt of its own, which knows sources."""
    uri, release = mirror()
    folder.mkdir()
    (folder / "sources").write_text(f"deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {uri} {release} main\n")
    (folder / "lists" / "partial").mkdir(parents=True)
    options = ["-o", f"Dir::Etc::SourceList={folder}/sources", "-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::State::Lists={folder}/lists",
               "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", "-o", "APT::Sandbox::User=root"]
    run("apt-get", *options, "update")
    return options


def fetch(folder, options, package, needed):
    """The unpacked sources of a package, and a folder of the modules that its tests need."""
    place = folder / package
    place.mkdir()
    run("apt-get", *options, "source", "--download-only", package, cwd=place)
    run("dpkg-source", "-x", *[str(path) for path in place.glob("*.dsc")], "sources", cwd=place)
    modules = place / "modules"
    for name in needed:
        run("apt-get", "-o", "APT::Sandbox::User=root", "download", name, cwd=place)
    for path in place.glob("*.deb"):
        run("dpkg-deb", "-x", str(path), str(modules))
    return place / "sources", modules / "usr/lib/python3/dist-packages"


def verdicts(path):
    """{test: passed, failed, ...} of a JUnit file."""
    said = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        said[f"{case.get('classname')}.{case.get('name')}"] = kinds[0] if kinds else "passed"
    return said


class Suite:
    def __init__(self, place, modules, tests, source):
        self.place, self.tests = place, tests
        self.path = [str(place / source), str(modules)]

    def time(self, folder, variant, build, options):
        """Processor time, and the verdicts."""
        junit = folder / "junit.xml"
        path = [str(build[0])] * (variant != "without") + self.path
        environment = dict(os.environ, PYTHONPATH=":".join(path), HEAPTAP=str(build[1]), PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
        plugin = [] if variant == "without" else ["-p", "heaptap_pytest"]
        before = os.times()
        done = subprocess.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options, f"--junit-xml={junit}",
                               "-o", "junit_family=xunit1", self.tests],
                              cwd=self.place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        after = os.times()
        if not junit.exists() or done.returncode not in (0, 1):
            sys.exit(f"{self.place}: {variant}: {done.stdout[-2000:]}")
        return after.children_user + after.children_system - before.children_user - before.children_system, verdicts(junit)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, help="a build of another state, whose source is its parent folder")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--suite", action="append", help="only this package's; can be given again")
    options = parser.parse_args()

    def of(build):
        build = build.resolve()
        return build.parent / "bindings/python", build / "src/cli/heaptap"

    variants = [("without", options.build, []), ("idle", options.build, []), ("recorded", options.build, ["--heaptap"]),
                ("limits", options.build, ["-o", "heaptap_limit=4 GB", "-o", "heaptap_objects=1000000000"])]
    if options.before:
        variants.append(("before", options.before, ["--heaptap"]))
    sys.stdout.reconfigure(line_buffering=True)
    print(time.strftime("%Y-%m-%d"), f"{os.cpu_count()} cores,", run(PYTHON, "-V").strip() + ",", run(PYTHON, "-m", "pytest", "--version").strip())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        apt = source_list(folder / "apt")
        for package, tests, source, needed in SUITES:
            if options.suite and package not in options.suite:
                continue
            place, modules = fetch(folder, apt, package, needed)
            suite = Suite(place, modules, tests, source)
            least, said = {}, {}
            for _ in range(options.runs):
                for variant, build, words in variants:
                    spent, said[variant] = suite.time(folder, variant, of(build), words)
                    least[variant] = min(spent, least.get(variant, spent))
            plain = said["without"]
            print(f"\n{package}: {len(plain)} tests, {sum(one == 'passed' for one in plain.values())} pass")
            for variant, _, _ in variants:
                extra = 1000 * (least[variant] - least["without"]) / len(plain)
                changed = [test for test in plain if said[variant].get(test) != plain[test]]
                print(f"  {variant:9} {least[variant]:7.2f} s  {extra:+7.2f} ms a test  {len(changed)} other verdicts", *changed[:3])


if __name__ == "__main__":
    main()
