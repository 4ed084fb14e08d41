#!/usr/bin/env python3
"""A second decoder of the trace format, written from docs/trace-format.md alone.

It shares no code with heaptap and is slow; its use is to find out whether the program and the
page say the same. Section numbers in comments are those of the page.

    decode_trace.py [--order file|true] FILE        (FILE may be -)

prints what `heaptap dump` prints. The exit status is 3 if the trace is damaged; every event before
the damage is printed.
"""

import argparse
import heapq
import math
import os
import re
import struct
import subprocess
import sys
import zlib
from collections import namedtuple

MAGIC = 0xC1FC1FC1
METADATA_PID = 0x0070617470616568
SMALLEST_HEADER = 66
PAGE = 4096
OPEN = 1 << 31             # in the room of a header
LARGEST_PACKET = 1 << 24
TIME_RANGE = 1 << 25
LONGEST_PAUSE = 1_000_000       # microseconds, before a clock step
PLACES = 31                     # of a move-to-front table
BUCKETS = 1 << 14
NO_CHECK = 0xFFFF
DEEPEST = 1 << 22
CODES_OF_A_CODEWORD = 256       # at most

HALVINGS = 8                # the kind of a record
HALVINGS_PLACE = 48         # of a block's id: the bits from here on
MOST_HALVINGS = 50
COINS = 256                 # at most

TRACE_INFO, LOCATION, ALLOCATION, PROMOTION, COLLECTION = range(5)
KIND_NAMES = {PROMOTION: b"promote", COLLECTION: b"collect"}
SOURCES = (b"alloc", b"alloc_major", b"alloc_ext")
TAGS = {253: "H", 254: "i", 255: "q"}       # of a vint
# The fields of metadata records by kind, as Cursor.take knows them.
RECORDS = {1: "ss", 2: "QQQqqbs", 3: "HQs", 4: "Qs", 5: "HQs", 7: "qqss", 8: "", 9: "Qs", 10: "ss"}

Info = namedtuple("Info", "start rate word_size executable host parameters pid context")
Packet = namedtuple("Packet", "offset first_event end_offset begin end version pid domain"
                              " bucket prediction code first_id end_id room is_open",
                    defaults=(0, False))
Location = namedtuple("Location", "function file line start end")
# The last five fields are of allocations only; time is since the start of the trace.
Event = namedtuple("Event", "kind time id domain source samples length prefix codes",
                   defaults=(0, 0, 0, 0, ()))


class Damage(Exception):
    """The trace is damaged at a byte offset."""

    def __init__(self, offset, expected):
        super().__init__(f"byte {offset}: {expected} expected")
        self.offset = offset


class Overrun(Exception):
    """A field goes on past the end of the bytes that may be read."""


def unsigned64(number):
    return number % (1 << 64)


def signed64(number):
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


class Cursor:
    """Reads fields (section 2) one after another up to a limit."""

    def __init__(self, data, position, limit):
        self.data, self.position, self.limit = data, position, limit

    def raw(self, size):
        start = self.position
        if start + size > self.limit:
            raise Overrun
        self.position = start + size
        return self.data[start:start + size]

    def take(self, kind):
        """A field: `s` string, `v` vint, `b` build id, the others as in the module struct."""
        if kind == "s":
            zero = self.data.find(b"\0", self.position, self.limit)
            if zero < 0:
                raise Overrun
            return self.raw(zero + 1 - self.position)[:-1]
        if kind == "v":
            tag = self.take("B")
            return self.take(TAGS[tag]) if tag in TAGS else tag
        if kind == "b":
            size = self.take("B")
            if size > 64:
                raise Overrun
            return self.raw(size)
        return struct.unpack("<" + kind, self.raw(struct.calcsize("<" + kind)))[0]


class Domain:
    """What is kept for a domain from packet to packet."""

    def __init__(self):
        self.files = [None] * PLACES    # each None or a pair: name, table of functions
        self.codes = [0] * BUCKETS
        self.predictions = [0] * BUCKETS
        self.stack = ()
        self.last = None

    def location(self, cursor):
        """Reads one location (7.1 to 7.3)."""
        number = int.from_bytes(cursor.raw(6), "little")
        place = number >> 38 & 31
        if place < PLACES:
            entry = self.files.pop(place) or (b"<unknown>", [None] * PLACES)
        else:
            name = cursor.take("s")
            fallen = self.files.pop()
            entry = name, fallen[1] if fallen else [None] * PLACES
        self.files.insert(0, entry)
        file, functions = entry
        place = number >> 43 & 31
        if place < PLACES:
            function = functions.pop(place)
            function = b"??" if function is None else function
        else:
            function = cursor.take("s")
            functions.pop()
        functions.insert(0, function)
        return Location(function, file, number & 0xFFFFF, number >> 20 & 0xFF, number >> 28 & 0x3FF)

    def call_stack(self, cursor, prefix, count):
        """Reads `count` codewords and returns the new last stack (9.2, 9.3)."""
        shortened = not 0 <= prefix <= len(self.stack)
        found = []
        previous = 0
        for _ in range(count):
            codeword = cursor.take("H")
            tag, bucket = codeword & 3, codeword >> 2
            self.predictions[previous] = previous = bucket
            if tag == 3:
                self.codes[bucket] = cursor.take("Q")
            predicted = cursor.take("B") if tag == 2 else int(tag == 1)
            codes = [self.codes[bucket]]
            for _ in range(predicted):
                previous = self.predictions[previous]
                codes.append(self.codes[previous])
            if not shortened and prefix + len(found) + CODES_OF_A_CODEWORD <= DEEPEST:
                found += codes
        if not shortened:
            self.stack = self.stack[:prefix] + tuple(found)
        return self.stack

    def verify(self, packet):
        """Compares the header's sample of the cache (9.4)."""
        bucket = packet.bucket
        if bucket != NO_CHECK and (bucket >= BUCKETS or packet.code != self.codes[bucket]
                                   or packet.prediction != self.predictions[bucket]):
            raise Damage(packet.offset, "a packet that follows the domain's last one")


class Clock:
    """Finds the full time of a packet's events (5.2)."""

    def __init__(self, packet):
        self.begin, self.end = packet.begin, packet.end
        self.stepped = False

    def time(self, low, last):
        forward = signed64(self.begin + (low - self.begin) % TIME_RANGE)
        if not self.stepped:
            if forward <= self.end:
                return forward
            before = self.begin if last is None else max(self.begin, last)
            if self.end < self.begin and 0 <= forward - before <= LONGEST_PAUSE:
                return forward
        self.stepped = True
        return signed64(self.end - (self.end - low) % TIME_RANGE)


def mixed(number):
    """A function of 64 bits whose results look random (8.1)."""
    number = unsigned64((number ^ number >> 30) * 0xBF58476D1CE4E5B9)
    number = unsigned64((number ^ number >> 27) * 0x94D049BB133111EB)
    return number ^ number >> 31


class Thinning:
    """Tosses the coins of a trace whose rate was halved (8.1)."""

    def __init__(self, info):
        self.halvings = -math.log2(info.rate)
        self.salt = mixed(unsigned64(info.start) ^ mixed(info.pid))
        self.dropped = set()
        if not 1 <= self.halvings <= MOST_HALVINGS or not self.halvings.is_integer():
            self.halvings = 0

    @staticmethod
    def _heads(seed, tosses):
        heads = 0
        while tosses > 0:
            some = min(tosses, 64)
            heads += bin(mixed(seed) % (1 << some)).count("1")
            seed = unsigned64(seed + 0x9E3779B97F4A7C15)
            tosses -= some
        return heads

    def _halved(self, block, halving, samples):
        seed = mixed(unsigned64(self.salt + block * 0xD1342543DE82EF95 + halving))
        if samples <= COINS:
            return self._heads(seed, samples)
        off = self._heads(seed, COINS) - COINS // 2
        far = (abs(off) * math.isqrt(samples << 8) + 128) // 256
        return samples // 2 + (samples & seed & 1) + (far if off > 0 else -far)

    def apply(self, event):
        """The event as it is after the last halving, or None."""
        if event.kind != ALLOCATION:
            if event.id not in self.dropped:
                return event
            if event.kind == COLLECTION:
                self.dropped.remove(event.id)
            return None
        samples = event.samples
        for halving in range((event.id >> HALVINGS_PLACE) % 64, int(self.halvings)):
            samples = self._halved(event.id, halving + 1, samples)
        if samples == 0 and self.halvings:
            self.dropped.add(event.id)
            return None
        return event._replace(samples=samples)


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
        self.has_regions = False
        self.info, self.second_place = self._first_packet()
        self.thinning = Thinning(self.info)

    # Packets (sections 4 and 6)

    def _header(self, offset):
        left = len(self.data) - offset
        if left < SMALLEST_HEADER or self.data[offset:offset + 4] != struct.pack("<I", MAGIC):
            raise Damage(offset, "a packet header")
        bits, begin, end, room, version = struct.unpack_from("<IqqIH", self.data, offset + 4)
        if not 1 <= version <= 3:
            raise Damage(offset + 28, "version 1, 2 or 3")
        layout = "<QHHHQQQ" if version == 3 else "<QHHQQQ"
        size = 30 + struct.calcsize(layout)
        if left < size:
            raise Damage(offset, "a whole packet header")
        if not size <= bits // 8 <= LARGEST_PACKET:
            raise Damage(offset + 4, "a possible packet size")
        pid, *rest = struct.unpack_from(layout, self.data, offset + 30)
        domain = rest.pop(0) if version == 3 else 0
        packet = Packet(offset, offset + size, offset + bits // 8, begin, end, version, pid, domain,
                        *rest)
        return self._with_room(packet, room)

    def _with_room(self, packet, room):
        """The packet with what its room says (4.4)."""
        room, is_open = room % OPEN, room >= OPEN
        end = packet.offset + room
        is_valid = room == 0 or end >= packet.end_offset and end % PAGE == 0
        if packet.offset == 0:
            self.has_regions = room > 0 and is_valid
        if not self.has_regions:
            return packet
        if not is_valid:
            raise Damage(packet.offset + 24, "a valid room")
        packet = packet._replace(room=room, is_open=is_open and room > 0)
        if packet.is_open:
            packet = packet._replace(end=signed64(packet.begin + TIME_RANGE - 1))
        return packet

    @staticmethod
    def _behind(packet):
        """Where the next packet can stand: a place, and the end of the region if that is another."""
        end = packet.offset + packet.room
        if packet.is_open:
            return end, None
        return packet.end_offset, end if end > packet.end_offset else None

    def _next_packet(self, offset, region_end):
        """Where the next packet stands (4.2, 4.4); None at the end."""
        while offset < len(self.data):
            if self.data[offset:offset + 4] == struct.pack("<I", MAGIC):
                return offset
            if region_end:
                offset, region_end = region_end, None
            elif self.data[offset] != 0:
                return offset
            else:
                offset += PAGE - offset % PAGE if self.has_regions else 1
        return None

    def _cursor(self, packet):
        """A cursor at the packet's first event."""
        return Cursor(self.data, packet.first_event, min(packet.end_offset, len(self.data)))

    def _check_cut(self, packet):
        if packet.end_offset > len(self.data):
            raise Damage(len(self.data), "the rest of the packet")

    def _first_packet(self):
        """Reads the trace info (section 6); returns it and where the next packet begins."""
        packet = self._header(0)
        cursor = self._cursor(packet)
        try:
            if cursor.take("I") >> 25 != TRACE_INFO:
                raise Damage(packet.first_event, "the trace info")
            fields = [cursor.take(kind) for kind in "dBsssQ" + "s" * (packet.version > 1)]
        except Overrun:
            raise Damage(cursor.position, "a field of the trace info") from None
        info = Info(packet.begin, *fields, *([b""] if packet.version == 1 else []))
        if not 0 < info.rate <= 1:
            raise Damage(packet.first_event + 4, "a sample rate above 0 and at most 1")
        if info.word_size == 0 or info.word_size % 8 != 0:
            raise Damage(packet.first_event + 12, "a word size that is a multiple of 8")
        self._check_cut(packet)
        if cursor.position != packet.end_offset:
            raise Damage(cursor.position, "the end of the packet")
        if packet.pid != info.pid:
            raise Damage(30, "the pid of the trace info")
        return info, self._behind(packet)

    def _packets(self):
        """Yields the headers of the packets that hold events. The last may be cut."""
        place = self.second_place
        while (offset := self._next_packet(*place)) is not None:
            packet = self._header(offset)
            if packet.pid == self.info.pid:
                yield packet
            elif packet.pid == METADATA_PID:
                self.metadata.extend(records(self._cursor(packet)))
            else:
                self.foreign += 1
            self._check_cut(packet)
            place = self._behind(packet)
        if self.broken:
            raise Damage(len(self.data), self.broken)

    # Events (sections 5, 7, 8 and 9)

    def _domain(self, packet):
        return self.domains.setdefault(packet.domain, Domain())

    def _read_location(self, cursor, domain):
        """Reads the rest of a location event. The first description of a code stays (7.4)."""
        code, count = cursor.take("Q"), cursor.take("B")
        locations = [domain.location(cursor) for _ in range(count)]
        self.locations.setdefault(code, locations)

    def _leading_locations(self, packet):
        """Reads location events up to the first other event; returns the packet and where that
        begins. Where one runs over, the packet is at its end, and there are no ids to count."""
        cursor = self._cursor(packet)
        while True:
            offset, code = cursor.position, None
            try:
                code = cursor.take("I") >> 25
                if code != LOCATION:
                    return packet, offset
                self._read_location(cursor, self._domain(packet))
            except Overrun:
                if code is None:
                    return packet, offset
                return packet._replace(end_id=packet.first_id), cursor.limit

    @staticmethod
    def _read_allocation(cursor, code, domain):
        """Reads the fields of a short or long allocation, in the order of Event."""
        length, samples, source = code - 100, 1, 0
        if code == ALLOCATION:
            length, samples, source = cursor.take("v"), cursor.take("v"), cursor.take("B")
        prefix = cursor.take("v")
        count = cursor.take("H" if code == ALLOCATION else "B")
        if length < 0 or samples < 1 or source > 2:
            raise ValueError
        return source, samples, length, prefix, domain.call_stack(cursor, prefix, count)

    def _packet_events(self, packet, start=None):
        """Yields the events of a packet from an offset on. Of a cut packet, those that are
        complete: that it is cut is said where it was found."""
        domain = self._domain(packet)
        domain.verify(packet)
        clock = Clock(packet)
        cursor = self._cursor(packet)
        cursor.position = start or cursor.position
        is_cut = packet.end_offset > len(self.data)
        next_id = packet.first_id
        while cursor.position < cursor.limit:
            offset, code = cursor.position, None
            try:
                head = cursor.take("I")
                code = head >> 25
                if code == LOCATION:
                    self._read_location(cursor, domain)
                    continue
                time = clock.time(head % TIME_RANGE, domain.last)
                kind, block, fields = code, next_id, ()
                if code == ALLOCATION or 101 <= code <= 116:
                    kind, fields = ALLOCATION, self._read_allocation(cursor, code, domain)
                    next_id = unsigned64(next_id + 1)
                elif code in KIND_NAMES:
                    block = unsigned64(next_id - 1 - cursor.take("v"))
                else:
                    raise Damage(offset, "an event code")
            except Overrun:
                if is_cut or code == LOCATION:      # section 13
                    return
                raise Damage(offset, "an event that ends inside its packet") from None
            except ValueError:
                raise Damage(offset, "an allocation with possible fields") from None
            domain.last = time
            event = Event(kind, signed64(time - self.info.start), block, packet.domain, *fields)
            if (HALVINGS,) in self.metadata:
                event = self.thinning.apply(event)
            if event:
                yield event
        if not is_cut and not packet.is_open and next_id != packet.end_id:
            raise Damage(packet.first_event - 8, f"end id {next_id}")

    def file_order(self):
        """Yields the events as they stand in the file, and raises Damage where it is damaged."""
        for packet in self._packets():
            yield from self._packet_events(packet)

    def true_order(self):
        """Yields the events as they happened (section 10), and raises Damage after the last."""
        packets, damages = {}, []
        try:
            for packet in self._packets():
                packets.setdefault(packet.domain, []).append(self._leading_locations(packet))
        except Damage as damage:
            damages.append(damage)
        domains = [self._domain_events(found, damages) for _, found in sorted(packets.items())]
        for _, event in heapq.merge(*domains, key=lambda pair: pair[0]):
            yield event
        if damages:
            raise min(damages, key=lambda damage: damage.offset)

    def _domain_events(self, packets, damages):
        """Yields the events of a domain up to damage, each with its key in the true order."""
        latest = None
        try:
            for packet, start in packets:
                for event in self._packet_events(packet, start):
                    latest = event.time if latest is None else max(latest, event.time)
                    yield (latest, event.id, event.kind), event
        except Damage as damage:
            damages.append(damage)


def records(cursor):
    """Yields the records of a metadata packet that are sound and known (section 11)."""
    while True:
        try:
            kind, size = cursor.take("B"), cursor.take("I")
            start = cursor.position
            cursor.raw(size)
        except Overrun:
            return
        fields = Cursor(cursor.data, start, start + size)
        try:
            if kind in RECORDS:
                yield kind, *(fields.take(field) for field in RECORDS[kind])
        except Overrun:
            pass


# Compression (section 3). Each function returns the bytes, and what was wrong or None.

def gunzip(data, step=4096):
    """Decompresses all gzip members, `step` bytes at a time."""
    rest, result = data, bytearray()
    while rest[:2] == b"\x1f\x8b":
        member = zlib.decompressobj(31)
        position = 0
        while not member.eof:
            if position >= len(rest):
                return bytes(result), "the rest of the gzip data"
            try:
                result += member.decompress(rest[position:position + step])
            except zlib.error:      # single bytes, to get all that comes before the error
                return (bytes(result), "sound gzip data") if step == 1 else gunzip(data, 1)
            position += step
        rest = member.unused_data + rest[position:]
    return bytes(result), None


def unzstd(data):
    """Decompresses all zstd frames. The tool keeps back what is before a wrong checksum, so where
    there is damage it is asked again, not to check."""
    for options in ["-dcq"], ["-dcq", "--no-check"]:
        done = subprocess.run(["zstd", *options], input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0 and len(options) == 1:
            return done.stdout, None
    return done.stdout, "sound zstd data"


def decompress(data):
    if data.startswith(b"\x1f\x8b"):
        return gunzip(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return unzstd(data)
    return data, None


# Output (section 15, and the plain form of docs/output.md)

HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff"
                    r"\udc80-\udcff]|\\(?=x[0-9a-f]{2})")


def plain(name):
    """A name as it is shown. Bytes that are not UTF-8 are U+DC80 to U+DCFF to Python."""
    def escape(match):
        return "".join(f"\\x{byte:02x}" for byte in match[0].encode(errors="surrogateescape"))

    return HIDDEN.sub(escape, name.decode(errors="surrogateescape")).encode()


def dump_lines(trace, events):
    """Yields the lines of a dump, with the names that are known when the event is read."""
    texts = {}

    def text(code):
        """The locations of a code, or its number, with a blank before each."""
        if code not in texts:
            if not trace.locations.get(code):
                return b" $%d" % signed64(code)
            texts[code] = b"".join(
                b" %s@%s:%d:%d-%d" % (plain(location.function), plain(location.file), *location[2:])
                for location in trace.locations[code])
        return texts[code]

    for event in events:
        line = b"%010d %010d " % (event.time, event.id)
        if event.kind == ALLOCATION:
            line += b"%s %d len=%d dom=%d % 4d:" % (
                SOURCES[event.source], event.samples, event.length, event.domain, event.prefix)
            yield line + b"".join(map(text, event.codes))
        else:
            yield line + KIND_NAMES[event.kind]


def main():
    parser = argparse.ArgumentParser(description="Prints the events of a trace.")
    parser.add_argument("--order", choices=("file", "true"), default="file")
    parser.add_argument("file")
    options = parser.parse_args()
    try:
        with open(0 if options.file == "-" else options.file, "rb") as file:
            trace = Trace(*decompress(file.read()))
        events = trace.true_order() if options.order == "true" else trace.file_order()
        for line in dump_lines(trace, events):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    except Damage as damage:
        sys.stdout.buffer.flush()
        print(damage, file=sys.stderr)
        return 3
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
