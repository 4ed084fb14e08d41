"""What heaptap leaks says of a line of Python whose dead blocks other lines may have, by way of a free list of CPython's."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
PYTHON = "/usr/bin/python3"
# parse keeps nothing; what the others keep is a list, of which CPython takes some from what parse has freed, a text, and a dict.
PROGRAM = """import json, time
KEPT = {}
class Order:
    def __init__(self, i): self.items = [i] * 20
def parse(i): return json.loads(json.dumps({"a": list(range(50)), "i": i}))
def keep_text(i): TEXTS.append("text %d" % i * 5)
def keep_list(i): LISTS.append([i, i])
TEXTS, LISTS = [], []
for i in range(2000):
    parse(i)
    KEPT[i] = Order(i)
    keep_text(i)
    keep_list(i)
    time.sleep(0.0005)
"""

# session has 50 dicts at most, but error keeps dicts and their tables that session has freed.
BOUNDED = """import time
SESSIONS, ERRORS = {}, []
def session(n): SESSIONS[n % 50] = {"user": n, "data": n}
def error(n): ERRORS.append({"number": n, "text": "error %d" % n * 5})
for n in range(2000):
    for i in range(20): session(20 * n + i)
    error(n)
    time.sleep(0.0005)
"""


def record(text):
    with open("fl.py", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([HEAPTAP, "memtracer", "-q", "-o", "fl.ctf", "--", PYTHON, "-S", "fl.py"], check=True)


def told(report, *arguments):
    command = [HEAPTAP, report, "--json", *arguments, "fl.ctf"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def check_tables():
    record(BOUNDED)
    evidence = {site["function"]: site["evidence"] for site in told("leaks", "-n", "0")["sites"] if site["verdict"] in ("leaks", "grows")}
    check("free lists" in evidence.get("session", ""), "dicts' tables have one, too", f"{evidence}")
    check("error" in evidence and "free lists" not in evidence["error"], "... not the line that keeps texts", f"{evidence}")
    growing = [point for point in told("advice")["points"] if point["rule"] == "growing" and point["function"] == "session"]
    check(growing and "free lists" in growing[0]["evidence"], "advice says so of the line", f"{growing}")
    grows = [card["grows"] for card in told("summary")["cards"] if "grows" in card]
    check("session" in grows[0] and "free lists" in grows[0], "and the summary, which has no evidence", f"{grows}")


def main():
    os.chdir(tempfile.mkdtemp())
    if not os.path.exists(PYTHON):
        print("1..0 # SKIP there is no Python")
        return
    record(PROGRAM)
    answer = told("leaks", "-n", "0")
    accused = {site["function"]: site["evidence"] for site in answer["sites"] if site["verdict"] in ("leaks", "grows")}
    check("keep_text" in accused, "a place that grows is accused", f"{accused}")
    check("parse" not in accused or "free lists" in accused["parse"], "lists that others use again: with what may be wrong", f"{accused}")
    check("free lists" not in accused.get("keep_text", ""), "text has no free list", f"{accused}")
    check("free lists" in accused.get("keep_list", ""), "lists have one", f"{accused}")
    check_tables()
    end()


main()
