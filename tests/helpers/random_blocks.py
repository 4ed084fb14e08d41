"""The blocks of a program that is made up, and a trace of them: random, the same for the same seed.

The trace is written as docs/trace-format.md has it; the numbers in comments are its sections."""
import os
import random
import struct
from collections import namedtuple

from protobuf_encode import field, varint

START = 1_600_000_000_000_000   # microseconds since the epoch
PID, METADATA_PID = 42, 0x0070617470616568
TIME_RANGE = 1 << 25
MINOR, MAJOR, EXTERNAL = range(3)
LOCATION, ALLOCATION, PROMOTION, COLLECTION = range(1, 5)
IDS_OF_A_DOMAIN = 1 << 32
HEADER_BYTES = 68
WORD_BYTES = 8
THREADS = {0: (100, "main"), 1: (101, "worker"), 2: (102, "worker")}
MODULES = ["/usr/bin/prog", "/opt/prog/lib/libshapes.so", "/opt/prog/lib/libtext.so"]
MODULE_BYTES = 1 << 20
TYPES = ["Node", "Leaf", "str"]
RUN_US = 20_000_000

Location = namedtuple("Location", "function file line")
# Of a stack.  Locations are outermost first; `module` is an index, `type` what it says of a block whose innermost frame it is.
Frame = namedtuple("Frame", "locations module type", defaults=(None,))
# `number` is its place in the order of births; times are microseconds since the start; promoted and died are None for never.
Block = namedtuple("Block", "number domain source words samples stack born promoted died")


def frame(module, *locations):
    return Frame(tuple(Location(*location) for location in locations), module)


CALLERS = [frame(0, ("parse", "parse.c", 20)), frame(1, ("walk", "tree.c", 30)),
           frame(1, ("draw", "draw.c", 40), ("line", "line.c", 41)), frame(2, ("join", "text.c", 50))]
PLACES = [frame(1, ("node_new", "tree.c", 60)), frame(2, ("text_new", "text.c", 70), ("buffer_grow", "buffer.c", 71)),
          frame(1, ("shape_new", "shape.c", 80)), frame(0, ("table_add", "table.c", 90)),
          frame(0, ("list_add", "list.c", 95), ("std::vector::grow", "vector.h", 96))]
TYPED = [place._replace(type=name) for place, name in zip(PLACES, TYPES)]
MAIN, LIBRARY = frame(0, ("main", "main.c", 10)), frame(0, ("std::string::append", "string.h", 97))


def random_stack(chance):
    stack = [MAIN, *chance.choices(CALLERS, k=chance.randrange(4)), chance.choice(PLACES + TYPED)]
    if stack[-1].type is None and chance.random() < 0.3:
        stack.append(LIBRARY)
    return tuple(stack)


def random_life(chance, source):
    """When a block is born, promoted and dies."""
    born = chance.random()
    promoted = born + chance.expovariate(20) if source == MINOR and chance.random() < 0.5 else None
    died = (promoted or born) + chance.expovariate(5) if chance.random() < 0.8 else None
    return [time if time is not None and time < 1 else None for time in (born, promoted, died)]


def random_blocks(seed, rate, count=250):
    """Blocks in order of birth, and when the last event is.  No two events are at the same time."""
    chance = random.Random(seed)
    blocks = []
    for _ in range(count):
        source = chance.choice([MINOR, MINOR, MAJOR, EXTERNAL])
        words = int(2 ** chance.uniform(1, 12))
        blocks.append(Block(0, chance.randrange(len(THREADS)), source, words, words + 1 if rate == 1 else chance.randrange(1, 50),
                            random_stack(chance), *random_life(chance, source)))
    moments = sorted(time for block in blocks for time in block[-3:] if time is not None)
    times = dict(zip(moments, sorted(chance.sample(range(1, RUN_US), len(moments)))))
    blocks = [block._replace(**{name: times.get(getattr(block, name)) for name in ("born", "promoted", "died")}) for block in blocks]
    blocks.sort(key=lambda block: block.born)
    return [block._replace(number=number) for number, block in enumerate(blocks)], max(times.values())


class TraceWriter:
    """Blocks, in order of birth, as a trace: those of a process that has some of the threads, which began later than the run, and has its
    modules at addresses of its own."""

    def __init__(self, blocks, rate, threads=THREADS, process=0, later=0):
        self.blocks, self.codes = blocks, {}
        self.threads, self.pid, self.start = threads, PID + process, START + later
        self.modules = [(4 + i + process * len(MODULES)) * MODULE_BYTES for i in range(len(MODULES))]
        self.head = self.packet(struct.pack("<IdB", self.start % TIME_RANGE, rate, 8 * WORD_BYTES) + b"/usr/bin/prog\0host\0\0" +
                                struct.pack("<Q", self.pid) + b"\0")

    def packet(self, body, domain=0, pid=None, first_id=0, end_id=0, end=0):    # 4.1
        return struct.pack("<IIqqIHQHHHQQQ", 0xC1FC1FC1, (HEADER_BYTES + len(body)) * 8, self.start, START + end, 0, 3,
                           self.pid if pid is None else pid, domain, 0xFFFF, 0, 0, first_id, end_id) + body

    offsets = {}

    def code_of(self, at):
        """Every frame has a code of its own, at the same place of its module in each process."""
        offset = self.offsets.setdefault(at, 16 * (len(self.offsets) + 1))
        return self.codes.setdefault(at, self.modules[at.module] + offset)

    @staticmethod
    def event(kind, time):      # 5.1
        return struct.pack("<I", kind << 25 | (START + time) % TIME_RANGE)

    @staticmethod
    def vint(value):
        return bytes([value]) if value < 253 else struct.pack("<Bi", 254, value)

    def locations(self):        # 7.1
        out = b""
        for at, code in self.codes.items():
            out += self.event(LOCATION, self.start - START) + struct.pack("<QB", code, len(at.locations))
            for function, file, line in at.locations:
                out += (line | 31 << 38 | 31 << 43).to_bytes(6, "little") + file.encode() + b"\0" + function.encode() + b"\0"
        return out

    def allocation(self, block):    # 9.1, 9.3: every code in full
        codes = [self.code_of(at) for at in block.stack]
        return (self.vint(block.words) + self.vint(block.samples) + bytes([block.source]) + self.vint(0) +
                struct.pack("<H", len(codes)) + b"".join(struct.pack("<HQ", (code & 0xFFF) << 2 | 3, code) for code in codes))

    def events(self, domain):
        """The events of a domain and how many are births.  Its blocks' ids count from a number of its own."""
        mine = sorted((block for block in self.blocks if block.domain == domain), key=lambda block: block.born)
        events = []
        for number, block in enumerate(mine):
            events += [(time, kind, number, block) for time, kind in ((block.born, ALLOCATION), (block.promoted, PROMOTION),
                                                                      (block.died, COLLECTION)) if time is not None]
        out, born = b"", 0
        for time, kind, number, block in sorted(events, key=lambda event: event[:3]):
            born += kind == ALLOCATION
            rest = self.allocation(block) if kind == ALLOCATION else self.vint(born - 1 - number)
            out += self.event(kind, time) + rest
        return out, born

    def metadata(self):     # 11
        def record(kind, layout, *values):
            fields = struct.pack(layout, *values[:-1]) + values[-1].encode() + b"\0"
            fields += struct.pack("<Q", 0) if kind == 2 else b""
            return struct.pack("<BI", kind, len(fields)) + fields
        out = b"".join(record(2, "<QQQqqB", start, MODULE_BYTES, 0, 0, -1, 0, path) for start, path in zip(self.modules, MODULES))
        out += b"".join(record(3, "<HQ", number, *self.threads[domain]) for number, domain in enumerate(self.threads))
        return out + b"".join(record(4, "<Q", code, at.type) for at, code in self.codes.items() if at.type)

    def data(self):
        bodies = [self.events(domain) for domain in self.threads]
        known = self.locations()
        out = self.head + self.packet(self.metadata(), pid=METADATA_PID)
        for domain, (body, born) in enumerate(bodies):
            first = domain * IDS_OF_A_DOMAIN
            out += self.packet(known + body, domain, first_id=first, end_id=first + born, end=RUN_US)
        return out


def write_processes(path, blocks, rate):
    """The same run as a folder of traces, each of a process that has one of the threads and begins with its first block; none says when it
    ended."""
    os.mkdir(path)
    for process, domain in enumerate(THREADS):
        mine = [block for block in blocks if block.domain == domain]
        writer = TraceWriter(mine, rate, {domain: THREADS[domain]}, process, process and mine[0].born)
        with open(os.path.join(path, f"{process}.ctf"), "wb") as file:
            file.write(writer.data())


def write_trace(path, blocks, rate):
    with open(path, "wb") as file:
        file.write(TraceWriter(blocks, rate).data())


# ---- As a profile of pprof ----------------------------------------------------------------------

class Strings(dict):
    """Their numbers in a profile's table."""

    def __missing__(self, text):
        self[text] = len(self)
        return self[text]


PROFILE_TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


def write_profile(path, blocks, labels_of):
    """A sample for each block, with its labels: numbers and texts."""
    strings, functions, locations = Strings({"": 0}), {}, {}
    out = b"".join(field(1, field(1, strings[name]) + field(2, strings[unit])) for name, unit in PROFILE_TYPES)
    for block in blocks:
        ids = [locations.setdefault(at, len(locations) + 1) for at in reversed(block.stack)]
        labels = b"".join(field(3, field(1, strings[key]) + (field(2, strings[value]) if isinstance(value, str) else field(3, value)))
                          for key, value in labels_of(block).items())
        out += field(2, field(1, b"".join(map(varint, ids))) + field(2, 2 * (varint(1) + varint(block.words * WORD_BYTES))) + labels)
    for i, path_of_module in enumerate(MODULES):
        out += field(3, field(1, i + 1) + field(2, (i + 4) * MODULE_BYTES) + field(3, (i + 5) * MODULE_BYTES) +
                     field(5, strings[path_of_module]) + field(7, 1) + field(8, 1) + field(9, 1) + field(10, 1))
    for at, number in locations.items():
        lines = b"".join(field(4, field(1, functions.setdefault(place[:2], len(functions) + 1)) + field(2, place.line))
                         for place in reversed(at.locations))
        out += field(4, field(1, number) + field(2, at.module + 1) + field(3, (at.module + 4) * MODULE_BYTES + 16 * number) + lines)
    for (function, file), number in functions.items():
        out += field(5, field(1, number) + field(2, strings[function]) + field(4, strings[file]))
    out += b"".join(field(6, text.encode()) for text in strings) + field(9, START * 1000)
    with open(path, "wb") as profile:
        profile.write(out)
