"""Allocations whose numbers are known, one kind a line.  `#:` says how many of which type the line makes.

What Python keeps for reuse (lists, dicts, tuples, floats) is used up first, so that each object is allocated."""
from itertools import repeat


def many(n):
    return repeat(None, n)


class Slots:
    __slots__ = ("a",)


class Plain:
    def __init__(self):
        self.a = None


class Derived(dict):
    pass


class Meta(type):
    pass


def generate():
    yield


async def coroutine():
    pass


def closure(value):
    return lambda: value  #: function=350


def make():
    base, one = "base", 1.0
    drained = [[[] for _ in many(200)], [{} for _ in many(200)], [{"k": None} for _ in many(200)],
               [(n,) for n in range(3000)], [(n, n, n) for n in range(3000)], [n * 0.5 for n in range(3000)]]
    keep = [drained]
    keep.append([[None] for _ in many(1000)])  #: list=1001
    keep.append([(n, n, n) for n in range(2, 102)])  #: tuple=100 list=1
    keep.append([{} for _ in many(1100)])  #: dict=1100 list=1
    keep.append([{"k": None} for _ in many(900)])  #: dict=900 list=1
    keep.append([one + n for n in range(2, 152)])  #: float=150 list=1
    keep.append([Slots() for _ in many(800)])  #: Slots=800 list=1
    keep.append([Plain() for _ in many(700)])  #: Plain=700 list=1
    keep.append([Derived() for _ in many(600)])  #: Derived=600 list=1
    keep.append([set() for _ in many(500)])  #: set=500 list=1
    keep.append([base + base for _ in many(450)])  #: str=450 list=1
    keep.append([closure(base) for _ in many(350)])
    keep.append([generate() for _ in many(300)])  #: generator=300 list=1
    keep.append([bytearray(1000) for _ in many(250)])  #: bytearray=250 list=1
    keep.append([n for n in range(1000, 1200)])  #: int=200 list=1
    keep.append({n for n in range(1000, 1050)})  #: set=1 int=50
    keep.append({n: n for n in range(1000, 1040)})  #: dict=1 int=40
    keep.append([object() for _ in many(20)])  #: object=20 list=1
    keep.append([complex(n, n) for n in range(2, 12)])  #: complex=10 list=1
    keep.append([bytes(1000) for _ in many(15)])  #: bytes=15 list=1
    keep.append([coroutine() for _ in many(12)])  #: coroutine=12 list=1
    keep.append([type("Made", (), {}) for _ in many(30)])  #: type=30
    keep.append([Meta("Made", (), {}) for _ in many(25)])  #: Meta=25
    for each in keep[-3]:
        each.close()
    return keep


kept = make()
