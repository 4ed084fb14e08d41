"""What record --holders calls lost, by function, against what LeakSanitizer does of the same source: the same bytes, but where what
follows says why not."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, SOURCE, end, run, tell  # noqa: E402

DIFFERENT = {  # function: bytes lost by LeakSanitizer's count (one of these), by ours, and the cause
    "keep_in_mapping": ((9 * 801,), 0, "LeakSanitizer does not look into mappings of the program's own"),
}
if os.uname().machine == "x86_64":
    DIFFERENT["keep_returned"] = ((5101, 0), 0, "versions of LeakSanitizer don't look at what a thread returned that was not joined")
    DIFFERENT["keep_behind_length"] = ((1501,), 0, "glibc's malloc gives 24 bytes for 16, and a program may use them")
    DIFFERENT["keep_rounded"] = ((1105,), 0, "a pointer to the end points into the 1112 bytes that malloc gives for 1105")


def compile_it(out, *more):
    return run("g++", "-O1", "-g", "-w", "-pthread", "-fno-omit-frame-pointer", *more, "-o", out, SOURCE + "/tests/targets/holders_leaks.cc")


def sanitizer_sums(text):
    """Bytes by the function of the target that allocated them."""
    sums = collections.Counter()
    for leak in re.split(r"\n\n", text):
        size = re.search(r"leak of (\d+) byte", leak)
        function = re.search(r" in ((?:lose|keep)_\w+|with_stale_word|make_short)", leak)
        if size and function:
            sums[function[1]] += int(size[1])
    return sums


def answers():
    result = run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "100", "--roots", "1000", "x.ctf")
    return json.loads(result.stdout)["sites"]


def own_sums(sites):
    sums = collections.Counter()
    for site in sites:
        name = re.match(r"(?:lose|keep)_\w+|with_stale_word|make_short", site["function"])
        if name and site["lost_bytes"]:
            sums[name[0]] += site["lost_bytes"]
    return sums


compile_it("plain")
if compile_it("sanitized", "-fsanitize=leak").returncode:
    print("1..0 # SKIP no LeakSanitizer here")
    sys.exit(0)
said = run("./sanitized").stderr
theirs = sanitizer_sums(said)
if "lose_direct" not in theirs:
    print("1..0 # SKIP LeakSanitizer does not work here")
    sys.exit(0)
recorded = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", "./plain")
sites = answers()
ours = own_sums(sites)
for name in sorted(set(theirs) | set(ours) | set(DIFFERENT)):
    if name in DIFFERENT:
        tell(f"{name}: {DIFFERENT[name][2]}", theirs[name] in DIFFERENT[name][0] and ours[name] == DIFFERENT[name][1], f"{theirs[name]} {ours[name]}")
    else:
        tell(f"{name}: {theirs[name]} bytes lost, as LeakSanitizer says", theirs[name] == ours[name], f"{theirs[name]} {ours[name]} {recorded.stderr}")
held = {path["steps"][0].get("name") for site in sites if site["function"] == "keep_far" for path in site["paths"]}
tell("the way of a block is not by a word that an earlier block left", held == {"far_block"}, f"{held}")
end()
