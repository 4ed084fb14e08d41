"""Recordings of every kind, for tests/cli/round.py: recorded, made by hand, and other profilers'."""
import glob
import os
import re
import subprocess
import tarfile

SOURCE = os.environ["SOURCE"]
PROGRAMS = SOURCE + "/tests/targets"
PYTHON = """
kept = []
def make(n):
    return [object() for _ in range(n)]
for i in range(30):
    kept.append(make(i))
del kept[5:]
"""
LUA = """
local kept = {}
local function make(n) local t = {} for i = 1, n do t[i] = {i} end return t end
for i = 1, 30 do kept[i] = make(i) end
for i = 5, 30 do kept[i] = nil end
collectgarbage()
"""
CHURN = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noinline)) static void *make(int n) { return memset(malloc(n), 1, n); }
__attribute__((noinline)) static void *grow(void *block, int n) { return realloc(block, n); }
static void work(int rounds)
{
    void *volatile kept[64] = {0};
    void *grown = NULL;
    for (int i = 0; i < rounds; i++) {
        free(kept[i % 64]);
        kept[i % 64] = make(100 + i % 37);
        if (i % 50 == 0)
            grown = grow(grown, 10 * (i + 1));
    }
    for (int i = 0; i < 60; i++)
        free(kept[i]);
    free(grown);
}
int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    if (strcmp(how, "fork") == 0)
        for (int i = 1; i < 4; i++)
            if (fork() == 0) {
                work(100 * i);
                _exit(0);
            }
    work(atoi(argv[1]));
    while (wait(NULL) > 0)
        ;
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "exec") == 0)
        execl(argv[0], argv[0], argv[1], NULL);
    return 0;
}
"""
# Of other profilers' formats: how many files of the fuzzers' corpus, the largest that are read, of plain text
# and no larger than this.
LARGEST = 20_000
FOREIGN = {"dhat": 2, "folded": 2, "heaptrack": 2, "jemalloc": 2, "legacy": 2, "massif": 2, "memtracer_table": 2, "speedscope": 2, "v8": 2}
# What can be recorded of a program: its arguments and options.
RECORDED = {
    "exact": (["./churn", "1000"], ["--all"]),
    "sampled": (["./churn", "20000"], ["--rate=0.01"]),
    "nothing": (["./churn", "0"], ["--all"]),
    "by default": (["./churn", "24000"], []),
    "processes": (["./churn", "300", "fork"], ["--all"]),
    "killed": (["./churn", "1000", "kill"], ["--all"]),
    "ends by exec": (["./churn", "1000", "exec"], ["--all", "--no-follow"]),
    "stopped by size": (["./churn", "100000"], ["--all", "--max-size=50k"]),
    "holders": (["./graph"], ["--all", "--holders"]),
    "tests": (["./limits"], ["--all"]),
    "threads": ([os.environ.get("TARGETS", "") + "/recorded", "threads"], ["--all"]),
    "Python": (["/usr/bin/python3", "-I", "-S", "made.py"], ["--all"]),
    "Lua": (["lua5.4", "made.lua"], ["--all"]),
    "profile": (["./churn", "1000"], ["--all", ".pb.gz"]),
    "profile of a sample": (["./churn", "20000"], ["--rate=0.01", ".pb.gz"]),
}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def compiled():
    write("churn.c", CHURN)
    for compiler, name, out in (("gcc", "churn.c", "churn"), ("gcc", f"{PROGRAMS}/holders_graph.c", "graph"), ("gcc", f"{PROGRAMS}/limits/limits.c", "limits")):
        subprocess.run([compiler, "-O1", "-g", "-w", "-fno-builtin-malloc", "-pthread", f"-I{SOURCE}/include", name, "-o", out], check=True)
    write("made.py", PYTHON)
    write("made.lua", LUA)


def recorded(heaptap):
    compiled()
    for name, (command, options) in RECORDED.items():
        end = options[-1] if options[-1:] == [".pb.gz"] else ".ctf"
        options = [option for option in options if option != end]
        folder = "of " + name
        os.mkdir(folder)
        subprocess.run([heaptap, "record", "-q", *options, "-o", f"{folder}/%e.%p{end}", "--", *command], stdout=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        files = glob.glob(f"{folder}/*")
        assert files, f"nothing is recorded: {name}"
        yield name, files[0] if len(files) == 1 else folder


def made():
    for maker, kinds in (("MAKE_TRACE", ["empty", "domains", "metadata", "promoted", "odd"]), ("MAKE_STORY", [""])):
        for kind in kinds:
            name = kind or "story"
            with open(f"made-{name}.ctf", "wb") as file:
                subprocess.run([os.environ[maker], *kind.split()], stdout=file, check=True)
            yield name, f"made-{name}.ctf"
    for path in sorted(glob.glob(f"{SOURCE}/tests/golden/valid/*.ctf")):
        if os.path.getsize(path) < 500_000:
            yield os.path.basename(path), path


def foreign(heaptap):
    for name, most in FOREIGN.items():
        with tarfile.open(f"{SOURCE}/fuzz/corpus/{name}.tar.xz") as archive:
            members = sorted((member for member in archive.getmembers() if member.isfile() and member.size < LARGEST), key=lambda member: -member.size)
            taken = 0
            for member in members:
                path, content = f"{name}-{taken}", archive.extractfile(member).read()
                with open(path, "wb") as file:
                    file.write(content)
                if not re.search(rb"[^\t\n -~]", content) and subprocess.run([heaptap, "info", path], capture_output=True, check=False).returncode == 0:
                    yield path, path
                    taken += 1
                if taken == most:
                    break


def whole(heaptap):
    if not os.environ["SANITIZED"]:
        yield from recorded(heaptap)
    yield from made()
    yield from foreign(heaptap)


def cut(name, path):
    """The file, as far as two thirds."""
    path_of_it = f"cut-{re.sub('[^a-zA-Z0-9-]', '-', name)}"
    with open(path, "rb") as file, open(path_of_it, "wb") as to:
        to.write(file.read(os.path.getsize(path) * 2 // 3))
    return path_of_it


def inputs(heaptap):
    """Each kind's name and file, or its folder of files; and whether the file is cut."""
    for name, path in whole(heaptap):
        yield name, path, False
        if os.path.isfile(path) and not path.startswith(SOURCE):
            yield f"{name}, cut", cut(name, path), True
