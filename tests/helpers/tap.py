"""What the checks in this folder share: results in TAP, and the real `go tool pprof` to agree with."""
import os
import shutil
import subprocess
import sys

number = failures = 0


def check(name, passed, detail=""):
    global number, failures
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {name}", flush=True)
    if not passed:
        failures += 1
        print("# " + str(detail).replace("\n", "\n# "))


def end():
    """Ends the script, with status 1 if a check failed."""
    print(f"1..{number}")
    sys.exit(1 if failures else 0)


def need_go():
    if not shutil.which("go"):
        print("1..0 # SKIP there is no go tool pprof (package golang-go)")
        sys.exit(0)


def starter(folder):
    """A function that runs a command, with what it leaves behind in `folder`, and gives what became of it."""
    environment = dict(os.environ, HOME=folder, PPROF_TMPDIR=folder, TZ="UTC")

    def start(*arguments):
        return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=environment)
    return start


def runner(folder):
    """The same; it gives the output."""
    start = starter(folder)
    return lambda *arguments: start(*arguments).stdout
