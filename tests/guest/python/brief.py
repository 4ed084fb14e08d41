"""Blocks that end, move or grow before anything else is allocated, so that they go while their type is awaited.  `#:` says
how many of which type a line makes; one whose block ends unmade is (internal)."""
import array
import gc
import io
import sys
import threading
from itertools import repeat

MORE = bytes(100_000)


class Slots:
    __slots__ = ("a",)


class Finalized:
    def __del__(self):
        gc.collect(0)


def large():
    for _ in repeat(None, 300):
        bytearray(200_000)  #: bytearray=300 (internal)=300


def grows():
    for _ in repeat(None, 300):
        b = bytearray(200_000)  #: bytearray=300 (internal)=300
        b += MORE


def small():
    kept = [None] * 300
    for i in range(300):
        bytearray(40)  #: bytearray=300 (internal)=300
        kept[i] = Slots()  #: Slots=300
    return kept


def shrinks():
    for size in repeat(70_000, 300):
        b = bytearray(size)
        del b[10:]
        b.extend(MORE)
        b.clear()


def others():
    for _ in repeat(None, 100):
        array.array("d", bytes(80_000)).extend(array.array("d", bytes(8)))
        list(repeat(None, 9000)).pop()
        io.BytesIO(MORE).write(MORE)
        bytes(90_000)
        "x" * 90_000
        (None,) * 9000
        dict.fromkeys(range(900)).clear()
        set(range(900)).clear()
        memoryview(bytearray(5000)).release()
        1 << 99_999


def numbers(n):
    for i in range(n):
        bytearray(50_000)
        yield bytearray(i)


def cycles():
    for _ in repeat(None, 50):
        a, b = [Finalized()], {}
        a.append(a)
        b["self"] = b
        del a, b
        bytearray(60_000)
    gc.collect()


def fails():
    for _ in repeat(None, 50):
        try:
            bytearray(200_000).__iadd__(3)
        except TypeError:
            pass
        try:
            bytearray(sys.maxsize - 100)
        except MemoryError:
            pass


def work():
    large()
    grows()
    kept = small()
    shrinks()
    others()
    list(numbers(300))
    cycles()
    fails()
    return kept


def work_again():
    shrinks()
    others()
    list(numbers(100))
    cycles()
    fails()


gc.disable()
kept = work()
gc.enable()
gc.set_threshold(1)
work_again()
gc.set_threshold(700)
sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=work_again) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(kept_one.__class__ is Slots for kept_one in kept))
