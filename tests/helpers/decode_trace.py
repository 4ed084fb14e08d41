#!/usr/bin/env python3
"""A second decoder of the trace format, written from docs/trace-format.md alone.

It shares no code with heaptap and is slow; its use is to find out whether the program and the
page say the same. Section numbers in comments are those of the page.

    decode_trace.py [--order file|true] [--format dump|jsonl] FILE      (FILE may be -)

The exit status is 3 if the trace is damaged; every event before the damage is printed.
"""

import argparse
import heapq
import json
import os
import struct
import subprocess
import sys
import zlib
from typing import NamedTuple

MAGIC = 0xC1FC1FC1
METADATA_PID = 0x0070617470616568
SMALLEST_HEADER = 66
TIME_RANGE = 1 << 25
LONGEST_PACKET = 30_000_000     # microseconds
PLACES = 31                     # of a move-to-front table
BUCKETS = 1 << 14
NO_CHECK = 0xFFFF
DEEPEST = 1 << 22
MASK64 = (1 << 64) - 1

TRACE_INFO, LOCATION, ALLOCATION, PROMOTION, COLLECTION = range(5)
FIRST_SHORT, LAST_SHORT = 101, 116
SOURCES = ("alloc", "alloc_major", "alloc_ext")
KIND_NAMES = {ALLOCATION: "alloc", PROMOTION: "promote", COLLECTION: "collect"}


class Damage(Exception):
    """The trace is damaged at a byte offset."""

    def __init__(self, offset, expected):
        super().__init__(f"byte {offset}: {expected}")
        self.offset = offset


class Overrun(Exception):
    """A field goes on past the end of the bytes that may be read."""


class Info(NamedTuple):
    """Section 6, and the start of the trace."""
    version: int
    start: int
    rate: float
    word_size: int
    executable: bytes
    host: bytes
    parameters: bytes
    pid: int
    context: bytes


class Location(NamedTuple):
    """One source position that a code stands for."""
    function: bytes
    file: bytes
    line: int
    start: int
    end: int


class Event(NamedTuple):
    """An allocation, promotion or collection; the last five fields are of allocations only."""
    kind: int
    time: int           # since the start of the trace
    id: int
    domain: int
    source: int = 0
    samples: int = 0
    length: int = 0
    prefix: int = 0     # as in the file
    codes: tuple = ()


class Packet(NamedTuple):
    """A packet header, where its fields stand, and where its events end."""
    offset: int
    first_event: int
    end_offset: int     # of the packet, even where the trace ends earlier
    begin: int
    end: int
    version: int
    pid: int
    domain: int
    bucket: int
    prediction: int
    code: int
    first_id: int
    end_id: int


class Cursor:
    """Reads fields (section 2) one after another up to a limit."""

    def __init__(self, data, position, limit):
        self.data, self.position, self.limit = data, position, limit

    def at_end(self):
        return self.position >= self.limit

    def raw(self, size):
        """The next `size` bytes."""
        start = self.position
        if start + size > self.limit:
            raise Overrun
        self.position = start + size
        return self.data[start:start + size]

    def unsigned(self, size):
        return int.from_bytes(self.raw(size), "little")

    def signed(self, size):
        return int.from_bytes(self.raw(size), "little", signed=True)

    def f64(self):
        return struct.unpack("<d", self.raw(8))[0]

    def string(self):
        zero = self.data.find(b"\0", self.position, self.limit)
        if zero < 0:
            raise Overrun
        text = self.data[self.position:zero]
        self.position = zero + 1
        return text

    def vint(self):
        tag = self.unsigned(1)
        if tag == 253:
            return self.unsigned(2)
        if tag == 254:
            return self.signed(4)
        if tag == 255:
            return self.signed(8)
        return tag


def signed64(number):
    """A number modulo 2^64, as a signed one."""
    number &= MASK64
    return number - (1 << 64) if number >> 63 else number


class Domain:
    """What is kept for a domain from packet to packet."""

    def __init__(self):
        self.files = [None] * PLACES    # each None or a pair: name, table of functions
        self.codes = [0] * BUCKETS
        self.predictions = [0] * BUCKETS
        self.stack = ()
        self.last = None

    def file_entry(self, place, cursor):
        """Moves the entry of a file to the front of the table and returns it (7.2, 7.3)."""
        if place < PLACES:
            entry = self.files.pop(place) or (b"<unknown>", [None] * PLACES)
        else:
            name = cursor.string()
            fallen = self.files.pop()
            entry = (name, fallen[1] if fallen else [None] * PLACES)
        self.files.insert(0, entry)
        return entry

    def location(self, cursor):
        """Reads one location."""
        number = cursor.unsigned(6)
        file, functions = self.file_entry(number >> 38 & 31, cursor)
        place = number >> 43 & 31
        if place < PLACES:
            function = functions.pop(place)
            function = b"??" if function is None else function
        else:
            function = cursor.string()
            functions.pop()
        functions.insert(0, function)
        return Location(function, file, number & 0xFFFFF, number >> 20 & 0xFF, number >> 28 & 0x3FF)

    def call_stack(self, cursor, prefix, count):
        """Reads `count` codewords and returns the new last stack (9.2, 9.3)."""
        shortened = not 0 <= prefix <= len(self.stack)
        found = []
        kept = 0 if shortened else prefix
        previous = 0
        for _ in range(count):
            codeword = cursor.unsigned(2)
            tag, bucket = codeword & 3, codeword >> 2
            self.predictions[previous] = bucket
            if tag == 3:
                self.codes[bucket] = cursor.unsigned(8)
            predicted = cursor.unsigned(1) if tag == 2 else int(tag == 1)
            full = kept + len(found) >= DEEPEST
            previous = bucket
            frames = [self.codes[bucket]]
            for _ in range(predicted):
                previous = self.predictions[previous]
                frames.append(self.codes[previous])
            if not full:
                found += frames
        if not shortened:
            self.stack = self.stack[:prefix] + tuple(found)
        return self.stack


class Clock:
    """Finds the full time of a packet's events (section 5.2)."""

    def __init__(self, packet):
        self.begin, self.end = packet.begin, packet.end
        self.stepped = False

    def time(self, low, last):
        forward = signed64(self.begin + (low - self.begin) % TIME_RANGE)
        if not self.stepped:
            if forward <= self.end:
                return forward
            if (self.end < self.begin and signed64(forward - self.begin) <= LONGEST_PACKET
                    and (last is None or forward >= last)):
                return forward
        self.stepped = True
        return signed64(self.end - (self.end - low) % TIME_RANGE)


def read_field(cursor, function, *arguments):
    """Reads a field of the trace info."""
    field = cursor.position
    try:
        return function(*arguments)
    except Overrun:
        raise Damage(field, "a field of the trace info inside the packet") from None


class Trace:
    """A decompressed trace. `broken` says what was wrong with the compressed data, if anything was.

    `locations` (of each described code), `metadata` and `foreign` grow while events are read.
    """

    def __init__(self, data, broken=None):
        self.data, self.broken = data, broken
        self.locations = {}
        self.metadata = []
        self.foreign = 0
        self.domains = {}
        self.info, self.first = self._first_packet()

    # Packets (section 4)

    def _header(self, offset):
        """Reads the packet header at an offset."""
        left = len(self.data) - offset
        if int.from_bytes(self.data[offset:offset + 4], "little") != MAGIC:
            raise Damage(offset, "the magic number of a packet")
        if left < SMALLEST_HEADER:
            raise Damage(offset, "a whole packet header")
        bits, begin, end, _, version = struct.unpack_from("<IqqIH", self.data, offset + 4)
        if not 1 <= version <= 3:
            raise Damage(offset + 28, "version 1, 2 or 3")
        layout = "<QHHHQQQ" if version == 3 else "<QHHQQQ"
        size = 30 + struct.calcsize(layout)
        if left < size:
            raise Damage(offset, "a whole packet header")
        if bits // 8 < size:
            raise Damage(offset + 4, "a packet size that holds the header")
        fields = list(struct.unpack_from(layout, self.data, offset + 30))
        if version < 3:
            fields.insert(1, 0)
        return Packet(offset, offset + size, offset + bits // 8, begin, end, version, *fields)

    def _cursor(self, packet):
        """A cursor at the packet's first event."""
        return Cursor(self.data, packet.first_event, min(packet.end_offset, len(self.data)))

    def _is_cut(self, packet):
        return packet.end_offset > len(self.data)

    def _first_packet(self):
        """Reads the trace info (section 6); returns it and the first packet's header."""
        packet = self._header(0)
        cursor = self._cursor(packet)
        if read_field(cursor, cursor.unsigned, 4) >> 25 != TRACE_INFO:
            raise Damage(packet.first_event, "the trace info")
        rate = read_field(cursor, cursor.f64)
        word_size = read_field(cursor, cursor.unsigned, 1)
        names = [read_field(cursor, cursor.string) for _ in range(3)]
        pid = read_field(cursor, cursor.unsigned, 8)
        context = read_field(cursor, cursor.string) if packet.version >= 2 else b""
        if not 0 < rate <= 1:
            raise Damage(packet.first_event + 4, "a sample rate above 0 and at most 1")
        if word_size == 0 or word_size % 8 != 0:
            raise Damage(packet.first_event + 12, "a word size that is a multiple of 8")
        return Info(packet.version, packet.begin, rate, word_size, *names, pid, context), packet

    def _packets(self):
        """Yields the headers of the packets that hold events. The last may be cut."""
        offset = self.first.end_offset      # that the first packet is cut is no damage
        while True:
            while offset < len(self.data) and self.data[offset] == 0:
                offset += 1
            if offset >= len(self.data):
                break
            packet = self._header(offset)
            if packet.pid == self.info.pid:
                yield packet
            elif packet.pid == METADATA_PID:
                self.metadata.extend(records(self._cursor(packet)))
            else:
                self.foreign += 1
            if self._is_cut(packet):
                raise Damage(len(self.data), "the rest of the packet")
            offset = packet.end_offset
        if self.broken:
            raise Damage(len(self.data), self.broken)

    # Events (sections 5, 7, 8 and 9)

    def _verify(self, packet, domain):
        """Compares the header's sample of the call stack cache (9.4)."""
        if packet.bucket == NO_CHECK:
            return
        if (packet.bucket >= BUCKETS or domain.predictions[packet.bucket] != packet.prediction
                or domain.codes[packet.bucket] != packet.code):
            raise Damage(packet.offset, "a packet that follows the domain's last one")

    def _read_location(self, cursor, domain):
        """Reads a location event. The first description of a code stays (7.4)."""
        code = cursor.unsigned(8)
        count = cursor.unsigned(1)
        locations = [domain.location(cursor) for _ in range(count)]
        self.locations.setdefault(code, locations)

    def _read_allocation(self, cursor, code, domain):
        """Reads the fields of a short or long allocation."""
        if code == ALLOCATION:
            length, samples, source = cursor.vint(), cursor.vint(), cursor.unsigned(1)
        else:
            length, samples, source = code - FIRST_SHORT + 1, 1, 0
        prefix = cursor.vint()
        count = cursor.unsigned(2 if code == ALLOCATION else 1)
        if length < 0 or samples < 1 or source > 2:
            raise ValueError
        return source, samples, length, prefix, domain.call_stack(cursor, prefix, count)

    def _packet_events(self, packet):
        """Yields the events of a packet. Of a cut packet, those that are complete."""
        domain = self.domains.setdefault(packet.domain, Domain())
        self._verify(packet, domain)
        clock = Clock(packet)
        cursor = self._cursor(packet)
        next_id = packet.first_id
        code = None
        while not cursor.at_end():
            offset = cursor.position
            try:
                code = None
                head = cursor.unsigned(4)
                code = head >> 25
                time = clock.time(head % TIME_RANGE, domain.last)
                if code == LOCATION:
                    self._read_location(cursor, domain)
                    continue
                if code == ALLOCATION or FIRST_SHORT <= code <= LAST_SHORT:
                    block, fields = next_id, self._read_allocation(cursor, code, domain)
                    kind, next_id = ALLOCATION, next_id + 1 & MASK64
                elif code in (PROMOTION, COLLECTION):
                    kind, block, fields = code, next_id - 1 - cursor.vint() & MASK64, ()
                else:
                    raise Damage(offset, "an event code")
            except Overrun:
                # What a cut means is said where the packet was found; a location event may run
                # over the end of a packet (section 13).
                if self._is_cut(packet) or code == LOCATION:
                    return
                raise Damage(offset, "an event that ends inside its packet") from None
            except ValueError:
                raise Damage(offset, "an allocation with possible fields") from None
            domain.last = time
            yield Event(kind, signed64(time - self.info.start), block, packet.domain, *fields)
        if not self._is_cut(packet) and next_id != packet.end_id:
            raise Damage(packet.first_event - 8, f"end id {next_id}")

    def file_order(self):
        """Yields the events as they stand in the file, and raises Damage where it is damaged."""
        for packet in self._packets():
            yield from self._packet_events(packet)

    def true_order(self):
        """Yields the events as they happened (section 10), and raises Damage after the last."""
        events, damages, ended = {}, [], set()
        try:
            for packet in self._packets():
                if packet.domain in ended:
                    continue
                try:
                    for event in self._packet_events(packet):
                        events.setdefault(packet.domain, []).append(event)
                except Damage as damage:
                    damages.append(damage)
                    ended.add(packet.domain)
        except Damage as damage:
            damages.append(damage)
        for _, event in heapq.merge(*map(with_keys, events.values()), key=lambda pair: pair[0]):
            yield event
        if damages:
            raise min(damages, key=lambda damage: damage.offset)


def with_keys(events):
    """Yields the events of a domain, each with its key in the order across domains (section 10)."""
    latest = None
    for event in events:
        latest = event.time if latest is None else max(latest, event.time)
        yield (latest, event.id, event.kind), event


# Metadata (section 11)

def records(cursor):
    """Yields the records of a metadata packet that are sound and known."""
    while True:
        try:
            kind = cursor.unsigned(1)
            size = cursor.unsigned(4)
            start = cursor.position
            cursor.raw(size)
        except Overrun:
            return
        try:
            fields = record(kind, Cursor(cursor.data, start, start + size))
        except (Overrun, ValueError):
            continue
        if fields:
            yield fields


def record(kind, cursor):
    """The fields of a metadata record, or None for an unknown kind."""
    u16, u64 = (lambda: cursor.unsigned(2)), (lambda: cursor.unsigned(8))
    if kind == 1:
        return {"record": "property", "name": cursor.string(), "value": cursor.string()}
    if kind == 2:
        return {"record": "module", "address": u64(), "size": u64(), "offset": u64(),
                "loaded": cursor.signed(8), "unloaded": cursor.signed(8),
                "build_id": build_id(cursor), "path": cursor.string()}
    if kind == 3:
        return {"record": "thread", "domain": u16(), "thread": u64(), "name": cursor.string()}
    if kind == 4:
        return {"record": "type", "type": u64(), "name": cursor.string()}
    if kind == 5:
        return {"record": "drops", "domain": u16(), "count": u64(), "reason": cursor.string()}
    return None


def build_id(cursor):
    """A build id, in hexadecimal."""
    size = cursor.unsigned(1)
    if size > 64:
        raise ValueError
    return cursor.raw(size).hex()


# Compression (section 3)

def gunzip(data):
    """Decompresses all gzip members; returns the bytes, and what was wrong or None."""
    result = bytearray()
    position = 0
    while data[position:position + 2] == b"\x1f\x8b":
        member = zlib.decompressobj(31)
        while not member.eof:
            chunk = data[position:position + 4096]
            if not chunk:
                return bytes(result), "the rest of the gzip data"
            before = member.copy()
            try:
                result += member.decompress(chunk)
            except zlib.error:
                result += decompress_until_error(before, chunk)
                return bytes(result), "sound gzip data"
            position += len(chunk) - len(member.unused_data)
    return bytes(result), None


def decompress_until_error(member, chunk):
    """What the bytes of a chunk give before the first that is wrong."""
    result = b""
    try:
        for byte in chunk:
            result += member.decompress(bytes([byte]))
    except zlib.error:
        pass
    return result


def unzstd(data):
    """Decompresses all zstd frames; returns the bytes, and what was wrong or None."""
    done = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout, "sound zstd data" if done.returncode else None


def decompress(data):
    """The bytes of a trace, and what was wrong with its compression or None."""
    if data.startswith(b"\x1f\x8b"):
        return gunzip(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return unzstd(data)
    return data, None


# Output

def code_text(code, locations):
    """The locations of a code, or its number, as bytes."""
    if not locations:
        return b"$%d" % signed64(code)
    return b" ".join(b"%s@%s:%d:%d-%d" % location for location in locations)


def dump_line(event, text):
    """One event as `heaptap dump` prints it; `text` gives what to print for a code."""
    if event.kind != ALLOCATION:
        return b"%010d %010d %s" % (event.time, event.id, KIND_NAMES[event.kind].encode())
    line = b"%010d %010d %s %d len=%d dom=%d % 4d:" % (
        event.time, event.id, SOURCES[event.source].encode(), event.samples, event.length,
        event.domain, event.prefix)
    return line + b"".join(b" " + text(code) for code in event.codes)


def dump_lines(trace, events):
    """Yields the lines of a dump, with the names that are known when the event is read.

    In true order all descriptions have been read before the first event, in file order not.
    """
    texts = {}

    def text(code):
        if code not in texts:
            if code not in trace.locations:
                return code_text(code, None)
            texts[code] = code_text(code, trace.locations[code])
        return texts[code]

    for event in events:
        yield dump_line(event, text)


def printable(value):
    """A value for JSON: names become text, bytes that are not UTF-8 lone surrogates."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, dict):
        return {key: printable(item) for key, item in value.items()}
    return value


def json_event(event):
    """An event for JSON; codes stay numbers."""
    fields = event._asdict()
    if event.kind == ALLOCATION:
        fields["source"] = SOURCES[event.source]
    else:
        fields = {name: fields[name] for name in ("kind", "time", "id", "domain")}
    fields["kind"] = KIND_NAMES[event.kind]
    return fields


def json_lines(trace, events):
    """Yields the trace info, the events, and last what else was read, a JSON object each."""
    damage = None
    yield json.dumps(printable(trace.info._asdict())).encode()
    try:
        for event in events:
            yield json.dumps(json_event(event)).encode()
    except Damage as error:
        damage = error
    locations = {code: [printable(location._asdict()) for location in found]
                 for code, found in trace.locations.items()}
    yield json.dumps({"locations": locations, "foreign": trace.foreign,
                      "metadata": [printable(item) for item in trace.metadata]}).encode()
    if damage:
        raise damage


def read_file(name):
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:
        return file.read()


def decode(name, order, lines):
    """Decodes a file and prints it; raises Damage after the last event."""
    trace = Trace(*decompress(read_file(name)))
    try:
        for line in lines(trace, trace.true_order() if order == "true" else trace.file_order()):
            sys.stdout.buffer.write(line + b"\n")
    finally:
        sys.stdout.buffer.flush()


def main():
    parser = argparse.ArgumentParser(description="Prints the events of a trace.")
    parser.add_argument("--order", choices=("file", "true"), default="file")
    parser.add_argument("--format", choices=("dump", "jsonl"), default="dump")
    parser.add_argument("file")
    options = parser.parse_args()
    try:
        decode(options.file, options.order, dump_lines if options.format == "dump" else json_lines)
    except Damage as damage:
        print(damage, file=sys.stderr)
        return 3
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
