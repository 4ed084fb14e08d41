"""What record --json says where nothing was recorded, or not everything: never that it is complete; and the status is the program's.  Prints TAP."""
import json
import os
import resource
import shutil
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, compile_it, end, run  # noqa: E402
from small_disk import SmallDisk  # noqa: E402

CHILDREN = 12
here = os.getcwd()
with open("blocks.c", "w", encoding="utf-8") as file:
    file.write('#include <stdlib.h>\n#include <unistd.h>\nint main(int count, char **arguments)\n{\n    void *volatile block;\n    for (int i = 0; i < 1000; i++)\n'
               '        block = malloc(100 + i);\n    (void)count, (void)block, (void)arguments;\n    return 7;\n}\n')
for options in ((), ("-static",)):
    name = "static" if options else "blocks"
    run("cc", "-O0", *options, "-o", name, "blocks.c")
os.environ["TMPDIR"] = here + "/own"
os.mkdir("own")


def record(*words, **more):
    return run(HEAPTAP, "record", "--no-symbols", "--all", *words, **more)


def is_lacking(done, word):
    """Not complete, and it is said why."""
    answer = json.loads(done.stdout)
    return answer["complete"] is False and word in answer.get("lacks", "") and word in done.stderr


def limited(kind, number):
    return {"preexec_fn": lambda: resource.setrlimit(kind, (number, number))}


# ---- Nothing is recorded ----------------------------------------------------------------------------

for name, word, words, more in (
        ("a static program", "linked statically", ("-o", "x.ctf", "--", "./static"), {}),
        ("... as a profile", "linked statically", ("-o", "x.pb.gz", "--", "./static"), {}),
        ("/dev/full", "No space left", ("-o", "/dev/full", "--", "./blocks"), {}),
        ("a file that may have no bytes", "too large", ("-o", "x.ctf", "--", "./blocks"), limited(resource.RLIMIT_FSIZE, 1024)),
        ("few open files", "open files", ("-o", "x.ctf", "--", "./blocks"), limited(resource.RLIMIT_NOFILE, 12)),
        ("... as a profile", "open files", ("-o", "x.pb.gz", "--", "./blocks"), limited(resource.RLIMIT_NOFILE, 12)),
        ("so few that heaptap has none left", "open files", ("-o", "x.ctf", "--", "./blocks"), limited(resource.RLIMIT_NOFILE, 5))):
    done = record("--json", *words, **more)
    check(is_lacking(done, word), f"{name}: not complete", f"{done}")
    check(done.returncode == 7, f"{name}: the status is the program's", f"{done}")
    check(not [name for name in os.listdir(".") if name.startswith("x.") and os.path.getsize(name) == 0], f"{name}: nothing empty is left", f"{os.listdir('.')}")
shutil.copy("blocks", "other")
if os.getuid() == 0:
    os.chown("other", 65534, 65534)
    os.chmod("other", 0o4755)
    check(is_lacking(record("--json", "-o", "x.ctf", "--", "./other"), "set-user-ID"), "a program that is set-user-ID: not complete")
answer = json.loads(record("--json", "-o", "x.ctf", "--", "true").stdout)
check(answer["complete"] is True and "lacks" not in answer, "a program without a block: complete", f"{answer}")

# ---- Profiles on a full disk ------------------------------------------------------------------------

disk = SmallDisk(here + "/disk", 1)
if not disk.is_there:
    check(True, "a full disk # SKIP nothing can be mounted here")
    end()
    sys.exit(0)
try:
    disk.fill()
    tree = f"for i in $(seq {CHILDREN}); do ./blocks & done; wait; exit 3"
    done = record("--json", "-o", "disk/tree.pb.gz", "--", "sh", "-c", tree)
    check(is_lacking(done, "more profiles: No space left on device"), "profiles of many processes on a full disk: not complete", f"{done}")
    check(done.returncode == 3, "... the status is the program's", f"{done}")
    check(done.stderr.count("\n") == 2, "... two lines for all of them", done.stderr)
    check(os.listdir("disk") == ["filler"], "... and no file is left", f"{os.listdir('disk')}")
    done = record("--json", "-o", "disk/one.pb.gz", "--", "./blocks")
    check(is_lacking(done, "one.pb.gz: No space left on device"), "one profile: the same", f"{done}")
    check(done.stderr.count("earlier recordings") == 1 and done.stderr.count("\n") == 3, "... and of those of before one line", done.stderr)
    done = record("-o", "x.pb.gz", "--", "./blocks")
    check(done.stderr.count("earlier recordings") == 1, "a recording elsewhere: one line", done.stderr)
    check("exact\n" in done.stderr, "... and its own answer is as always", done.stderr)
    disk.clear()
    done = record("--json", "-o", "x.pb.gz", "--", "./blocks")
    left = sorted(os.listdir("disk"))
    check(done.stderr == "" and json.loads(done.stdout)["complete"] is True, "there is room again: nothing is left to say", f"{done}")
    check(len([name for name in left if name.startswith("tree")]) >= CHILDREN and "one.pb.gz" in left, "... all profiles are saved", f"{left}")
    check(all(run(HEAPTAP, "info", "disk/" + name).returncode == 0 for name in left), "... and can be read")
finally:
    disk.end()
end()
