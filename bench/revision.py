"""Another revision of heaptap, built beside: for benches that take turns with it."""
import contextlib
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDER = "libheaptap-preload.so"


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout.strip()


def preload_of(build):
    """The recorder of a build, which stands elsewhere in older revisions."""
    for folder in "tap/record", "record":
        path = os.path.abspath(os.path.join(build, "src", folder, RECORDER))
        if os.path.exists(path):
            return path
    return sys.exit(f"{build} has no {RECORDER}: build it first")


def full_name(revision):
    return run("git", "-C", SOURCE, "rev-parse", "--verify", revision + "^{commit}")


@contextlib.contextmanager
def built(revision):
    """A folder in which that revision is built as this one is by default; it is gone afterwards."""
    commit = full_name(revision)
    with tempfile.TemporaryDirectory(prefix="heaptap-revision-") as directory:
        tree, build = os.path.join(directory, "tree"), os.path.join(directory, "build")
        run("git", "-C", SOURCE, "worktree", "add", "--detach", tree, commit)
        try:
            run("meson", "setup", build, tree)
            run("meson", "compile", "-C", build, "heaptap:executable", "heaptap-preload")
            yield build
        finally:
            run("git", "-C", SOURCE, "worktree", "remove", "--force", tree)
