"""heaptap record --holders of Python programs: each object's way from a module's variable, what the collector's own functions find of
these; what the program sees; and what is refused."""
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run, tell, versions_of_python  # noqa: E402

with open("shop.py", "w", encoding="utf-8") as file:
    file.write("""import collections, gc, sys


class Signal:
    receivers = []


class Slots:
    __slots__ = ("first", "second")


class Order:
    def __init__(self, number):
        self.number = number
        self.items = [number + 0.5] * 5


class Basket:
    def __init__(self):
        self.orders = {}


BASKET = Basket()
CACHE = {}
SLOTS = Slots()
LINKED = collections.deque()
ORDERED = collections.OrderedDict()
TOTALS = {"apples": None}


def connect(function):
    Signal.receivers.append(lambda: function)


def fill():
    for i in range(3000):
        BASKET.orders[i] = Order(i)
    for i in range(1000):
        CACHE["key %d" % i] = bytes(1000 + i)
    for i in range(500):
        connect(fill)
    for i in range(20000):
        LINKED.append(None)
    for i in range(2000):
        ORDERED[i] = None
    SLOTS.first = bytearray(70000)
    TOTALS["apples"] = bytes(60000)


fill()
order = BASKET.orders[7]
holders = [one is BASKET.orders for one in gc.get_referrers(order) if one is not globals()]
print(len(BASKET.orders), holders, [one is Signal.receivers for one in gc.get_referrers(Signal.receivers[9])])
del order
sys.exit(3)
""")


def paths_of(answer, function, kind):
    paths = [path for site in answer["sites"] if site["function"] == function for path in site["paths"]]
    return sorted((path for path in paths if path["steps"][-1].get("type") == kind), key=lambda path: -path["bytes"])


WANTED = [  # function, type, the least of bytes, root, and steps: by what it is held, and its type
    ("fill", "Order", 3000 * 40, "__main__.BASKET", [(None, "Basket"), (".orders", "dict"), (None, "Order")]),
    ("Order.__init__", "list", 2900 * 40, "__main__.BASKET", [(None, "Basket"), (".orders", "dict"), (None, "Order"), (".items", "list")]),
    ("fill", "bytes", 1000 * 1000, "__main__.CACHE", [(None, "dict"), (None, "bytes")]),
    ("connect", "function", 500 * 64, "__main__.Signal", [(None, "type"), (".receivers", "list"), (None, "function")]),
]
for version, python in versions_of_python().items():
    plain = run(python, "shop.py")
    recorded = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", python, "shop.py")
    check((recorded.returncode, recorded.stdout, recorded.stderr) == (plain.returncode, plain.stdout, "") and plain.returncode == 3,
          f"{version}: the program runs as it does", f"{recorded} {plain}")
    check(plain.stdout == "3000 [True] [True]\n", f"{version}: the collector's view", plain.stdout)
    result = run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "1000", "--roots", "100000", "x.ctf")
    answer = json.loads(result.stdout)
    for function, kind, least, root, steps in WANTED:
        path = (paths_of(answer, function, kind) or [{"steps": [{}], "bytes": 0}])[0]
        found = (path["steps"][0].get("name"), [(step.get("by"), step.get("type")) for step in path["steps"][1:]])
        check(found == (root, steps) and path["bytes"] >= least, f"{version}: {kind} by {function} is held by {root}",
              f"{found} {path['bytes']}")
    by = {path["steps"][0].get("name"): path for path in paths_of(answer, "fill", "bytes")}.get("__main__.TOTALS")
    check(by and by["steps"][-1].get("by") == "['apples']" and by["bytes"] >= 60000, f"{version}: by a key", f"{by}")
    buffer = [path for site in answer["sites"] for path in site["paths"] if path["steps"][0].get("name") == "__main__.SLOTS"]
    check(sum(path["bytes"] for path in buffer) >= 70000, f"{version}: what an object has besides itself, by a slot", f"{buffer}")
    for name, least in (("LINKED", 20000 * 8), ("ORDERED", 2000 * 50)):
        held = sum(path["bytes"] for site in answer["sites"] for path in site["paths"] if path["steps"][0].get("name") == "__main__." + name)
        check(held >= least, f"{version}: the blocks of {name}", f"{held} < {least}")
    held = {path["steps"][0].get("name", ""): path["bytes"] for site in answer["sites"] if site["function"] == "Order.__init__" for path in site["paths"]}
    check(not any("interpreter" in name for name, bytes in held.items() if bytes >= 10000), f"{version}: where attributes lie", f"{held}")
    retained = {root["name"]: root["retained_bytes"] for root in answer["roots"]}
    check(retained.get("__main__.CACHE", 0) > 1000000, f"{version}: what a variable alone holds", f"{retained.get('__main__.CACHE')}")
    left = [card for card in json.loads(run(HEAPTAP, "summary", "--json", "x.ctf").stdout)["cards"] if card["card"] == "left"][0]
    told = {root["bytes"] for root in answer["roots"]} | {path["bytes"] for site in answer["sites"] for path in site["paths"]}
    check(min(abs(left["kept_share"] * left["value"] - bytes) for bytes in told) < 0.01, f"{version}: the summary's share of what is left", f"{left}")
    share = answer["snapshot"]["lost_bytes"] / answer["snapshot"]["bytes"]
    check(share < 0.001, f"{version}: nothing is lost", f"{answer['snapshot']}")
    os.unlink("x.ctf")

for options in (["--holders-every", "1s"], ["--holders-above", "1M"], ["--holders", "--rate", "0.01"]):
    for python in list(versions_of_python().values())[:1]:
        refused = run(HEAPTAP, "record", *options, python, "shop.py")
        check(refused.returncode == 2 and "is not for lines of Python" in refused.stderr, f"lines and {' '.join(options)} exclude each other",
              refused.stderr)
if not versions_of_python():
    tell("no Python whose lines can be recorded # SKIP", True)
end()
