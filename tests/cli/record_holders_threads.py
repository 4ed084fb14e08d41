"""heaptap record --holders of threads that have ended: their stacks, which glibc keeps for the next ones, hold nothing but what a thread
returned that nobody has joined.  What threads hold that wait is theirs, also where their stacks lie side by side, or in a mapping of
the program's own."""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, compile_it, end, run, tell  # noqa: E402

COUNT = 4


def sites_of(options, *program):
    run(HEAPTAP, "record", "-q", "--holders", *options, "-o", "x.ctf", *program)
    answer = json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "100", "--roots", "10000", "x.ctf").stdout)
    sites = collections.defaultdict(list)
    for site in answer["sites"]:
        sites[site["function"]].append(site)
    return sites, answer["roots"]


def blocks_of(sites, function):
    """How many it has, and how many of these are lost."""
    of = sites.get(function, [])
    return sum(site["blocks"] for site in of), sum(site["lost_blocks"] for site in of)


def first_steps(sites, function):
    return [path["steps"][0] for site in sites.get(function, []) for path in site["paths"]]


if os.uname().machine != "x86_64":
    tell("where threads have their stacks is known on x86-64 alone # SKIP", True)
    end()

LOST = {
    "lose_joined": "what a thread was begun with that was joined",
    "lose_exited": "... that has called pthread_exit",
    "lose_given_back": "... and has returned it",
    "lose_detached": "... that was detached",
    "lose_unjoined": "... that nobody has joined, but returned something else",
    "lose_on_large": "... that had a large stack",
    "lose_unguarded": "... whose stack had no guard",
    "lose_again": "a block where one was that a thread was begun with",
}
KEPT = {
    "keep_returned": (COUNT, "what a thread returned that nobody has joined"),
    "keep_waiting": (COUNT, "what a thread has that waits"),
    "keep_unguarded": (COUNT, "... whose stack has no guard"),
    "keep_given": (COUNT, "what lies in memory of the program's own that was a stack"),
    "keep_beside": (2 * COUNT, "what lies beside a stack in a mapping of the program's own"),
}
compile_it("gcc", "holders_threads.c", "threads")
wanted = {function: (COUNT, COUNT, f"{name} is lost") for function, name in LOST.items()} | {
    function: (count, 0, f"{name} is held") for function, (count, name) in KEPT.items()}
for options in (["--all"], ["--rate", "1"]):
    for function, (count, lost, name) in wanted.items():
        sites, _ = sites_of(options, "./threads", function)
        found = blocks_of(sites, function)
        check(found == (count, lost), f"{' '.join(options)}: {name}", f"{function} {found} {first_steps(sites, function)}")

# ---- std::thread: what a variable has is that variable's alone
with open("vectors.cc", "w", encoding="utf-8") as source:
    source.write("""#include <cstdlib>
#include <thread>
#include <vector>
std::vector<void *> kept;
__attribute__((noinline)) void work(int number) { free(malloc(40 + number)); }
__attribute__((noinline)) void keep() { kept.push_back(new std::vector<int>(3000)); }
int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    keep();
}
""")
subprocess.run(["g++", "-g", "-O1", "-pthread", "-o", "vectors", "vectors.cc"], check=True)
sites, roots = sites_of(["--all"], "./vectors")
steps = first_steps(sites, "keep")
check(steps and all(step.get("name") == "kept" for step in steps), "std::thread: a vector is held by its variable", f"{steps}")
retained = {root["name"]: root["retained_bytes"] for root in roots}
check(retained.get("kept", 0) >= 12000, "... which retains it", f"{retained}")
end()
