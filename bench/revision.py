"""Another revision of heaptap, built beside: for benches that take turns with it."""
import contextlib
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGETS = "src/cli/heaptap", "src/record/libheaptap-preload.so"


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout.strip()


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
            run("ninja", "-C", build, *TARGETS)
            yield build
        finally:
            run("git", "-C", SOURCE, "worktree", "remove", "--force", tree)
