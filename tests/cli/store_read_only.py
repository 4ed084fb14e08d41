#!/usr/bin/python3
"""A store that may be read and not written: its file, its folder, or both; closed well, or left behind by a server that was killed.
Whoever runs this may write everywhere, as root does: so the reader is another user then.  Prints TAP."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from serving import HEAPTAP, Server  # noqa: E402
from tap import check, end  # noqa: E402

NOBODY = 65534
TOTAL = 1000
folder = tempfile.TemporaryDirectory()
os.chmod(folder.name, 0o755)
os.chdir(folder.name)
program = shutil.copy(HEAPTAP, "heaptap")  # others may not reach the build's folder


def become_another():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def run(*arguments):
    return subprocess.run([os.path.abspath(program), *arguments], capture_output=True, text=True, check=False, preexec_fn=become_another,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, HOME="/nonexistent"))


def make(name, is_killed):
    os.mkdir(name)
    server = Server("--store", f"{name}/a b%.db")
    server.post("/profiles?service=api&version=1", profile({("malloc", "main"): (10, TOTAL)}))
    server.post("/profiles?service=api&version=2", profile({("calloc", "work"): (10, TOTAL)}))
    server.end(signal.SIGKILL if is_killed else signal.SIGTERM)
    return f"{name}/a b%.db"


def forbid(name, what):
    for path in pathlib.Path(name).iterdir():
        path.chmod(0o444 if what != "folder" else 0o644)
        if what == "folder" and os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    os.chmod(name, 0o777 if what == "file" else 0o555)


for what, state in [("file", "closed"), ("folder", "closed"), ("both", "closed"), ("both", "killed"), ("both", "copied")]:
    name = f"{what}-{state}"
    store = make(name, state != "closed")
    if state == "copied":  # without what readers and writers share
        os.unlink(store + "-shm")
    before = {path.name: path.read_bytes() for path in pathlib.Path(name).iterdir()}
    forbid(name, what)
    questions = [["top", f"store:{store}"], ["fleet", "store", "check", store]]
    if what == "both":
        questions += [["fleet", "services", f"store:{store}", "--through", "main"], ["timeline", f"store:{store}"],
                      ["fleet", "regressions", f"store:{store}", "version=1", f"store:{store}", "version=2"]]
    for arguments in questions:
        done = run(*arguments)
        check(f"{what} not to be written, {state}: {' '.join(arguments[:2])}", done.returncode in (0, "regressions" in arguments) and done.stderr == "", done)
    done = run("fleet", "store", "check", store)
    check("... all of it", done.stdout.startswith(f"{store}: 2 profiles of 2 series, "), done)
    pathlib.Path("new.pb").write_bytes(profile({("malloc",): (1, 1)}))
    for arguments in ["add", store, "new.pb"], ["prune", "--keep", "1d", store]:
        done = run("fleet", "store", *arguments)
        sentence = f"heaptap fleet store: {store}: this store can only be read here: there is no permission to write to "
        check(f"... {arguments[0]}: one sentence", done.returncode == 3 and done.stderr.startswith(sentence) and done.stderr.count("\n") == 1, done)
    if what == "both":
        after = {path.name: path.read_bytes() for path in pathlib.Path(name).iterdir()}
        check("... nothing has changed", {path: data for path, data in after.items() if not path.endswith("-shm")} ==
              {path: data for path, data in before.items() if not path.endswith("-shm")}, sorted(after))
        done = run("fleet", "serve", "--store", store, "--listen", "127.0.0.1:0")
        check("... serve says it, too", done.returncode == 3 and "can only be read here" in done.stderr, done)
    os.chmod(name, 0o755)
done = run("top", "store:nothing.db")
check("what is not there is not made", done.returncode == 3 and not os.path.exists("nothing.db"), done)

# ---- A new one is its owner's
os.umask(0)
for name, made in [("init", lambda: subprocess.run([HEAPTAP, "fleet", "store", "init", "own.db"], check=True, capture_output=True)),
                   ("serve", lambda: Server("--store", "own.db").end())]:
    made()
    check(f"{name}: a new store is its owner's alone", os.stat("own.db").st_mode & 0o777 == 0o600, oct(os.stat("own.db").st_mode))
    os.unlink("own.db")
end()
