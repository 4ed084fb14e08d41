"""Objects that are held in many ways.  With a file of ways as argument, what gc.get_referrers says of each: a line `True` or `False`.
A way: [[module, variable], [by, type]...], from the variable on."""
import collections
import functools
import gc
import json
import sys
import types


class Leaf:
    def __init__(self, number):
        self.number = number
        self.text = "leaf number %d" % number


class Slots:
    __slots__ = ("first", "rest")

    def __init__(self, number):
        self.first = Leaf(number)
        self.rest = [float(number + i) for i in range(3)]


class Node:
    def __init__(self, above):
        self.above = above
        self.load = bytearray(40)


class Bus:
    handlers = {}

    def on(self, name, function):
        self.handlers.setdefault(name, []).append(function)


class Window:
    def __init__(self):
        self.title = Leaf(0)

    def draw(self):
        return self.title


def closure(value):
    def inner():
        return value
    return inner


@functools.lru_cache(maxsize=None)
def cached(number):
    return Leaf(number)


def numbers(leaf):
    while True:
        yield leaf


BY_NAME = {}
QUEUE = collections.deque()
PAIRS = []
CHAIN = None
BUS = Bus()
UNIQUE = set()
NESTED = {"outer": {"inner": []}}
GENERATORS = []
DEFAULTS = collections.defaultdict(list)


def fill():
    global CHAIN
    for i in range(400):
        BY_NAME["name%d" % i] = Slots(i)
        QUEUE.append((i, Leaf(i)))
        PAIRS.append((Leaf(i), bytes(100 + i)))
        CHAIN = Node(CHAIN)
        UNIQUE.add(frozenset([Leaf(i)]))
        NESTED["outer"]["inner"].append({"leaf": Leaf(i)})
        DEFAULTS[i % 10].append(complex(i, 1))
        cached(i)
    for i in range(200):
        BUS.on("draw", Window().draw)
        BUS.on("close", closure(Leaf(i)))
        GENERATORS.append(numbers(Leaf(i)))
        next(GENERATORS[-1])


def collector_view():
    """All objects by their numbers, and who refers to each: what gc.get_referrers says, of all at once, as that takes long for each."""
    tracked = gc.get_objects()
    found, back = {id(one): one for one in tracked}, collections.defaultdict(list)
    for holder in tracked:
        for one in gc.get_referents(holder):
            found.setdefault(id(one), one)
            back[id(one)].append(holder)
    return found, back


def is_the_collectors(found, back):
    """Do some objects have the referrers that gc.get_referrers says?"""
    for key in sorted(found)[::len(found) // 50]:
        told = {id(one) for one in gc.get_referrers(found[key]) if not isinstance(one, types.FrameType)}
        mine = {id(one) for one in back[key] if not isinstance(one, types.FrameType)}
        if mine != told & (found.keys() | mine):
            return False
    return True


def held_by(holder, by, held):
    """Is one of the objects what the holder has as attribute or by key?"""
    if by.startswith("."):
        value = holder.__dict__.get(by[1:]) if isinstance(holder, type) else getattr(holder, by[1:], None)
    else:
        value = holder.get(by[2:-2]) if isinstance(holder, dict) else None
    return id(value) in held


def up(held, by, name, back):
    """Who holds one of the objects, by the collector: those of a type.  An object's dictionary, and others of its own kind, may be
    between."""
    seen = dict(held)
    while held:
        holders = {id(one): one for key in held for one in back.get(key, ())}
        hits = {key: one for key, one in holders.items() if type(one).__name__ == name and (not by or held_by(one, by, seen))}
        if hits:
            return hits
        kinds = {type(one) for one in held.values()} | {dict}
        held = {key: one for key, one in holders.items() if key not in seen and type(one) in kinds}
        seen.update(held)
    return {}


def is_so(way, objects, back):
    (module, variable), *steps = way
    held = {key: one for key, one in objects.items() if type(one).__name__ == steps[-1][1]}
    for (_, name), (by, _) in zip(reversed(steps[:-1]), reversed(steps[1:])):
        held = up(held, by, name, back)
    wanted = sys.modules[module].__dict__[variable]
    above = held
    while above and id(wanted) not in held: # the first of several of a kind
        above = {id(one): one for key in above for one in back.get(key, ()) if type(one) is type(wanted) and id(one) not in held}
        held = held | above
    return id(wanted) in held


fill()
if len(sys.argv) > 1:
    gc.collect()
    gc.disable()
    view = collector_view()
    print(is_the_collectors(*view))
    with open(sys.argv[1], encoding="utf-8") as file:
        for one_way in json.load(file):
            print(is_so(one_way, *view), flush=True)
