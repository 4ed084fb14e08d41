"""What a Python program lets go before it ends is no growth to be stopped: diagnose and the summary name what costs more.  Prints TAP."""
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

# Rows are read, and a text is put together meanwhile.
PROGRAM = """
import time
rows = []

def add(page, row):
    page["text"] += row[:6]

def load(rows, page):
    for i in range(40000):
        rows.append("row %d of the table" % i)
        if i % 15 == 0:
            add(page, rows[-1])
    return len(rows)

"""
ENDS = {"let go": "print(load([], {'text': ''}))\n", "kept": "print(load(rows, {'text': ''}))\n"}


def answer(report, trace):
    return json.loads(run(HEAPTAP, report, "--json", trace).stdout)


for name, text in ENDS.items():
    with open("load.py", "w", encoding="ascii") as file:
        file.write(PROGRAM + text)
    recorded = run(HEAPTAP, "memtracer", "-q", "-o", "t.ctf", "--", "/usr/bin/python3", "-S", "load.py")
    check(recorded.returncode == 0, f"{name}: it is recorded", recorded.stderr)
    verdict = next(site["verdict"] for site in answer("leaks", "t.ctf")["sites"] + [{"function": "load", "verdict": None}]
                   if site["function"] == "load")
    causes = answer("diagnose", "t.ctf")["causes"]
    cards = {card["card"]: card for card in answer("summary", "t.ctf")["cards"]}
    first = causes[0]
    if name == "let go":
        check((first["cause"], first["function"]) == ("Texts put together piece by piece", "add"), "let go: the text comes first", f"{causes}")
        check(not any(cause["figure"] == "left" for cause in causes), "... and nothing is left", f"{causes}")
        check("grows" not in cards["left"], "... nor grows", f"{cards['left']}")
        check("Grew until the run ended" not in run(HEAPTAP, "advice", "t.ctf").stdout, "... in advice, too")
    else:
        check(verdict in ("grows", "leaks", "too few"), "kept: it may grow", f"{verdict}")
        left = [cause for cause in causes if cause["figure"] == "left"]
        check(left and left[0]["function"] == "load" and left[0]["bytes"] > 2e6, "... and diagnose has what is left", f"{causes}")
    check(all(cause["bytes"] > 0 for cause in causes), f"{name}: each cause has something", f"{causes}")
end()
