"""Growth is told alike by leaks, advice and the summary: the line to change, how many places there are, and what a short run may be.
Prints TAP."""
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

PLACES = 6


def recording(name, round_ms, places):
    """Each round main calls a constructor, and `places` functions, all of which keep what they allocate."""
    functions = ["main", "Session::Session", "t.cc"] + [f"grow{i}" for i in range(places)]
    frames = [(1, 79), (2, 43)] + [(4 + i, 100 + i) for i in range(places)]
    lines = ["v 10400 3", "X ./prog"] + [f"s {len(function):x} {function}" for function in functions]
    lines += [f"i {16 * (i + 1):x} 0 {function:x} 3 {line:x}" for i, (function, line) in enumerate(frames)]
    lines += ["t 1 0"] + [f"t {2 + i:x} 1" for i in range(1 + places)]
    lines += ["a bb8 2"] + [f"a {64 + 16 * i:x} {3 + i:x}" for i in range(places)]
    for number in range(60):
        lines += [f"c {number * round_ms + 1:x}"] + [f"+ {i:x}" for i in range(1 + places)]
    with open(name, "w", encoding="ascii") as file:
        file.write("\n".join(lines + [f"c {60 * round_ms:x}"]) + "\n")


recording("long", 1000, 0)
PLACE = "main (t.cc:79) through Session::Session (t.cc:43)"
leaks, advice, summary = (run(HEAPTAP, report, "long").stdout for report in ("leaks", "advice", "summary"))
check(f"\n{PLACE} grows:\n" in leaks, "leaks names the line that calls a constructor", leaks)
check(f" of what is left: {PLACE}, " in advice and f": {PLACE}\n" in advice, "advice the same", advice)
check(f"\n{PLACE} grows: " in summary, "and the summary", summary)
causes = [cause["function"] for cause in json.loads(run(HEAPTAP, "diagnose", "--json", "long").stdout)["causes"]]
check(causes.count("main") == 1 and "Session::Session" not in causes, "diagnose has it once", f"{causes}")
check("loading alone" not in leaks + advice + summary, "a minute is no time of loading")

recording("many", 1000, PLACES)
leaks = run(HEAPTAP, "leaks", "many").stdout
check(f"\n{PLACES + 1} places grew until the run ended" in leaks and "; the 5 fastest:" in " ".join(leaks.split()),
      "of many places it is said that the fastest are named", leaks)
check(leaks.count(" grows:\n") == 5, "... and they are", leaks)

for round_ms, caution in (1, "60 ms, perhaps of loading alone"), (100, "5.9 s may be the time of loading alone"):
    recording("short", round_ms, 0)
    leaks, advice, summary = (run(HEAPTAP, report, "short").stdout for report in ("leaks", "advice", "summary"))
    line = next((line for line in leaks.split("\n") if line.startswith(caution)), "")
    check(line and f"\n{line}\n" in advice, f"{caution}: leaks and advice say so", leaks + advice)
    check(caution in summary, "... and the summary", summary)
    points = json.loads(run(HEAPTAP, "advice", "--json", "short").stdout)["points"]
    check(any(point["rule"] == "growing" and point["evidence"].endswith(f"; {caution}.") for point in points), "... and the point's evidence",
          f"{points}")
end()
