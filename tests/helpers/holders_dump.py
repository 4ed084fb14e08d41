"""Snapshots of what holds a program's blocks, read by src/spec/holders_dump.h alone: for tests that compute from them what heaptap
computes in another way."""

import dataclasses

MAGIC = b"heaptap holders 6\n"


@dataclasses.dataclass
class Block:
    address: int
    size: int
    id: int
    first: int
    edges: list  # (offset, block's number)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)


class Dump:
    """`blocks`; `roots`: (kind, thread's number or 0, address, block's number); `threads`: (id, pointer, name, frames); `maps`: text."""

    @staticmethod
    def frames(r):
        found = []
        while r.number() > 0:
            found.append((r.number(), r.number()))
        return found

    def __init__(self, path):
        with open(path, "rb") as file:
            r = Reader(file.read())
        assert r.take(len(MAGIC)) == MAGIC
        assert r.take(1) == b"S"
        self.cause, self.time_us = r.number(), r.number()
        assert r.number() == 0  # not of objects
        assert r.take(1) == b"M"
        self.maps = r.take(r.number()).decode()
        assert r.take(1) == b"T"
        self.threads = [(r.number(), r.number(), r.take(16).rstrip(b"\0").decode(), self.frames(r)) for _ in range(r.number())]
        assert r.take(1) == b"B"
        self.blocks = []
        address = block_id = 0
        for _ in range(r.number()):
            address += r.number()
            size = r.number()
            known = r.number()  # 0: the trace doesn't have it
            if known > 0:
                block_id += (known - 1) >> 1 ^ -((known - 1) & 1)
            self.blocks.append(Block(address, size, block_id if known > 0 else None, r.number(), []))
        assert r.take(1) == b"E"
        for number, block in enumerate(self.blocks):
            offset = 0
            while (step := r.number()) > 0:
                offset += (step - 1) * 8
                block.edges.append((offset, number + r.signed()))
        assert r.take(1) == b"R"
        self.roots = []
        while (kind := r.number()) > 0:
            thread, place = r.number(), r.number()
            while (step := r.number()) > 0:
                place += (step - 1) * 8
                self.roots.append((kind, thread, place, r.number()))
        assert r.take(1) == b"Z"
        self.still_us, self.processor_us = r.number(), r.number()
        assert r.at == len(r.data)
