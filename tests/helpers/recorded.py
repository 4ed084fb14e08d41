"""What tests share that compile a program of tests/targets and look at what heaptap says of its recording: they run in a folder of
their own, and print TAP."""
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
