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


def main():
    os.chdir(tempfile.mkdtemp())
    with open("fl.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    if not os.path.exists(PYTHON):
        print("1..0 # SKIP there is no Python")
        return
    subprocess.run([HEAPTAP, "memtracer", "-q", "-o", "fl.ctf", "--", PYTHON, "-S", "fl.py"], check=True)
    answer = subprocess.run([HEAPTAP, "leaks", "--json", "-n", "0", "fl.ctf"], capture_output=True, check=True, text=True).stdout
    accused = {site["function"]: site["evidence"] for site in json.loads(answer)["sites"] if site["verdict"] in ("leaks", "grows")}
    check("keep_text" in accused, "a place that grows is accused", f"{accused}")
    check("parse" not in accused or "free lists" in accused["parse"], "lists that others use again: with what may be wrong", f"{accused}")
    check("free lists" not in accused.get("keep_text", ""), "text has no free list", f"{accused}")
    check("free lists" in accused.get("keep_list", ""), "lists have one", f"{accused}")
    end()


main()
