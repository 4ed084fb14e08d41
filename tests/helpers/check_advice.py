#!/usr/bin/python3
"""What heaptap advice says of a program with a fault, and whether that comes true.

    check_advice.py SOURCE TRACE [AFTER]

SOURCE is the program; a comment `here: RULE` marks the line of its fault and names the rule, `also: RULE` others that apply besides.
Advice's first point must be a fault, and no rule of a language may apply elsewhere.  AFTER is a trace of the program with the remedy:
what is promised at the marks must be what it allocates less, within a fifth.

Where the remedy spares blocks that others replace, the same is asked of samples of TRACE: what is promised of all of it must lie within
their bounds, and near their estimate.

Prints one line, RULE LINE PROMISE SAVED, and those that say what is wrong; its status is 1 then."""
import json
import os
import re
import subprocess
import sys

HEAPTAP = os.environ["HEAPTAP"]
# Their remedies spare what the allocator takes for each block beside its bytes, and no bytes.
OF_OVERHEAD = {"arena"}
# What theirs spare is what stays.
OF_LIVE = {"growing-table", "unbounded-caches"}
# What theirs spare are blocks that others replace, of which samples show some pairs.
OF_PAIRS = {"vector-growth", "string-growth", "rehashes", "realloc-steps", "string-append"}
WITHIN = 0.2
SAMPLED_WITHIN = 0.35  # where blocks are passed over: fewer than one of five is sampled then


def ask(*arguments):
    answer = subprocess.run([HEAPTAP, *arguments], capture_output=True, check=True)
    return answer.stdout.decode(errors="replace")


def overhead(size):
    """Bytes that glibc takes for a block beside its own."""
    return max(32, (size + 8 + 15) & ~15) - size


def cost(before, after, rule):
    """Bytes of both that the rule is about."""
    if rule in OF_OVERHEAD:
        dumps = [re.findall(r" alloc\w* .*?len=(\d+) ", ask("dump", trace)) for trace in (before, after)]
        return [sum(overhead(int(size)) for size in sizes) for sizes in dumps]
    totals = json.loads(ask("compare", "--json", before, after))["totals"]
    wanted = "live-at-end" if rule in OF_LIVE else "allocated"
    return next((total["before"], total["after"]) for total in totals if total["measure"] == wanted)


def points_of(source, trace):
    return json.loads(ask("advice", "--json", "-n", "0", "--source-path", os.path.dirname(source), trace))["points"]


def sampled_faults(source, trace, rule, line, whole):
    """What is wrong with promises at lower rates, where the rule still applies."""
    for factor in (10, 100, 1000):
        part = f"{trace}.part.ctf"
        ask("file", "subsample", "--factor", str(factor), "-o", part, trace)
        found = [point for point in points_of(source, part) if (point["rule"], point.get("line")) == (rule, line)]
        os.unlink(part)
        if not found and factor == 10:
            yield f"one sample in {factor} shows nothing"
        for point in found:
            low, saved, high = (point[key] for key in ("saved_low", "saved", "saved_high"))
            if not low * 0.99 <= whole <= high * 1.01:  # parts of them are bounds of 95 of 100 cases
                yield f"one sample in {factor}: {whole:.0f} is not within {low:.0f} to {high:.0f}"
            if abs(saved - whole) > SAMPLED_WITHIN * whole:
                yield f"one sample in {factor}: {saved:.0f}, not {whole:.0f}"


def wrong_check(source, trace, after):
    """What is wrong with the limit that diagnose gives: it has to fail without the remedy, and to hold with it."""
    causes = json.loads(ask("diagnose", "--json", "--source-path", os.path.dirname(source), trace))["causes"]
    of_blocks = [cause for cause in causes if "--max-objects" in cause.get("check", "")]
    cause = (of_blocks or causes)[0]
    if "saved" not in cause and not of_blocks:
        return
    if "check" not in cause:
        yield "diagnose gives no limit"
        return
    limit = cause["check"].split()[-1]
    for file, wanted in ((trace, 1), (after, 0)):
        status = subprocess.run([HEAPTAP, "check", limit, file], capture_output=True, check=False).returncode
        if status != wanted:
            yield f"{limit}: status {status} {'without' if wanted else 'with'} the remedy"


def main(source, trace, after=None):
    with open(source, encoding="utf-8") as file:
        marks = [(kind, rule, number) for number, line in enumerate(file, 1) for kind, rule in re.findall(r"(here|also): ([a-z-]+)", line)]
    points = points_of(source, trace)
    said = [(point["rule"], point.get("line", point["function"])) for point in points]
    causes = {place for place, point in zip(said, points) if "verify" in point}
    wrong, promise, saved = [], 0, 0
    here = [(rule, line) for kind, rule, line in marks if kind == "here"]
    if here and (not said or said[0] not in here):
        wrong.append(f"the first point is {said[0] if said else 'missing'}, not {here[0]}")
    false = causes - {(rule, line) for _, rule, line in marks}
    if false:
        wrong.append(f"false causes: {sorted(false)}")
    # Lists of Python and Lua grow by themselves.
    with open(source, encoding="utf-8") as file:
        grows = source.endswith((".cpp", ".ml")) or "realloc" in file.read()
    if not grows:
        wrong += [f"{rule} at {line}, where nothing grows" for rule, line in said if rule in ("doubling", "small-steps")]
    if after:
        key = "saved_overhead" if here[0][0] in OF_OVERHEAD else "saved"
        promised = [point for place, point in zip(said, points) if place in causes - false]
        promise = sum(point[key] for point in promised)
        before_bytes, after_bytes = cost(trace, after, here[0][0])
        saved = before_bytes - after_bytes
        low, high = (sum(point.get(bound, point[key]) for point in promised) for bound in ("saved_low", "saved_high"))
        if low < high and not low * 0.99 <= saved <= high * 1.01:
            wrong.append(f"{low:.0f} to {high:.0f} bytes are promised, {saved:.0f} are saved")
        if abs(promise - saved) > WITHIN * saved:
            wrong.append(f"{promise:.0f} bytes are promised, {saved:.0f} are saved")
        wrong += wrong_check(source, trace, after)
        for place, point in zip(said, points):
            if place in here and place[0] in OF_PAIRS and not source.endswith(".ml"):
                wrong += sampled_faults(source, trace, *place, point["saved"])
    print(*(here[0] if here else ("none", 0)), round(promise), round(saved))
    for line in wrong:
        print("#", line)
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
