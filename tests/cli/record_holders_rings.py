"""heaptap record --holders of rings of Python objects that hold each other alone, or are referred to weakly besides: no variable holds
them, as their neighbours on the collector's list and weak references don't.  Where a list has one of each ring, it holds them."""
import ast
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, SOURCE, check, end, run, tell, versions_of_python  # noqa: E402

TARGET, COUNT = SOURCE + "/tests/targets/holders_rings.py", 200


def lines_of_rings():
    """Where the program makes rings, and what is in them."""
    with open(TARGET, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    function = [one for one in tree.body if getattr(one, "name", "") == "ring"][0]
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("make", "ring", "kind")]
    return {line for one in function.body + calls for line in range(one.lineno, one.end_lineno + 1)}


def holders(answer, lines):
    """Blocks of rings by the variable that holds them; "" for none."""
    blocks = {}
    for site in answer["sites"]:
        if (site.get("file") or "").endswith("holders_rings.py") and site["line"] in lines:
            for path in site["paths"]:
                first = path["steps"][0]
                name = first["name"] if first["kind"] == "global" else ""
                blocks[name] = blocks.get(name, 0) + path["blocks"]
    return blocks


for version, python in versions_of_python().items():
    view = run(python, TARGET, "view").stdout
    check(view == "kept\n", f"{version}: by the collector's view a list has rings of one kind, and nothing those of others", view)
    recorded = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", python, TARGET)
    answer = json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "1000", "--roots", "100000", "x.ctf").stdout)
    found = holders(answer, lines_of_rings())
    check(found.get("__main__.KEPT", 0) >= 4 * COUNT, f"{version}: rings that a list has are held by it", f"{found} {recorded.stderr}")
    check(found.get("", 0) >= 24 * COUNT, f"{version}: the others are not", f"{found}")
    others = {name: blocks for name, blocks in found.items() if name not in ("", "__main__.KEPT")}
    check(not others, f"{version}: no other variable holds any", f"{others}")
    os.unlink("x.ctf")
if not versions_of_python():
    tell("no Python whose lines can be recorded # SKIP", True)
end()
