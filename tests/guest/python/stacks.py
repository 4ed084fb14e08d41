"""A deep stack in all its ways to change, and at each point an object of a class of its own.

    stacks.py FILE     writes where each class was made, as [[function, line], ...], innermost first
    stacks.py          the same without asking: what a tracer should come to by itself

The walk through the ways is chosen by numbers that are the same each time."""
import asyncio
import gc
import itertools
import json
import random
import sys
import threading

POINTS = 4000
chosen = random.Random(7)
told = sys.argv[1] if len(sys.argv) > 1 else None
kept, stacks, numbers = {}, {}, itertools.count()
limit = 0  # of `kept`, for the part that is under way
classes = [type(f"Made{n}", (), {"__slots__": ()}) for n in range(POINTS + 100)]


def say(number):
    """Where the caller is, with all around it."""
    if told is None:
        return
    frame, stack = sys._getframe(1), []
    while frame:
        stack.append([frame.f_code.co_qualname, frame.f_lineno])
        frame = frame.f_back
    stacks[number] = stack


def make():
    if len(kept) < limit:
        number = next(numbers)
        kept[number] = (say(number), classes[number]())[1]


class Away(Exception):
    pass


def direct(n):
    step(n - 1)


def twice(n):
    step(n // 2); step(n // 2)
    step(n // 2)


def several(n):
    for _ in range(chosen.randrange(4)):
        make()
    step(n - 1)
    make()


def by_keyword(n, *, more=1, **rest):
    step(n=n - more)


def by_star(*arguments):
    step(*[number - 1 for number in arguments])


def caught(n):
    for _ in range(2):
        try:
            step(n - 1)
            raises(n)
        except Away:
            make()


def raises(n):
    if n > 2:
        raises(n - 1)
    make()
    raise Away


def sorts(n):
    sorted([1, 2], key=lambda it: step(n // 2) or it)


def yields(n):
    step(n // 2)
    yield n
    step(n // 3)
    yield n


def loops(n):
    for _ in yields(n):
        make()


def hops(n):
    """Generators that wait while others run."""
    one, other = yields(n), yields(n)
    next(one); next(other)
    make()
    next(other); next(one)


def delegates(n):
    def inner():
        make()
        yield from yields(n)

    for _ in inner():
        make()


def comprehends(n):
    return [step(n // 2) for _ in range(2)], {step(n // 3): 0 for _ in "a"}


class Thing:
    def __init__(self, n):
        step(n - 1)

    def __getitem__(self, n):
        return step(n - 1)

    def __call__(self, n):
        return step(n - 1)

    def __enter__(self):
        make()

    def __exit__(self, *_):
        step(1)

    def __del__(self):
        make()

    @property
    def value(self):
        make()
        return step

    @property
    def fails(self):
        make()
        raise Away


def things(n):
    thing = Thing(n // 2)
    for _ in range(3):
        thing[n // 3]
    thing(n // 2)
    with thing:
        step(n // 3)
    thing.value(n // 2)
    return thing


def properties(n):
    thing = object.__new__(Thing)
    for _ in range(3):
        try:
            thing.fails(n)
        except Away:
            pass
        try:
            thing.fails(n + step(0))
        except Away:
            pass


def fails_first(n):
    raises(1)


def leaves_marks(n):
    """The same function at the same depth from another line, and what it is interrupted by before it calls anything."""
    def trace(frame, event, argument):
        if event == "line" and frame.f_code is fails_first.__code__:
            make()
        return trace

    for trace in None if sys.gettrace() else trace, None:
        try:
            fails_first(n)
        except Away:
            sys.settrace(trace)
        try:
            fails_first(n)
        except Away:
            sys.settrace(None)


def hides(n):
    """What a frame keeps is taken apart when it ends."""
    def inner(n):
        thing = object.__new__(Thing)
        if n:
            yield thing

    for _ in inner(n % 2):
        step(n // 2)
    for _ in inner(0):
        pass


def traced(n):
    def trace(frame, event, argument):
        if frame.f_code is say.__code__:
            return None
        if event == "line" and frame.f_lineno % 3 == 0:
            make()
        return trace

    if sys.gettrace():
        return step(n - 1)
    sys.settrace(trace)
    try:
        step(n // 2)
    finally:
        sys.settrace(None)


def profiled(n):
    if sys.getprofile():
        return step(n - 1)
    sys.setprofile(lambda frame, event, argument: make() if event == "return" and frame.f_code is not say.__code__ else 0)
    try:
        step(n // 2)
    finally:
        sys.setprofile(None)


def looks_back(n):
    frame = sys._getframe()
    step(n - 1)
    assert frame.f_back.f_back
    make()


def code_that_ends(n):
    exec(f"step({n - 1})\nmake()", {"step": step, "make": make})


WAYS = (direct, twice, several, by_keyword, by_star, caught, sorts, loops, hops, delegates, comprehends, things, properties,
        hides, leaves_marks, traced, profiled, looks_back, code_that_ends)


def step(n):
    if chosen.random() < 0.4:
        make()
    if n > 0 and len(kept) < limit:
        WAYS[chosen.randrange(len(WAYS))](n)


def deep(n, then):
    if n:
        return deep(n - 1, then)
    make(); make()
    then(9)
    make()


async def waits(n):
    step(n // 2)
    await asyncio.sleep(0)
    make()
    if n:
        await waits(n - 1)
    step(n // 3)


async def tasks():
    await asyncio.gather(waits(4), waits(3), waits(5))


def in_turns(n, mine, other):
    mine.acquire()
    step(n)
    if n:
        other.release()
        return in_turns(n - 1, mine, other)
    other.release()


def with_threads():
    first, second = threading.Semaphore(1), threading.Semaphore(0)
    workers = (threading.Thread(target=in_turns, args=(6, first, second)),
               threading.Thread(target=lambda: in_turns(6, second, first)))
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def with_greenlets():
    try:
        from greenlet import getcurrent, greenlet
    except ImportError:
        return step(9)

    def run(n):
        for i in range(n):
            step(i)
            partner[getcurrent()].switch(n)
            deep(i, step)

    one, other = greenlet(run), greenlet(lambda n: run(n))
    partner = {one: other, other: one}
    while not (one.dead and other.dead):
        make()
        (other if one.dead else one).switch(6)


def parts():
    yield lambda: step(8)
    for depth in 20, 500, 900, 300, 899:
        yield lambda: deep(depth, step)
    for ways in with_threads, with_greenlets, lambda: asyncio.run(tasks()):
        yield lambda: deep(20, lambda n: ways())
    while True:
        yield lambda: deep(chosen.randrange(300), step)


def main():
    global limit
    sys.setrecursionlimit(10000)
    gc.disable()
    for part in parts():
        limit += POINTS // 20
        if limit > POINTS:
            break
        while len(kept) < limit:
            part()


main()
if told:
    with open(told, "w") as out:
        json.dump([stacks[number] for number in range(POINTS)], out)
