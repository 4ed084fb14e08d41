"""Rings of objects that hold each other and that the collector has not found yet: nothing else refers to them but weakly, except where the
program keeps one of each.  With an argument, prints what gc.get_referrers says: which kinds are referred to from outside."""
import gc
import sys
import weakref

COUNT = 200
gc.disable()


class Plain:
    def __init__(self, load):
        self.load = load


class Slots:
    __slots__ = ("peer", "load", "__weakref__")

    def __init__(self, load):
        self.load = load


class Full:
    """Attributes that were asked for as a dictionary."""
    def __init__(self, load):
        self.load = load
        vars(self)["more"] = load


def ring(one, other):
    if isinstance(one, list):
        one.append(other)
        other.append(one)
    elif isinstance(one, dict):
        one["peer"], other["peer"] = other, one
    else:
        one.peer, other.peer = other, one
    return one


def make(kind, i):
    return ring(kind(bytearray(300 + i)), kind(bytearray(300 + i)))


KEPT, BESIDE, WEAK, NAMED, SEEN = [], [], [], weakref.WeakValueDictionary(), weakref.WeakSet()
FIRST = Plain(None)
NAMED[-1] = FIRST
SEEN.add(FIRST)


def plain():
    for i in range(COUNT):
        make(Plain, i)


def slots():
    for i in range(COUNT):
        make(Slots, i)


def full():
    for i in range(COUNT):
        make(Full, i)


def lists():
    for i in range(COUNT):
        ring([i], [i])


def dicts():
    for i in range(COUNT):
        ring({"number": i}, {"number": i})


def beside():
    for i in range(COUNT):
        BESIDE.append([i])
        ring([i], [i])
        BESIDE.append({"number": [i]})


def weakly():
    for i in range(COUNT):
        one = make(Slots, i)
        WEAK.append(weakref.ref(one))
        WEAK.append(weakref.proxy(one))


def by_name():
    for i in range(COUNT):
        one = make(Plain, i)
        NAMED[i] = one
        SEEN.add(one)


def kept():
    for i in range(COUNT):
        KEPT.append(make(Plain, i))


def freed():
    """Memory that the interpreter has kept to use it again."""
    kinds = ([i, [i], (i,), {"number": i}, float(i), Plain(i)] for i in range(500))
    return len(list(kinds))


def outside(before):
    """Are new objects of rings referred to by others than these?"""
    new = [one for one in gc.get_objects() if id(one) not in before and type(one) in (Plain, Slots, Full, list, dict)]
    beside = {id(one) for one in BESIDE}
    rings = [one for one in new if id(one) not in beside]
    own = {id(one) for one in new} | {id(new), id(rings)}
    holders = (one for one in gc.get_referrers(*rings) if id(one) not in own and type(one).__name__ != "frame")
    return any(type(one) is not tuple or len(one) != len(rings) for one in holders)  # such a tuple is the call's own


freed()
for kind in (plain, slots, full, lists, dicts, beside, weakly, by_name, kept):
    ids = {id(one) for one in gc.get_objects()} if len(sys.argv) > 1 else None
    kind()
    if ids and outside(ids):
        print(kind.__name__)
