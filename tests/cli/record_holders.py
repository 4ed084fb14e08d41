"""heaptap record --holders and heaptap holders: planted programs, where each block's holder is known; what the program sees of the
snapshot; and retained sizes against what is out of reach without a root or a site, computed from another snapshot of the same
program."""
import collections
import fcntl
import json
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from holders_dump import Dump  # noqa: E402
from recorded import DEADLINE_S, HEAPTAP, check, compile_it, end, run  # noqa: E402

PRELOAD = os.environ["PRELOAD"]


def holders(file, *options):
    return json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "100", "--roots", "10000", file, *options).stdout)


compile_it("g++", "holders.cc", "planted")

# ---- What the program sees
plain = run("./planted")
recorded = run(HEAPTAP, "record", "--holders", "-q", "-o", "planted.ctf", "./planted")
check((recorded.returncode, recorded.stdout) == (plain.returncode, plain.stdout) == (7, "-1 1\n"),
      "status and output are the program's; no SIGCHLD comes, and wait() finds no child", f"{recorded} {plain}")
check(recorded.stderr == "", "nothing is said", recorded.stderr)
check(not os.path.exists("planted.ctf.holders"), "the snapshot is in the trace, and not beside it")
pipe = subprocess.run(f"{HEAPTAP} record --holders -q -o piped.ctf ./planted | cat", shell=True, stdout=subprocess.PIPE,
                      timeout=DEADLINE_S, check=False)
check(pipe.stdout == b"-1 1\n", "a reader of the program's pipe comes to its end")

# ---- Stacks are the program's: those of a recording without holders, whose main has no caller of the recorder's
def stacks(program, *options):
    run(HEAPTAP, "record", "-q", *options, "-o", "stacks.ctf", program)
    return sorted(run(HEAPTAP, "flamegraph", "--folded", "--lines", "-w", "objects", "stacks.ctf", "libraries=show").stdout.splitlines())


def same_stacks(name, program):
    wanted = stacks(program, "--all")
    check(any("main (" in line for line in wanted), f"{name}: stacks have main", wanted)
    for options in (["--holders"], ["--holders", "--rate", "1"], ["--holders-every", "1h"]):
        found = stacks(program, *options)
        check(found == wanted, f"{name}, {' '.join(options)}: stacks are those of a recording without holders", set(found) ^ set(wanted))
    check(not any("main_with_holders" in line for line in stacks(program, "--holders", "--callstack-size", "4")),
          f"{name}: nor has a cut stack the recorder's frame")


with open("unloads.c", "w", encoding="utf-8") as source:
    source.write("""#include <dlfcn.h>
#include <stdlib.h>
void *volatile kept[9];
static void once(int i) { kept[i] = malloc(100 + i); }
int main(void)
{
    for (int i = 0; i < 4; i++)
        once(i);
    void *library = dlopen("./unloaded.so", RTLD_NOW);
    dlclose(library);
    for (int i = 4; i < 8; i++)
        once(i);
    kept[8] = malloc(1000);
    return 0;
}
""")
subprocess.run(["cc", "-shared", "-fPIC", "-o", "unloaded.so", f"{os.environ['SOURCE']}/tests/targets/recorded_plugin.c"], check=True)
subprocess.run(["cc", "-O0", "-g", "-o", "unloads", "unloads.c", "-ldl"], check=True)
same_stacks("a program", "./planted")
same_stacks("one that unloads a library", "./unloads")

# ---- Planted blocks
answer = holders("planted.ctf")
sites = collections.defaultdict(list)
for site in answer["sites"]:
    sites[site["function"]].append(site)


def paths_of(function):
    return sorted((path for site in sites[function] for path in site["paths"]), key=lambda path: -path["bytes"])


PLANTED = {  # function: kind and name of the root, and types on the way to its heaviest blocks
    "fill_book": ("global", "shop::book", ["std::map node", "std::vector", "Order"]),
    "fill_numbers": ("global", "numbers", ["std::list node"]),
    "fill_words": ("global", "words", [None, "std::unordered_map table", "std::unordered_map node", "std::string"]),
    "fill_codes": ("global", "codes", ["std::set node"]),
    "fill_seen": ("global", "seen", ["std::unordered_set table", "std::unordered_set node"]),
    "fill_chain": ("global", "chain", [None]),
    "fill_members": ("global", "members", [None]),
    "keep_second_base": ("global", "second_base", ["Derived"]),
    "keep_tagged": ("global", "tagged", [None]),
    "keep_middle": ("global", "middle", [None]),
    "keep_in_union": ("global", "either", [None]),
    "keep_static": ("global", "keep_static()::inside", [None, "std::vector"]),
    "keep_own": ("thread-local", "mine", [None, "std::vector", "Order"]),
}
for function, (kind, name, types) in PLANTED.items():
    steps = paths_of(function)[0]["steps"] if paths_of(function) else []
    found = (steps[0]["kind"], steps[0].get("name"), [step.get("type") for step in steps[1:]]) if steps else None
    check(found == (kind, name, types), f"{function}: held by {name}", f"{found}")
check(all(site["lost_bytes"] == 0 for function in PLANTED for site in sites[function]), "nothing of these is lost")
check(answer["sites"] and paths_of("keep_in_arena")[0]["steps"][0]["kind"] == "mapping", "a block in an arena is held by a mapping")
first = paths_of("fill_words")[0]["steps"]
check([step.get("line") is not None for step in first] == [True] * len(first), "each step has a line", f"{first}")
check(paths_of("fill_book")[0]["blocks"] == 80 and any(path["steps"][-1].get("type") == "Special" and path["blocks"] == 20
                                                        for path in paths_of("fill_book")), "classes are told apart by their vtables")
held = paths_of("hold_on_stack")[0]["steps"][0]
check(held["kind"] == "stack", "a block on a thread's stack", f"{held}")
held = paths_of("hold_own")[0]["steps"][0]
check((held["kind"], held["name"]) == ("thread-local", "mine"), "a block of another thread's own variable", f"{held}")
held = [path["steps"][0] for path in paths_of("main") if path["bytes"] == 9999]
check(held and held[0]["kind"] == "stack", "a block on the main stack", f"{held}")
if os.uname().machine == "x86_64":
    check(held[0]["name"].startswith("main, planted, ") and held[0]["file"].endswith("holders.cc") and held[0]["line"] > 200,
          "of the function that is under way there", f"{held}")
    held = paths_of("hold_on_stack")[0]["steps"][0]
    check(held["name"].startswith("hold_on_stack, planted, "), "and of that of another thread", f"{held}")

LOST = {"lose_blocks": (60, 60000), "lose_rings": (14, None), "lose_chain": (9, 9 * 128)}
for function, (blocks, size) in LOST.items():
    found = (sum(site["lost_blocks"] for site in sites[function]), sum(site["lost_bytes"] for site in sites[function]))
    check(found[0] == blocks and size in (None, found[1]), f"{function}: {blocks} blocks are lost", f"{found}")
lost = {function for function, of in sites.items() if any(site["lost_blocks"] for site in of)}
check(lost == set(LOST), "nothing else is", f"{lost}")
text = run(HEAPTAP, "holders", "planted.ctf").stdout
check("shop::book (global, holders.cc:" in text and " -> std::map node (fill_book, holders.cc:" in text, "text has the ways in words", text)
book = [root for root in answer["roots"] if root["name"] == "shop::book"][0]
check(book["bytes"] == book["retained_bytes"] == sum(site["bytes"] for site in sites["fill_book"]), "a root retains what it alone holds",
      f"{book}")
ring = paths_of("lose_rings")[0]
check(ring["root_kind"] == "lost", "a ring that nothing holds has a way, too", f"{ring}")

# ---- The filter, and other commands
chain = holders("planted.ctf", "focus=fill_chain")
check([site["function"] for site in chain["sites"]] == ["fill_chain"] and chain["snapshot"]["blocks"] == 40,
      "a filter chooses blocks by their stacks", f"{chain['snapshot']}")
refused = run(HEAPTAP, "holders", "planted.ctf", "size>=4k")
check(refused.returncode == 2 and "clauses about sizes" in refused.stderr, "a clause about sizes is refused", refused.stderr)
for command in (["file", "convert", "--compress", "zstd", "-o", "x.ctf.zst"], ["file", "symbolize", "-o", "x.ctf.gz"]):
    run(HEAPTAP, *command, "planted.ctf")
    check(holders(command[-1])["snapshot"] == answer["snapshot"], f"{command[1]} keeps what holds blocks")
run(HEAPTAP, "record", "--all", "-q", "-o", "without.ctf", "./planted")
refused = run(HEAPTAP, "holders", "without.ctf")
check(refused.returncode == 2 and "`heaptap record --holders`" in refused.stderr, "a trace without a snapshot is refused", refused.stderr)
for options in (["-o", "x.pb.gz"], ["--every", "1s", "-o", "x"]):
    refused = run(HEAPTAP, "record", "--holders", *options, "true")
    check(refused.returncode == 2, f"--holders and {options[0]} exclude each other", refused.stderr)

# ---- Where no copy of the process can be made
run("sh", "-c", f"ulimit -u 0; exec {HEAPTAP} record --holders -q -o limited.ctf ./planted") if os.getuid() else None
limited = run(HEAPTAP, "record", "--holders", "-q", "-o", "killed.ctf", "sh", "-c", "kill -9 $$")
check(limited.returncode == 137 and "ended without a snapshot" in limited.stderr, "a program that was killed leaves none", limited.stderr)

# ---- Retained sizes
compile_it("gcc", "holders_graph.c", "graph")
run(HEAPTAP, "record", "--holders", "-q", "-o", "graph.ctf", "./graph")
run("./graph", env=os.environ | {"LD_PRELOAD": PRELOAD, "MEMTRACE": os.getcwd() + "/dump.ctf", "HEAPTAP_ALL": "1", "HEAPTAP_HOLDERS": "1"})
with open("dump.ctf.holders", "rb") as file:
    fcntl.flock(file, fcntl.LOCK_SH)  # until it is whole
dump = Dump("dump.ctf.holders")
base = min(int(line.split("-")[0], 16) for line in dump.maps.splitlines() if line.endswith("/graph"))
variables = {}
for line in run("nm", "graph").stdout.splitlines():
    address, _, name = line.rpartition(" ")
    if name.startswith("root_"):
        variables[base + int(address.split()[0], 16)] = name
roots = collections.defaultdict(set)
for _, _, place, block in dump.roots:
    roots[variables.get(place, "other")].add(block)


def reached(starts, without=frozenset()):
    seen, todo = set(), [block for block in starts if block not in without]
    while todo:
        block = todo.pop()
        if block in seen:
            continue
        seen.add(block)
        todo += [to for _, to in dump.blocks[block].edges if to not in seen and to not in without]
    return seen


def size_of(blocks):
    return sum(dump.blocks[block].size for block in blocks)


every = set(range(len(dump.blocks)))
alive = reached(set().union(*roots.values()))
led_to = {to for block in every - alive for _, to in dump.blocks[block].edges}
heads = every - alive - led_to
while rest := every - alive - reached(heads):
    heads |= {min(rest)}
answer = holders("graph.ctf")
check(answer["snapshot"]["blocks"] == len(dump.blocks) and answer["snapshot"]["lost_blocks"] == len(every - alive),
      "both snapshots are alike", f"{answer['snapshot']} {len(dump.blocks)} {len(every - alive)}")
told = {root["name"]: root["retained_bytes"] for root in answer["roots"]}
for name in sorted(set(variables.values())):
    others = set().union(heads, *(blocks for other, blocks in roots.items() if other != name))
    check(told.get(name, 0) == size_of(every - reached(others)), f"{name} retains what is out of reach without it",
          f"{told.get(name)} {size_of(every - reached(others))}")
starts = set().union(heads, *roots.values())
for kind in range(6):
    own = {number for number, block in enumerate(dump.blocks) if block.size == 40 + 16 * kind}
    found = sum(site["retained_bytes"] for site in answer["sites"] if site["function"] == f"make_{kind}")
    wanted = size_of(set().union(*(every - reached(starts, {block}) for block in own)))
    check(found == wanted, f"make_{kind} retains what is out of reach without one of its blocks", f"{found} {wanted}")

# ---- A long way: all of it where programs read it, both its ends where people do, whose table it would make wide
with open("chain.c", "w", encoding="utf-8") as source:
    source.write("#include <stdlib.h>\nvoid **head;\n")
    for i in range(12):
        source.write(f"__attribute__((noinline)) void **make_the_link_with_a_long_name_{i}(void) {{ return calloc(1, {100 + i}); }}\n")
    source.write("int main(void)\n{\n    head = make_the_link_with_a_long_name_0();\n    void **last = head;\n")
    source.write("".join(f"    last = *last = make_the_link_with_a_long_name_{i}();\n" for i in range(1, 12)) + "    return 0;\n}\n")
subprocess.run(["cc", "-O1", "-g", "-o", "chain", "chain.c"], check=True)
run(HEAPTAP, "record", "--holders", "-q", "-o", "chain.ctf", "./chain")
long_way = max((path["through"] for site in holders("chain.ctf")["sites"] for path in site["paths"]), key=len)
check(long_way.startswith("head (global") and all(f"long_name_{i} " in long_way for i in range(12)), "JSON has all of a long way", long_way)
text = run(HEAPTAP, "holders", "-n", "0", "chain.ctf").stdout
check(max(map(len, text.splitlines())) < 180 and "head (global" in text, "text has its ends", text)
text = run(HEAPTAP, "holders", "-n", "0", "--full-names", "chain.ctf").stdout
check(long_way in text, "... or all of it, with --full-names", text)

# ---- While it runs there is no snapshot yet
with open("waits.c", "w", encoding="utf-8") as source:
    source.write("#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n    for (int i = 0; i < 100; i++)\n        if (!malloc(1000))\n            return 1;\n"
                 "    puts(\"ready\");\n    fflush(stdout);\n    return getchar() == 'x';\n}\n")
subprocess.run(["cc", "-g", "-o", "waits", "waits.c"], check=True)
with subprocess.Popen([HEAPTAP, "record", "--holders", "-q", "-o", "waits.ctf", "./waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waits:
    waits.stdout.readline()
    asked = run(HEAPTAP, "holders", "waits.ctf")
    check(asked.returncode == 2 and "it has no snapshot: the program still runs, " in asked.stderr, "that it still runs is among the reasons", asked)
    waits.stdin.close()
    waits.wait(DEADLINE_S)
check(run(HEAPTAP, "holders", "waits.ctf").returncode == 0, "... and then there is one")

# ---- Cost
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
check(usage.ru_maxrss > 0 and answer["snapshot"]["still_us"] < 5e6, "the program stands still for a moment", f"{answer['snapshot']}")
end()
