"""Programs whose leaks are known: what the blocks of their sites live for, and the verdicts of `heaptap leaks` on them.

A site is a list of (birth, end) or (birth, end, bytes), in parts of the run; an end of 1 or more is never.  A program is a list of sites, written as
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
BLOCK_BYTES = 100


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


def late_table(count):
    """A table that is filled in the midst of the run, by a line that makes blocks of a moment besides, and is full some time before the end."""
    start, until, part = uniform(0, .5), uniform(.8, .88), count // 2
    return [(uniform(start, until), NEVER) for _ in range(part)] + [(born, born + .0001) for born in (uniform(start, until) for _ in range(count - part))]


def periodic(count):
    period, phase, closes = uniform(.03, .33), uniform(0, 1), random.random() < .5
    blocks = []
    while len(blocks) < count:
        born = uniform(0, 1)
        turn = born / period + phase
        if random.random() < .5 + .5 * math.sin(2 * math.pi * turn):
            blocks.append((born, (math.floor(turn) + 1 - phase) * period if closes else born + lasting(period / 5)))
    return blocks


# ---- Kinds that no threshold was chosen by
def rhythms(count):
    """Days and hours: the rate of births has both, and blocks live as long as work takes, or until the day ends."""
    day, hour, phase, closes = uniform(.2, .6), uniform(.01, .05), uniform(0, 1), random.random() < .3
    blocks = []
    while len(blocks) < count:
        born = uniform(0, 1)
        turn = born / day + phase
        rate = (.5 + .5 * math.sin(2 * math.pi * turn)) * (.7 + .3 * math.sin(2 * math.pi * born / hour))
        if random.random() < rate:
            blocks.append((born, (math.floor(turn) + 1 - phase) * day if closes and random.random() < .3 else born + lasting(hour)))
    return blocks


def time_to_live(count):
    """A cache whose entries go a fixed time after their last use."""
    after, again = uniform(.01, .15), uniform(.05, .5)
    blocks = []
    for born in births(count):
        end = born + after
        while random.random() < again:
            end += after * uniform(0, 1)
        blocks.append((born, end))
    return blocks


def resized(count):
    """The least recent go, from a cache whose capacity changes some times, down as well as up."""
    capacities = [max(2, int(count * uniform(.03, .3))) for _ in range(random.randint(2, 6))]
    entries, ended = collections.OrderedDict(), []
    for i in range(count):
        now = i / count
        capacity = capacities[int(now * len(capacities))]
        while len(entries) >= capacity:
            ended.append((entries.popitem(last=False)[1], now))
        if entries and random.random() < .3:
            entries.move_to_end(random.choice(list(entries)[:8]))
        entries[i] = now
    return ended + [(born, NEVER) for born in entries.values()]


def slowly_filled(count):
    """Full after 40 % to 70 % of the run."""
    filled, part = uniform(.4, .7), uniform(.3, 1)
    return [(born, born + filled) for born in births(int(count * part))] + short(count - int(count * part))


def arenas(count):
    """Blocks end with their arena, of which there are several."""
    clocks = []
    for _ in range(random.randint(1, 6)):
        at, every, resets = uniform(0, .1), uniform(.02, .2), []
        while at < 1:
            resets.append(at)
            at += every * uniform(.5, 1.5)
        clocks.append(resets + [1 + uniform(0, .2)])
    return [(born, next(reset for reset in random.choice(clocks) if reset > born)) for born in births(count)]


def bursts(count):
    """Much comes at once, now and then, and goes together."""
    blocks = short(count // 3)
    while len(blocks) < count:
        at, width, life = uniform(0, 1), uniform(.001, .01), lasting(uniform(.02, .1))
        blocks += [(min(.999999, at + uniform(0, width)), at + width + life) for _ in range(random.randint(5, count // 10))]
    return blocks


def heavy_tailed(count):
    """Connections: most end soon, few last."""
    least, shape = uniform(.001, .005), uniform(1.5, 2.5)
    return [(born, born + least * random.paretovariate(shape)) for born in births(count)]


# ---- One block, replaced again and again
def replaced(count, size_at):
    """Of the size that `size_at` has for the time, in BLOCK_BYTES; where that is as before, it stays.  Its line makes blocks of a moment besides."""
    blocks, born, last = [], 0, None
    for now in sorted(births(count)):
        size = max(1, int(size_at(now) * BLOCK_BYTES))
        if size != last and last:
            blocks.append((born, now, last))
        if size != last:
            born, last = now, size
    return blocks + [(born, NEVER, last)] + short(count // 5)


def reallocated_larger(count):
    """By as much each time, or ever more, or as the root of time."""
    power, most = uniform(.6, 1.5), uniform(count / 10, count)
    return replaced(count, lambda now: most * now ** power)


def reallocated_up_and_down(count):
    """Any size, or one near the last; or what comes with a period."""
    most, period, phase, walk, steps = uniform(10, count), uniform(.03, .5), uniform(0, 1), [uniform(10, count)], random.choice([[.02], [.001], [0, 0, 0, .1]])

    def step():
        walk[0] *= math.exp(random.gauss(0, random.choice(steps)))
        return walk[0]
    return replaced(count, random.choice([lambda now: most * uniform(0, 1), lambda now: step(),
                                          lambda now: most * (1.1 + math.sin(2 * math.pi * (now / period + phase)))]))


def flushed(count):
    """A buffer that is enlarged until it is written, and begins again."""
    most, period, phase = uniform(10, count), uniform(.03, .4), uniform(0, 1)
    return replaced(count, lambda now: most * ((now / period + phase) % 1))


def working_size(count):
    """Enlarged until it has the size that it works with, early in the run."""
    most, until = uniform(10, count), uniform(.02, .6)
    return replaced(count, lambda now: most * min(1, now / until))


def largest_request(count):
    """Enlarged when a request is larger than all before."""
    highest, kind = [0], random.choice([lambda: uniform(0, 100), lambda: lasting(100), lambda: random.lognormvariate(4, 1), lambda: 10 * random.paretovariate(1.2)])

    def enlarged(now):
        highest[0] = max(highest[0], kind())
        return highest[0]
    return replaced(count, enlarged)


CACHES = (fifo, least_recent, at_random, rare_cache)
SOUND = CACHES + (warm_up, growth_that_ends, periodic, short)
REPLACED = (reallocated_up_and_down, flushed, working_size, largest_request)
FRESH = (rhythms, time_to_live, resized, slowly_filled, arenas, bursts, heavy_tailed)


def text_of(sites):
    lines, events = ["v 10400 3", "X ./prog", "s 6 t.cc"], []
    for number in range(len(sites)):
        name = f"site{number}"
        lines += [f"s {len(name):x} {name}", f"i {16 * (number + 1):x} 0 {number + 2:x} 1 {number + 1:x}", f"t {number + 1:x} 0"]
    lines[2] = "s 4 t.cc"
    for number, blocks in enumerate(sites):
        for born, ended, *size in blocks:
            key = len(events), number
            events.append([born, ended, key, *(size or [BLOCK_BYTES])])
    allocations = [f"a {size:x} {key[1] + 1:x}" for _, _, key, size in events]
    order = sorted([(born, "+", key[0]) for born, _, key, _ in events] +
                   [(ended, "-", key[0]) for _, ended, key, _ in events if ended < 1])
    moves, now = [], -1
    for time, sign, index in order:
        if int(time * RUN_MS) > now:
            now = int(time * RUN_MS)
            moves.append(f"c {now:x}")
        moves.append(f"{sign} {index:x}")
    return "\n".join(lines + allocations + moves + [f"c {RUN_MS:x}"]) + "\n"


def verdicts(heaptap, sites, one_in=1):
    """By site: what `heaptap leaks` says of it; None of those that it doesn't list.  Of one block in so many, drawn at random."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write(text_of(sites))
    names = [file.name]
    try:
        if one_in > 1:
            names.append(file.name + ".ctf")
            thinning = round(1 / (1 - (1 - 1 / one_in) ** (1 / BLOCK_BYTES)))  # of bytes, each of which can be drawn
            subprocess.run([heaptap, "file", "subsample", "-f", str(thinning), "--seed", str(random.randrange(1 << 30)), *names[:1], "-o", names[1]],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answer = json.loads(subprocess.check_output([heaptap, "leaks", "--json", "-n", "0", "--callers", "0", names[-1]],
                                                    stderr=subprocess.DEVNULL))
    finally:
        for name in names:
            os.unlink(name)
    words = {site["function"]: site["verdict"] for site in answer["sites"]}
    return [words.get(f"site{number}") for number in range(len(sites))]


def is_accused(word):
    return word in ("leaks", "grows")


def is_found(heaptap, count, faulty, one_in=1):
    """Is a site of this kind accused, among four sound ones?  With `count` blocks that are seen, of so many times as many."""
    return is_accused(verdicts(heaptap, [faulty(count * one_in)] + [random.choice(SOUND)(count * one_in) for _ in range(4)], one_in)[0])


def is_falsely_accused(heaptap, count, kinds, one_in=1):
    """Is any of two to eight sites accused?"""
    return any(map(is_accused, verdicts(heaptap, [random.choice(kinds)(count * one_in) for _ in range(random.randint(2, 8))], one_in)))
