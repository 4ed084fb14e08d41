"""Stores of a fleet whose levels are known, and the verdicts of `heaptap leaks` on them.

A site is a function of an instance's age, in parts of the whole time, and of the time, that gives (bytes in use, bytes allocated since the
profile before).  An instance has labels, a start and an end in minutes, and its sites; each minute has a profile."""
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

from protobuf_encode import field, varint

MINUTE_NS = 60 * 10**9
MB = 1 << 20


def profile(sites, at_ns):
    """`sites`: by name, bytes in use and allocated."""
    strings = ["", "alloc_space", "bytes", "inuse_space", "main", "app.c"] + list(sites)
    out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 2))
    for i, (in_use, allocated) in enumerate(sites.values(), 2):
        out += field(2, field(1, varint(i) + varint(1)) + field(2, varint(int(allocated)) + varint(int(in_use))))
    for i in range(1, len(sites) + 2):
        out += field(4, field(1, i) + field(4, field(1, i) + field(2, 10 * i)))
        out += field(5, field(1, i) + field(2, 4 if i == 1 else i + 4) + field(4, 5))
    out += b"".join(field(6, string.encode()) for string in strings)
    return out + field(9, at_ns - MINUTE_NS) + field(10, MINUTE_NS)


def noisy(value, noise):
    return max(0.0, value * random.gauss(1, noise))


# ---- Kinds of sites: (minute, age in minutes, of how many) -> (in use, allocated)
def leak(rate=.02, base=20, noise=.03):
    return lambda minute, age, whole: (noisy(base * MB, noise) + rate * MB * age * 20, 5 * MB)


def leak_under_load(period, rate=.05, noise=.03):
    """A leak beside what comes and goes with the load."""
    def site(minute, age, whole):
        load = 1 + .5 * math.sin(2 * math.pi * minute / period)
        return noisy(10 * MB * load, noise) + rate * MB * age * 20, 5 * MB * load
    return site


def steady(base=20, noise=.05):
    return lambda minute, age, whole: (noisy(base * MB, noise), noisy(5 * MB, noise))


def cache(filled, noise=.02):
    """Fills in a part of the time, at an even pace."""
    return lambda minute, age, whole: (noisy(30 * MB * min(1, age / (filled * whole)), noise), 5 * MB)


def cache_at_random(filled, noise=.02):
    """Fills ever more slowly, as one whose entries are replaced at random does."""
    return lambda minute, age, whole: (noisy(30 * MB * (1 - math.exp(-3 * age / (filled * whole))), noise), 5 * MB)


def periodic(period, part=.8, noise=.05, lag=0):
    """In use what the load is, a while later."""
    def site(minute, age, whole):
        load, later = (1 + part * math.sin(2 * math.pi * at / period) for at in (minute, minute - lag))
        return noisy(20 * MB * later, noise), noisy(5 * MB * load, noise)
    return site


def rising_load(noise=.05):
    """Morning: ever more is in use, as ever more is asked."""
    def site(minute, age, whole):
        load = 1 + 4 * minute / whole
        return noisy(5 * MB * load, noise), noisy(MB * load, noise)
    return site


def wandering():
    """An AR(1) process: what is in use now is much as it was."""
    state = [0.0]

    def site(minute, age, whole):
        state[0] = .8 * state[0] + random.gauss(0, .1)
        return max(0, 20 * MB * (1 + state[0])), noisy(5 * MB, .05)
    return site


def bursts():
    ends = [0, 0]

    def site(minute, age, whole):
        if random.random() < .05:
            ends[0], ends[1] = minute + random.randint(1, 8), random.uniform(5, 60)
        return noisy((5 + (ends[1] if minute < ends[0] else 0)) * MB, .05), noisy(5 * MB, .1)
    return site


def sound(whole):
    return random.choice([lambda: steady(), lambda: cache(random.uniform(.05, .6)), lambda: cache_at_random(random.uniform(.1, .6)),
                          lambda: periodic(random.uniform(.03, 3) * whole, lag=random.uniform(0, 3)), rising_load, wandering, bursts])()


# ---- Stores
def make(heaptap, path, instances, whole, folder):
    """`instances`: (labels, start, end, sites by name); an end past `whole` is none."""
    subprocess.run([heaptap, "fleet", "store", "init", path], check=True, capture_output=True)
    begin_ns = (int(time.time()) // 60 - whole - 60) * MINUTE_NS
    for number, (labels, start, end, sites) in enumerate(instances):
        files = []
        for minute in range(start, min(end, whole)):
            values = {name: site(minute, minute - start, whole) for name, site in sites.items()}
            files.append(pathlib.Path(folder, f"{number}-{minute}.pb"))
            files[-1].write_bytes(profile(values, begin_ns + minute * MINUTE_NS))
        words = [word for key, value in labels.items() for word in ("-l", f"{key}={value}")]
        subprocess.run([heaptap, "fleet", "store", "add", *words, path, *files], check=True, capture_output=True)
        for file in files:
            file.unlink()


def answer(heaptap, path, *conditions):
    return json.loads(subprocess.run([heaptap, "leaks", "--json", "-n", "0", "--callers", "0", "store:" + str(path), *conditions],
                                     capture_output=True, check=True).stdout)


def verdicts(heaptap, instances, whole=160):
    """By name of the site: its verdict, and the evidence."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "app.db")
        make(heaptap, path, instances, whole, folder)
        return {site["function"]: (site.get("verdict"), site.get("evidence")) for site in answer(heaptap, path)["sites"]}


def fleet(count, sites, whole=160, **labels):
    """Instances that all run for the whole time; `sites` makes those of each."""
    return [({"host": f"h{i}", **labels}, 0, whole, sites()) for i in range(count)]
