"""heaptap record --holders on programs in C, C++ and Rust whose blocks have known holders: the root that holds what a function has
allocated comes first."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, SOURCE, end, run, tell  # noqa: E402


FRAME = os.uname().machine == "x86_64"  # functions of threads are known

# Of each program: functions, with the kind and name of the root that holds what they allocate, and the least of bytes.
PLANTED = {
    "C": ("holders_planted.c", {
        "fill_cache": ("global", "cache", 300 * 60), "add_listeners": ("global", "listeners", 50 * 300), "grow": ("global", "tree", 127 * 100),
        "add_members": ("global", "members", 30 * 208), "fill_pool": ("global", "pool", 16000), "set_values": ("global", "values", 20 * 77),
        "tag": ("global", "tagged_head", 20 * 64), "open_sessions": ("global", "sessions", 25 * 50), "make_matrix": ("global", "rows", 32 * 512),
        "keep_own": ("thread-local", "own", 4440), "set_deep": ("global", "settings", 5000),
        "keep_in_function": ("global", "once.", 3210), "keep_in_arena": ("mapping", None, 15 * 222),
        "keep_in_shared": ("mapping", "/dev/zero", 16 * 231), "keep_in_segment": ("mapping", "/SYSV", 17 * 232), "keep_in_shared_file": ("mapping", "/shared.bin", 18 * 233),
        "keep_in_private_file": ("mapping", "/private.bin", 19 * 234), "keep_in_memory_file": ("mapping", "/memfd:kept", 20 * 235), "keep_in_sealed": ("mapping", None, 21 * 236),
        "lose": ("lost", None, 12 * 999),
        "hold_on_stack": ("stack", FRAME and "hold_on_stack, C, ", 4 * 1234)}),
    "C++": ("holders.cc", {
        "fill_book": ("global", "shop::book", 80 * 240), "fill_numbers": ("global", "numbers", 50 * 24), "fill_words": ("global", "words", 30 * 200),
        "fill_members": ("global", "members", 25 * 100), "keep_second_base": ("global", "second_base", 240), "keep_middle": ("global", "middle", 4444),
        "keep_in_union": ("global", "either", 6666), "keep_static": ("global", "keep_static()::inside", 7777),
        "keep_listener": ("global", "listeners", 128), "lose_rings": ("lost", None, 7 * 200)}),
    "Rust": ("holders_planted.rs", {
        "fill_cache": ("global", "CACHE", 500 * 200), "add_listeners": ("global", "LISTENERS", 40 * 240), "fill_orders": ("global", "ORDERS", 300 * 104),
        "share": ("global", "SHARED", 5000), "leak": ("global", "LEAKED", 4321), "keep_own": ("thread-local", "OWN", 20 * 120),
        "lose_rings": ("lost", None, 18 * 100)}),
}
COMPILERS = {"C": ["gcc", "-O1", "-g", "-w", "-pthread"], "C++": ["g++", "-O1", "-g", "-w", "-pthread"], "Rust": ["rustc", "-O", "-g", "--crate-name", "planted"]}


def compile_it(language, source):
    """False where there is no compiler that works."""
    return shutil.which(COMPILERS[language][0]) and run(*COMPILERS[language], "-o", language, f"{SOURCE}/tests/targets/{source}").returncode == 0


def heaviest_root(answer, function):
    """Its kind, name and bytes, of what a function, or what it has inlined, allocates."""
    sums = {}
    for site in answer["sites"]:
        for path in site["paths"] if function in site["function"].replace("(", "::").split("::") else []:
            root = path["steps"][0]
            key = (root["kind"], root.get("name"))
            sums[key] = sums.get(key, 0) + path["bytes"]
    return max(((size, *key) for key, size in sums.items()), default=(0, None, None), key=lambda row: row[0])


found = wanted = 0
for language, (source, functions) in PLANTED.items():
    if not compile_it(language, source):
        tell(f"{language}: no compiler here # SKIP", True)
        continue
    run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "./" + language)
    result = run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "100", "--roots", "1000", "x.ctf")
    answer = json.loads(result.stdout)
    for function, (kind, name, least) in functions.items():
        size, root_kind, root_name = heaviest_root(answer, function)
        is_name = name is None or name in (root_name or "")
        passed = root_kind == kind and is_name and size >= least
        found, wanted = found + passed, wanted + 1
        tell(f"{language}, {function}: held by {kind} {name or ''}", passed, f"{root_kind} {root_name} {size} < {least}")
print(f"# {found} of {wanted}")

# What nothing holds needs a free(), and not to be let go of.
if compile_it("C", "holders_lost.c"):
    run(HEAPTAP, "record", "--all", "--holders", "-q", "-o", "lost.ctf", "./C")
    remedies = {point["function"]: point["remedy"] for point in json.loads(run(HEAPTAP, "advice", "--json", "-n", "0", "lost.ctf").stdout)["points"] if point["rule"] == "growing"}
    tell("advice: lost blocks", "A free() or delete is missing" in remedies.get("parse", ""), f"{remedies}")
    tell("advice: kept blocks", "See what holds them" in remedies.get("keep", ""), f"{remedies}")
    causes = {cause["function"]: cause.get("remedy", "") for cause in json.loads(run(HEAPTAP, "diagnose", "--json", "lost.ctf").stdout)["causes"]}
    tell("diagnose: lost blocks", "A free() or delete is missing" in causes.get("parse", ""), f"{causes}")
    text = run(HEAPTAP, "lost.ctf").stdout
    tell("summary: lost blocks", ") is lost: nothing leads to it\n    parse (holders_lost.c:" in text, text)
end()
