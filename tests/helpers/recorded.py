"""What tests share that compile a program of tests/targets and look at what heaptap says of its recording: they run in a folder of
their own, and print TAP."""
import glob
import os
import subprocess
import tempfile

from tap import check as tell, end  # noqa: F401

SOURCE, HEAPTAP = os.environ["SOURCE"], os.environ["HEAPTAP"]
DEADLINE_S = 120
os.chdir(tempfile.mkdtemp())


def check(passed, name, detail=""):
    tell(name, passed, detail)


def compile_it(compiler, name, out, *more):
    subprocess.run([compiler, "-O1", "-g", "-w", "-pthread", *more, "-o", out, f"{SOURCE}/tests/targets/{name}"], check=True)


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE_S, check=False, text=True, **more)


def versions_of_python():
    """Interpreters whose lines can be recorded, one of each version."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))]:
        told = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])") if os.access(path, os.X_OK) else None
        if told and told.stdout.strip() in ("3.11", "3.12", "3.13"):
            found.setdefault(told.stdout.strip(), path)
    return found
