"""Programs whose leaks are known: what the blocks of their sites live for, and the verdicts of `heaptap leaks` on them.

A site is a list of (birth, end), in parts of the run; an end of 1 or more is never.  A program is a list of sites, written as
heaptrack's text, in which every block has an allocation of its own."""
import collections
import json
import math
import os
import random
import subprocess
import tempfile

NEVER = 9
RUN_MS = 100_000


def uniform(low, high):
    return random.uniform(low, high)


def lasting(mean):
    return random.expovariate(1 / mean)


def births(count):
    return [uniform(0, 1) for _ in range(count)]


def short(count):
    mean = uniform(.0005, .005)
    return [(born, born + lasting(mean)) for born in births(count)]


def leak(count, part=.01):
    mean = uniform(.0005, .005)
    return [(born, NEVER if random.random() < part else born + lasting(mean)) for born in births(count)]


def growing(count):
    return [(born, NEVER) for born in births(max(20, count // 10))]


def fifo(count, filled=None):
    filled = filled or uniform(.05, .5)
    return [(born, born + filled) for born in births(count)]


def least_recent(count):
    """Requests by Zipf's law; the entry that was not used for longest goes."""
    capacity, requests = max(2, int(count * uniform(.05, .4))), count * 3
    keys = random.choices(range(requests), [(i + 1) ** -.8 for i in range(requests)], k=requests)
    entries, ended = collections.OrderedDict(), []
    for i, key in enumerate(keys):
        if key in entries:
            entries.move_to_end(key)
            continue
        if len(entries) >= capacity:
            ended.append((entries.popitem(last=False)[1], i / requests))
        entries[key] = i / requests
    return ended + [(born, NEVER) for born in entries.values()]


def at_random(count):
    mean = uniform(.02, .2)
    return [(born, born + lasting(mean)) for born in births(count)]


def rare_cache(count):
    part = max(4, count // random.randint(30, 100))
    return short(count - part) + random.choice([fifo, at_random, least_recent])(part)


def warm_up(count, until=None):
    until, part = until or uniform(.02, .35), random.randint(max(1, count // 50), count // 2)
    return [(uniform(0, until), NEVER) for _ in range(part)] + short(count - part)


def growth_that_ends(count):
    return warm_up(count, uniform(.2, .7))


def periodic(count):
    period, phase, closes = uniform(.03, .33), uniform(0, 1), random.random() < .5
    blocks = []
    while len(blocks) < count:
        born = uniform(0, 1)
        turn = born / period + phase
        if random.random() < .5 + .5 * math.sin(2 * math.pi * turn):
            blocks.append((born, (math.floor(turn) + 1 - phase) * period if closes else born + lasting(period / 5)))
    return blocks


CACHES = (fifo, least_recent, at_random, rare_cache)
SOUND = CACHES + (warm_up, growth_that_ends, periodic, short)


def text_of(sites):
    lines, events = ["v 10400 3", "X ./prog", "s 6 t.cc"], []
    for number in range(len(sites)):
        name = f"site{number}"
        lines += [f"s {len(name):x} {name}", f"i {16 * (number + 1):x} 0 {number + 2:x} 1 {number + 1:x}", f"t {number + 1:x} 0"]
    lines[2] = "s 4 t.cc"
    for number, blocks in enumerate(sites):
        for born, ended in blocks:
            key = len(events), number
            events.append([born, ended, key])
    allocations = [f"a 64 {key[1] + 1:x}" for _, _, key in events]
    order = sorted([(born, "+", key[0]) for born, _, key in events] +
                   [(ended, "-", key[0]) for _, ended, key in events if ended < 1])
    moves, now = [], -1
    for time, sign, index in order:
        if int(time * RUN_MS) > now:
            now = int(time * RUN_MS)
            moves.append(f"c {now:x}")
        moves.append(f"{sign} {index:x}")
    return "\n".join(lines + allocations + moves + [f"c {RUN_MS:x}"]) + "\n"


def verdicts(heaptap, sites):
    """By site: what `heaptap leaks` says of it; None of those that it doesn't list."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write(text_of(sites))
    try:
        answer = json.loads(subprocess.check_output([heaptap, "leaks", "--json", "-n", "0", "--callers", "0", file.name],
                                                    stderr=subprocess.DEVNULL))
    finally:
        os.unlink(file.name)
    words = {site["function"]: site["verdict"] for site in answer["sites"]}
    return [words.get(f"site{number}") for number in range(len(sites))]


def is_accused(word):
    return word in ("leaks", "grows")


def is_found(heaptap, count, faulty):
    """Is a site of this kind accused, among four sound ones?"""
    return is_accused(verdicts(heaptap, [faulty(count)] + [random.choice(SOUND)(count) for _ in range(4)])[0])


def is_falsely_accused(heaptap, count, kinds):
    """Is any of two to eight sites accused?"""
    return any(map(is_accused, verdicts(heaptap, [random.choice(kinds)(count) for _ in range(random.randint(2, 8))])))
