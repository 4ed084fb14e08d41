"""Threads, tasks, generators, exceptions and collections, each with known numbers.  Lines as in counts.py."""
import asyncio
import gc
import threading
from itertools import repeat


class Node:
    __slots__ = ("other", "__weakref__")


class Noted:
    __slots__ = ("made",)


kept = []


def in_thread(n):
    for _ in repeat(None, n):
        kept.append(Noted())  #: Noted=4000


def threads():
    started = [threading.Thread(target=in_thread, args=(1000,)) for _ in range(4)]
    for each in started:
        each.start()
    for each in started:
        each.join()


async def step(n):
    kept.append(bytearray(n))  #: bytearray=100
    await asyncio.sleep(0)
    kept.append(Noted())  #: Noted=100


async def steps():
    tasks = []
    for n in range(100):
        tasks.append(asyncio.ensure_future(step(n)))  #: coroutine=100
    await asyncio.gather(*tasks)


def numbers():
    for _ in repeat(None, 250):
        yield Noted()  #: Noted=250


def failing():
    raise KeyError(Noted())  #: Noted=60 KeyError=60


def failures():
    for _ in repeat(None, 60):
        try:
            failing()
        except KeyError as error:
            kept.append(error)


def cycles():
    """A collection comes between many an allocation and the making of its object."""
    gc.set_threshold(10)
    for _ in repeat(None, 500):
        a, b = Node(), Node()  #: Node=1000
        a.other, b.other = b, a
    gc.set_threshold(700)
    gc.collect()


def callbacks():
    """Python code runs between an allocation and the making of its object."""
    seen = []
    gc.callbacks.append(lambda phase, info: seen.append(bytearray(1)))
    gc.set_threshold(10)
    made = [Node() for _ in repeat(None, 300)]  #: Node=300
    gc.set_threshold(700)
    gc.callbacks.clear()
    return made, seen


def compiled():
    """Code objects that end, and others at their address."""
    for n in range(1000, 1200):
        exec(compile("\n" * n + "kept.append(Noted())", "made.py", "exec"))
    for n in range(200):
        exec(compile("class Made%d: pass\nkept.append(Made%d())" % (n, n), "classes.py", "exec"))
        kept.pop()


threads()
asyncio.run(steps())
kept.extend(numbers())
failures()
cycles()
callbacks()
compiled()
