#!/usr/bin/python3
"""Small traces of known content, for tests of the commands.

usage: make_trace.py KIND [WORD_BITS] > TRACE

Every trace is of version 3, at rate 0.5, with words of 64 bits unless told; each block has 3 words and the
samples given, so that a sample stands for 16 bytes and for half an object.
"""
import struct
import sys

START = 1_600_000_000_000_000  # microseconds since the epoch


class Writer:
    def __init__(self, program=b"prog", host=b"host", word_bits=64):
        info = struct.pack("<IdB", START & 0x1FFFFFF, 0.5, word_bits) + program + b"\0" + host + b"\0\0"
        info += struct.pack("<Q", 42) + b"\0"
        self.packets = [self.packet(info, 0)]
        self.body, self.allocations = b"", 0

    @staticmethod
    def packet(body, allocations):
        header = struct.pack("<IIqqIHQHHHQQQ", 0xC1FC1FC1, (68 + len(body)) * 8, START, START, 0, 3,
                             42, 0, 0xFFFF, 0, 0, 0, allocations)
        return header + body

    def locate(self, code, *locations):
        """Locations are (function, file, line), outermost first."""
        self.body += struct.pack("<IQB", 1 << 25 | START & 0x1FFFFFF, code, len(locations))
        for function, file, line in locations:
            packed = line | 2 << 20 | 9 << 28 | 31 << 38 | 31 << 43
            self.body += packed.to_bytes(6, "little") + file + b"\0" + function + b"\0"

    def allocate(self, samples, codes, common=0, runs=()):
        """A block with `common` frames of the last stack, then `codes`, then, for each of `runs`,
        the last code that many times more (255 at most)."""
        words = b"".join(struct.pack("<HQ", (code & 0xFFF) << 2 | 3, code) for code in codes)
        bucket = codes[-1] & 0xFFF if codes else 0
        words += b"".join(struct.pack("<HB", bucket << 2 | 2, run - 1) for run in runs)
        self.body += struct.pack("<IBBB", 2 << 25 | START & 0x1FFFFFF, 3, samples, 0)
        self.body += self.vint(common) + struct.pack("<H", len(codes) + len(runs)) + words
        self.allocations += 1

    @staticmethod
    def vint(value):
        return bytes([value]) if value < 253 else struct.pack("<Bi", 254, value)

    def data(self):
        return b"".join(self.packets) + (self.packet(self.body, self.allocations)
                                         if self.body else b"")


def empty(writer):
    """A trace without any event."""


def inlined(writer):
    """main calls step; step has two inlined functions, of which the inner allocates; recursion."""
    writer.locate(1, (b"main", b"main.c", 10))
    writer.locate(2, (b"step", b"step.c", 20), (b"grow", b"list.c", 30), (b"push", b"list.c", 31))
    writer.locate(3, (b"step", b"step.c", 21))
    writer.allocate(4, [1, 2])
    writer.allocate(2, [3, 3, 2], common=1)
    writer.allocate(1, [3], common=1)


def unknown(writer):
    """Stacks that are empty, end in codes without a location, or have only such."""
    writer.locate(1, (b"main", b"main.c", 10))
    writer.locate(2)
    writer.allocate(8, [])
    writer.allocate(4, [1, 2])
    writer.allocate(2, [0xABC, 0xABD, 0xABE, 0xABF])
    writer.allocate(1, [1, 0xABC, 0xABD])


def names(writer):
    """Names that would break a format which doesn't escape them."""
    writer.locate(1, (b"a;b\nc", b"x,\"y\".c", 1))
    writer.locate(2, (b"<b>&\"'</b>", b"z.c", 2))
    writer.locate(3, (b"bad \xff\x1b[31m]]>", b"z.c", 3))
    writer.allocate(1, [1, 2, 3])


def deep(writer):
    """One function 100 001 calls deep, and 100 blocks on the way there."""
    writer.locate(1, (b"main", b"main.c", 1))
    writer.locate(2, (b"down", b"main.c", 2))
    writer.allocate(1, [1, 2], runs=[250] * 400)
    for depth in range(0, 100_000, 1000):
        writer.allocate(1, [], common=100_002 - depth)


def main():
    kinds = {kind.__name__: kind for kind in (empty, inlined, unknown, names, deep)}
    writer = Writer(word_bits=int(sys.argv[2]) if len(sys.argv) > 2 else 64)
    kinds[sys.argv[1]](writer)
    sys.stdout.buffer.write(writer.data())


if __name__ == "__main__":
    main()
