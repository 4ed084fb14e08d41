"""Profiles of a fleet that is not there: 20 services whose stacks, sizes and frequencies are those of real recordings.

A service has some 1500 stacks of the recordings, under a root of its own.  What an instance reports is drawn as Go's runtime
draws: one sample about every 512 KiB, so that a stack that allocates little is in few profiles, and then stands for
more.  Drawing each sample of each profile is slow; so each stack has 128 drawn beforehand, and a profile takes one of these."""
import gzip
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "helpers"))
from protobuf import message as decode, packed  # noqa: E402
from protobuf_encode import field as message, field as number, varint  # noqa: E402

PERIOD = 512 * 1024
SAMPLES = 1000  # of a profile, on average
STACKS = 1500   # of a service
DRAWN = 128     # for each stack
TYPES = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
PYTHON = ("import json,decimal,asyncio,http.client,unittest,email.message,argparse,logging.config,xml.dom.minidom,difflib,"
          "pydoc;json.loads(json.dumps([{str(i):[i]*5} for i in range(3000)]))")


def read_stacks(path):
    """(frames, objects, bytes) of each stack; a frame is a tuple of (function, file, line), the innermost first."""
    profile = decode(gzip.open(path).read())
    text = [raw.decode() for raw in [b""] + profile[6][-len(profile[6]) + 1:]]
    types = [text[decode(raw)[1][0]] for raw in profile[1]]
    functions, frames = {}, {}
    for raw in profile[5]:
        one = decode(raw)
        functions[one[1][0]] = text[one.get(2, [0])[0]], text[one.get(4, [0])[0]]
    for raw in profile[4]:
        one = decode(raw)
        lines = [decode(line) for line in one.get(4, [])]
        frames[one[1][0]] = tuple(functions[line[1][0]] + (line.get(2, [0])[0],) for line in lines) \
            or ((f"0x{one.get(3, [0])[0]:x}", "", 0),)
    sums = {}
    for raw in profile[2]:
        one = decode(raw)
        values = list(packed(one[2][0]))
        stack = tuple(frames[at] for at in packed(one[1][0]))
        before = sums.get(stack, (0, 0))
        sums[stack] = (before[0] + values[types.index("alloc_objects")], before[1] + values[types.index("alloc_space")])
    return [(stack, objects, size) for stack, (objects, size) in sums.items() if objects > 0 and size > 0]


def recorded(heaptap, source, folder):
    """The stacks of an OCaml program and of a Python program."""
    python, ocaml = os.path.join(folder, "python.pb.gz"), os.path.join(folder, "ocaml.pb.gz")
    subprocess.run([heaptap, "pprof", os.path.join(source, "tests/golden/valid/irmin-replay-v2.ctf"), "-o", ocaml], check=True)
    subprocess.run([heaptap, "record", "--native", "-q", "--no-follow", "-r", "0.01", "-o", python, "/usr/bin/python3", "-c", PYTHON],
                   check=True)
    return [stack for path in (ocaml, python) for stack in read_stacks(path)]


def poisson(choose, mean):
    if mean > 50:
        return max(0, round(choose.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, choose.random()
    while product > limit:
        count += 1
        product *= choose.random()
    return count


def scale_of(weights, wanted):
    """What the weights have to be multiplied with so that `wanted` of them give at least one sample."""
    low, high = 1e-9, 1e9
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sum(-math.expm1(-w * middle) for w in weights) < wanted else (low, middle)
    return low


class Service:
    """What all instances of one version of a service share: the tables of a profile, and samples that were drawn."""

    def __init__(self, stacks, name, version, grown=1.0):
        """`grown`: how much more than in other versions the stacks of the largest allocation site allocate."""
        choose = random.Random(name)
        mine = choose.sample(stacks, min(STACKS, len(stacks)))
        weights = [math.sqrt(size) * choose.lognormvariate(0, 1) for _, _, size in mine]
        scale = scale_of(weights, min(SAMPLES, len(mine) * 0.9))
        live = [choose.random() if choose.random() < 0.5 else 0 for _ in mine]
        self.strings, self.locations, self.functions, self.tables = {"": 0}, {}, {}, []
        for kind, unit in TYPES:
            self.tables.append(message(1, number(1, self.text(kind)) + number(2, self.text(unit))))
        site = mine[max(range(len(mine)), key=lambda i: weights[i])][0][0]
        drawing = random.Random(f"{name} {version}")
        self.name, self.version, self.truth = name, version, {}
        self.drawn = []
        for (frames, objects, size), weight, alive in zip(mine, weights, live):
            mean = weight * scale * (grown if frames[0] == site else 1)
            ids = b"".join(varint(self.location(frame)) for frame in (*frames, ((f"{name}.main", "main.go", 1),)))
            one = size / objects
            self.drawn.append([self.sample(drawing, ids, mean, one, alive) for _ in range(DRAWN)])
            key = tuple(frames[0])
            self.truth[key] = self.truth.get(key, 0) + mean * one / -math.expm1(-one / PERIOD)
        head = message(11, number(1, self.text("space")) + number(2, self.text("bytes"))) + number(12, PERIOD)
        strings = b"".join(message(6, value.encode()) for value in self.strings)
        self.head = b"".join(self.tables) + head + strings

    def text(self, value):
        return self.strings.setdefault(value, len(self.strings))

    def function(self, name, file):
        made = self.functions.get((name, file))
        if made is None:
            made = self.functions[name, file] = len(self.functions) + 1
            self.tables.append(message(5, number(1, made) + number(2, self.text(name)) + number(4, self.text(file))))
        return made

    def location(self, frame):
        made = self.locations.get(frame)
        if made is None:
            made = self.locations[frame] = len(self.locations) + 1
            lines = b"".join(message(4, number(1, self.function(name, file)) + number(2, line)) for name, file, line in frame)
            self.tables.append(message(4, number(1, made) + lines))
        return made

    def sample(self, choose, ids, mean, size, alive):
        seen = -math.expm1(-size / PERIOD)
        count = poisson(choose, mean)
        if count == 0:
            return b""
        kept = sum(choose.random() < alive for _ in range(count)) if alive and count < 50 else round(count * alive)
        objects, live = round(count / seen), round(kept / seen)
        values = b"".join(map(varint, (objects, round(objects * size), live, round(live * size))))
        return message(2, message(1, ids) + message(2, values))

    def profile(self):
        return b"".join([self.head, *[drawn[at & DRAWN - 1] for drawn, at in zip(self.drawn, os.urandom(len(self.drawn)))]])
