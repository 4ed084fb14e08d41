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
import tempfile

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, SOURCE + "/tests/helpers")
from holders_dump import Dump  # noqa: E402
from tap import check as tell, end  # noqa: E402

HEAPTAP, PRELOAD = os.environ["HEAPTAP"], os.environ["PRELOAD"]
DEADLINE_S = 120
folder = tempfile.mkdtemp()
os.chdir(folder)


def check(passed, name, detail=""):
    tell(name, passed, detail)


def compile_it(compiler, name, out, *more):
    subprocess.run([compiler, "-O1", "-g", "-w", "-pthread", *more, "-o", out, f"{SOURCE}/tests/targets/{name}"], check=True)


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE_S, check=False, text=True, **more)


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
run("./graph", env=os.environ | {"LD_PRELOAD": PRELOAD, "MEMTRACE": folder + "/dump.ctf", "HEAPTAP_ALL": "1", "HEAPTAP_HOLDERS": "1"})
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

# ---- Cost
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
check(usage.ru_maxrss > 0 and answer["snapshot"]["still_us"] < 5e6, "the program stands still for a moment", f"{answer['snapshot']}")
end()
