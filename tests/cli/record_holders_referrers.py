"""heaptap record --holders of a Python program, against gc.get_referrers: each way that is named for a place of the program is one that
the collector's view gives, from the objects at its end up to the variable at its start."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, SOURCE, end, run, tell  # noqa: E402

PYTHON = "/usr/bin/python3"
shutil.copy(SOURCE + "/tests/targets/holders_referrers.py", "held.py")


version = run(PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])") if os.path.exists(PYTHON) else None
if not version or version.stdout.strip() not in ("3.11", "3.12", "3.13"):
    print("1..0 # SKIP no Python whose lines can be recorded")
    sys.exit(0)
recorded = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", PYTHON, "held.py")


def is_seen(first, steps):
    """Ways that the collector can tell of: it sees neither what a function's code has, nor keys of a dictionary that are all text."""
    types = [step.get("type") for step in steps]
    is_key = any(kind == "dict" and step.get("type") == "str" and not step.get("by") for kind, step in zip(types, steps[1:]))
    return first["kind"] == "global" and first["name"].startswith("__main__.") and all(types) and "code" not in types[:-1] and not is_key


answer = json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "1000", "--roots", "100000", "x.ctf").stdout)
ways, texts = [], []
for site in answer["sites"]:
    for path in site["paths"] if (site.get("file") or "").endswith("held.py") else []:
        first, *steps = path["steps"]
        if not is_seen(first, steps):
            continue
        ways.append([first["name"].rpartition(".")[::2], *([step.get("by") or "", step["type"].rpartition(".")[2]] for step in steps)])
        texts.append(path["through"])
with open("ways.json", "w", encoding="utf-8") as file:
    json.dump(ways, file)
told = run(PYTHON, "held.py", "ways.json")
view, *says = told.stdout.split() or [""]
tell("the view is that of gc.get_referrers", view == "True", view)
tell("the collector tells of each way", len(says) == len(ways), f"{recorded.stderr}\n{told.stderr}")
not_so = [text for text, said in zip(texts, says) if said != "True"]
tell(f"{len(ways)} ways are as it says", len(ways) > 40 and not not_so, "\n".join(not_so))
variables = {way[0][1] for way in ways}
wanted = {"BY_NAME", "QUEUE", "PAIRS", "CHAIN", "BUS", "UNIQUE", "NESTED", "GENERATORS", "DEFAULTS", "cached"}
tell("each variable of the program is named", wanted - {"BUS"} <= variables, f"{wanted - variables}")
end()
