#!/usr/bin/env python3
"""Compares heaptap's reader with the second decoder, decode_trace.py, and both with the page.

Takes the program from $HEAPTAP and the root of the source tree from $SOURCE; prints TAP. The
traces are those of $SOURCE/tests/golden, the example in the page, and small ones made here, each
for one rule. For those the expected events are given too, worked out from the page by hand.
"""

import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from itertools import zip_longest

sys.dont_write_bytecode = True

import decode_trace
from decode_trace import Damage, METADATA_PID, Trace

START = 1_700_000_000_000_000
PID = 4711
M = 1 << 25
SUFFIXES = (".ctf", ".ctf.gz", ".ctf.zst")
LARGE_BYTES = 1 << 20       # golden traces from here on are read in file order only

# Building traces


def vint(value):
    """A vint in its shortest form."""
    if 0 <= value <= 252:
        return bytes([value])
    if 253 <= value <= 65535:
        return b"\xfd" + struct.pack("<H", value)
    if -2**31 <= value < 2**31:
        return b"\xfe" + struct.pack("<i", value)
    return b"\xff" + struct.pack("<q", value)


def head(code, time):
    """An event header; `time` is since the start of the trace."""
    return struct.pack("<I", code << 25 | (START + time) % M)


def miss(bucket, code):
    return struct.pack("<HQ", bucket << 2 | 3, code)


def hit(bucket, predicted=0):
    if predicted < 2:
        return struct.pack("<H", bucket << 2 | predicted)
    return many(bucket, predicted)


def many(bucket, predicted):
    """A hit of tag 2, which may also have 0 or 1 predictions."""
    return struct.pack("<HB", bucket << 2 | 2, predicted)


def short(time, words, *codewords, prefix=0):
    """A short allocation."""
    return (head(100 + words, time) + vint(prefix) + bytes([len(codewords)])
            + b"".join(codewords))


def raw_long(time, fields, *codewords, prefix=b"\0"):
    """A long allocation whose length, samples and source are given as bytes."""
    return (head(2, time) + fields + prefix + struct.pack("<H", len(codewords))
            + b"".join(codewords))


def long(time, length, samples, source, *codewords, prefix=0):
    return raw_long(time, vint(length) + vint(samples) + bytes([source]), *codewords,
                    prefix=vint(prefix))


def promote(time, delta):
    return head(3, time) + vint(delta)


def collect(time, delta):
    return head(4, time) + vint(delta)


def place(line, file, function, start=0, end=0):
    """A location; `file` and `function` are a place in the table, or a name."""
    codes = [31 if isinstance(name, bytes) else name for name in (file, function)]
    number = line | start << 20 | end << 28 | codes[0] << 38 | codes[1] << 43
    names = b"".join(name + b"\0" for name in (file, function) if isinstance(name, bytes))
    return struct.pack("<Q", number)[:6] + names


def describe(code, *places, time=0):
    """A location event."""
    return head(1, time) + struct.pack("<QB", code, len(places)) + b"".join(places)


def packet(body=b"", begin=0, end=0, ids=(0, 0), version=3, pid=PID, domain=0,
           verify=(0xFFFF, 0, 0), size=None, bits=0):
    """A packet; `size` in bytes and `bits` besides are written instead of the true size."""
    tail = struct.pack("<HHQQQ", *verify, *ids)
    if version == 3:
        tail = struct.pack("<H", domain) + tail
    if size is None:
        size = 38 + len(tail) + len(body)
    header = struct.pack("<IIqqIHQ", 0xC1FC1FC1, size * 8 + bits, START + begin, START + end, 0,
                         version, pid)
    return header + tail + body


def info(version=3, rate=0.5, word=64, pid=PID, header_pid=None, extra=b"", **header):
    """The first packet."""
    body = head(0, 0) + struct.pack("<dB", rate, word) + b"exe\0host\0\0" + struct.pack("<Q", pid)
    if version >= 2:
        body += b"context\0"
    return packet(body + extra, version=version, pid=pid if header_pid is None else header_pid,
                  **header)


def record(kind, fields, size=None):
    return struct.pack("<BI", kind, len(fields) if size is None else size) + fields


# Decoding


def by_python(data, order, offsets):
    """Yields the lines of decode_trace.py; puts the offset of damage into a list."""
    try:
        trace = Trace(*decode_trace.decompress(data))
        events = trace.true_order() if order == "true" else trace.file_order()
        for text in decode_trace.dump_lines(trace, events):
            yield from text.split(b"\n")     # names can hold line ends
    except Damage as damage:
        offsets.append(damage.offset)


def difference(left, right, names=("heaptap", "decode_trace.py")):
    """The first difference between two sequences of lines, or None."""
    for number, (a, b) in enumerate(zip_longest(left, right), 1):
        if a != b:
            a, b = (text if text is None else text[:300] for text in (a, b))
            return f"line {number}: {names[0]} {a!r}, {names[1]} {b!r}"
    return None


def compare(name, data, order, keep=None):
    """Decodes a file, of which `data` are the bytes, with both; returns what differs, or None, and
    the offset of damage, or None. The lines of decode_trace.py are added to the list `keep`."""
    offsets = []

    def kept(lines):
        for text in lines:
            if keep is not None:
                keep.append(text)
            yield text

    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            [os.environ["HEAPTAP"], "dump", "--order", order, name], stdout=subprocess.PIPE,
            stderr=errors) as ours:
        found = difference((text[:-1] for text in ours.stdout),
                           kept(by_python(data, order, offsets)))
        if found:
            ours.kill()
        ours.stdout.close()
        ours.wait()
        errors.seek(0)
        places = [int(place) for place in re.findall(rb"byte (\d+): ", errors.read())][-1:]
    if not found and places != offsets:
        found = f"heaptap reports byte {places}, decode_trace.py byte {offsets}"
    status = 3 if offsets else 0
    if not found and ours.returncode != status:
        found = f"heaptap ends with status {ours.returncode}, decode_trace.py with {status}"
    return found and f"{order} order: {found}", offsets[0] if offsets else None


def compare_bytes(data, order, keep=None):
    """The same for bytes that are in no file yet."""
    with tempfile.NamedTemporaryFile(suffix=".ctf") as file:
        file.write(data)
        file.flush()
        return compare(file.name, data, order, keep)


# Tests. Each is a name and a function that returns what is wrong, or None.

def golden_tests(source, folder, is_damaged):
    """A test for each trace in a folder of golden traces."""
    path = os.path.join(source, "tests", "golden", folder)
    for name in sorted(os.listdir(path)):
        if name.endswith(SUFFIXES):
            yield f"{folder}/{name}", lambda name=name: golden(os.path.join(path, name), is_damaged)


def golden(name, is_damaged):
    with open(name, "rb") as file:
        data = file.read()
    found, offset = compare(name, data, "file")
    if not found and len(data) < LARGE_BYTES:
        found, _ = compare(name, data, "true")
    if not found and is_damaged != (offset is not None):
        found = f"both find damage at {offset}, expected it: {is_damaged}"
    return found


def made(data, expected, offset=None, order="file"):
    """Tests a trace made here; `expected` holds the lines, `offset` is where it is damaged."""
    lines = []
    found, damage = compare_bytes(data, order, lines)
    if not found:
        found = difference([line.encode("latin-1") for line in expected], lines,
                           ("by the page", "decode_trace.py"))
    if not found and damage != offset:
        found = f"by the page damage at {offset}, decode_trace.py {damage}"
    if not found and order == "file":
        found, _ = compare_bytes(data, "true")
    return found


def metadata_records(data):
    """The metadata that decode_trace.py finds in a trace."""
    trace = Trace(data)
    try:
        for _ in trace.file_order():
            pass
    except Damage:
        pass
    return trace.metadata


def converted(data):
    """Rewrites a trace with heaptap, and compares the metadata before and after."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = (os.path.join(folder, name) for name in ("before.ctf", "after.ctf"))
        with open(before, "wb") as file:
            file.write(data)
        subprocess.run([os.environ["HEAPTAP"], "file", "convert", "-o", after, before],
                       stderr=subprocess.DEVNULL, check=False)
        with open(after, "rb") as file:
            kept = metadata_records(file.read())
    expected = metadata_records(data)
    return None if kept == expected else f"decode_trace.py {expected}, kept by heaptap {kept}"


def the_example(source):
    """The bytes and the lines of the example in the page."""
    with open(os.path.join(source, "docs", "trace-format.md"), encoding="utf-8") as file:
        blocks = file.read().split("## 15.")[1].split("```")
    data = b"".join(bytes.fromhex(line.split("  ", 1)[1]) for line in blocks[1].split("\n")[1:-1])
    return data, blocks[3].split("\n")[1:-1]


def every_cut(data):
    """Cuts a trace at every byte."""
    for size in range(len(data)):
        found, _ = compare_bytes(data[:size], "file")
        if found:
            return f"cut to {size} bytes: {found}"
    return None


def line(time, block, frames="", kind="alloc", samples=1, length=1, domain=0, prefix=0):
    """A line of a dump for an allocation."""
    return (f"{time:010d} {block:010d} {kind} {samples} len={length} dom={domain} {prefix: 4d}:"
            + "".join(" " + frame for frame in frames.split()))


def primitive_cases():
    """Section 2: the forms of a vint."""
    forms = [b"\x05", b"\xfd\x05\0", b"\xfe\x05\0\0\0", b"\xff\x05" + bytes(7)]
    body = b"".join(raw_long(i, form + b"\x01\0") for i, form in enumerate(forms))
    yield "vint forms longer than needed", [info(), packet(body, 0, 3, (0, 4))], [
        line(i, i, length=5) for i in range(4)], None

    values = [252, 253, 65535, 65536, 2**31 - 1, 2**31, 2**63 - 1]
    body = b"".join(long(0, value, value, 2) for value in values)
    yield "vint values", [info(), packet(body, ids=(0, 7))], [
        line(0, i, kind="alloc_ext", length=value, samples=value)
        for i, value in enumerate(values)], None

    body = short(0, 1) + collect(0, -1) + promote(0, -2**31) + collect(0, -2**63)
    body += collect(0, 65535) + b"".join(
        head(4, 0) + form for form in (b"\xfe\xff\xff\xff\xff", b"\xfd\xff\xff",
                                       b"\xfe\xff\xff\0\0", b"\xff" + b"\xff" * 8))
    yield "vint of 4 bytes is signed, one of 2 is not", [
        info(), packet(body, ids=(2**32, 2**32 + 1))], [
        line(0, 2**32), f"0000000000 {2**32 + 1:010d} collect",
        f"0000000000 {2**32 + 2**31:010d} promote", f"0000000000 {2**63 + 2**32:010d} collect",
        f"0000000000 {2**32 - 65535:010d} collect", f"0000000000 {2**32 + 1:010d} collect",
        f"0000000000 {2**32 - 65535:010d} collect", f"0000000000 {2**32 - 65535:010d} collect",
        f"0000000000 {2**32 + 1:010d} collect"], None

    body = short(0, 1) + short(0, 2) + collect(0, 1)
    yield "ids modulo 2^64", [info(), packet(body, ids=(2**64 - 1, 1))], [
        line(0, 2**64 - 1), line(0, 0, length=2), f"0000000000 {2**64 - 1:010d} collect"], None
    yield "delta into ids below 0", [info(), packet(collect(0, 4), ids=(2, 2))], [
        f"0000000000 {2**64 - 3:010d} collect"], None


def packet_cases():
    """Section 4: headers, gaps, pids."""
    event = packet(short(7, 3), 0, 9, (0, 1))
    one = [line(7, 0, length=3)]
    for version in (1, 2):
        yield f"version {version}", [
            info(version), packet(short(7, 3), 0, 9, (0, 1), version)], one, None
    yield "a version in each header", [info(1), event, packet(short(8, 1), 0, 9, (1, 2), 2),
                                       packet(short(9, 1), 0, 9, (2, 3), 3, domain=65535)], [
        *one, line(8, 1), line(9, 2, domain=65535)], None
    yield "size in bits that is no multiple of 8", [
        info(bits=7), packet(short(7, 3), 0, 9, (0, 1), bits=3)], one, None
    yield "a packet without events", [info(), packet(ids=(5, 5)), event], one, None
    yield "zero bytes between packets and at the end", [
        info(), b"\0", event, bytes(4097), packet(collect(9, 0), 9, 9, (1, 1)), bytes(3)], [
        *one, "0000000009 0000000000 collect"], None
    first = len(info())
    yield "zero bytes, then no packet", [info(), bytes(5), b"\x01", event], [], first + 5
    yield "zero bytes before the first packet", [b"\0", info(), event], [], 0
    junk = packet(b"\xff" * 99, 0, 9, (77, 3), pid=PID + 1, verify=(20000, 1, 1))
    yield "foreign packet", [info(), junk, event, junk], one, None
    yield "trace's pid is that of the trace info", [
        info(pid=9), junk, event, packet(collect(9, 0), 9, 9, (1, 1), pid=9)], [
        "0000000009 0000000000 collect"], None
    for pid in (PID, 1, METADATA_PID):
        yield f"packet of 16 MiB, of pid {pid}", [info(), event, packet(
            pid=pid, size=2**24)], one, first + len(event) + 68
        yield f"packet of more than 16 MiB, of pid {pid}", [info(), event, packet(
            pid=pid, size=2**24 + 1)], one, first + len(event) + 4
    yield "foreign packet of an unknown version", [
        info(), event, packet(version=4, pid=1)], one, first + len(event) + 28
    yield "foreign packet smaller than its header", [
        info(), event, packet(pid=1, size=67)], one, first + len(event) + 4
    yield "foreign packet that is cut", [info(), event, junk[:90]], one, first + len(event) + 90
    ctf2 = packet(collect(1, 0), version=2, ids=(1, 1))
    yield "header of 66 bytes at the end of the trace", [
        info(), packet(version=2, ids=(1, 1))], [], None
    yield "header of 68 bytes cut to 66", [info(), packet()[:66]], [], first
    yield "header cut before the version, size wrong too", [
        info(), packet(size=3)[:29]], [], first
    yield "header cut to 65 bytes, with a wrong version", [
        info(), packet(version=9)[:65]], [], first
    yield "header cut to 66 bytes, with a wrong version", [
        info(), packet(version=9)[:66]], [], first + 28
    yield "cut packet of version 2", [info(), ctf2[:-1]], [], first + len(ctf2) - 1


def region(pages, *packets):
    """A region of so many pages. Each of `packets` is a packet, finished,
    or a pair: the packet, and what else has been written behind it, which leaves it open."""
    data = b""
    for part in packets:
        body, behind = part if isinstance(part, tuple) else (part, None)
        room = pages * 4096 - len(data) | (behind is not None) << 31
        data += body[:24] + struct.pack("<I", room) + body[28:] + (behind or b"")
    assert len(data) <= pages * 4096
    return data.ljust(pages * 4096, b"\0")


def torn(header):
    """A header that its writer's death left without a magic."""
    return bytes(4) + header[4:60]


def region_cases():
    """Section 4.4."""
    names = describe(11, place(1, b"a", b"f"))
    first = region(1, info())
    event = packet(short(7, 3), 7, 7, (0, 1))
    one = [line(7, 0, length=3)]
    grown = packet(short(9, 1) + short(20, 2) + collect(30, 1), 9, -77, (1, 999))
    more = [line(9, 1), line(20, 2, length=2), "0000000030 0000000001 collect"]
    second = packet(short(8, 1), 8, 0, (10, 999), domain=1)
    yield "regions of finished packets", [
        region(2, info(), event), region(1, packet(collect(9, 0), 9, 9, (1, 1)))], [
        *one, "0000000009 0000000000 collect"], None
    yield "open packets of two domains", [
        first, region(4, event, (grown, b"")), region(2, (second, b""))], [
        *one, *more, line(8, 10, domain=1)], None
    for name, behind in (("a torn event", short(31, 9)[:3]), ("a magic", event), ("noise", b"\xff" * 999),
                         ("noise over pages", b"\xc1" * 9000)):
        yield f"{name} behind an open packet", [
            first, region(4, event, (grown, behind)), region(2, (second, b""))], [
            *one, *more, line(8, 10, domain=1)], None
    yield "a torn event behind a finished packet", [
        first, region(4, event + short(31, 9)[:3]), region(2, (second, b""))], [
        *one, line(8, 10, domain=1)], None
    yield "a torn header behind a finished packet", [
        first, region(4, event + torn(grown)), region(2, (second, b""))], [
        *one, line(8, 10, domain=1)], None
    yield "a torn header at the beginning of a region", [
        first, region(4, torn(grown)), region(2, (second, b""))], [line(8, 10, domain=1)], None
    yield "unused regions, and a tail of zeros", [
        first, bytes(4096 * 3), region(2, (second, b"")), bytes(4096 * 300 + 5)], [
        line(8, 10, domain=1)], None
    yield "the file ends before its last region does", [
        first, region(2, (second, b""))[:len(second)]], [line(8, 10, domain=1)], None
    yield "the file ends in an open packet", [
        first, region(2, (second, b""))[:len(second) - 1]], [], 4096 + len(second) - 1
    yield "an open packet without events", [
        first, region(1, (packet(begin=9), b"")), region(2, (second, b""))], [
        line(8, 10, domain=1)], None
    yield "an open packet that spans all of 2^25 us", [first, region(1, (packet(
        short(9, 1) + short(M + 8, 1) + short(9, 1), 9, 0, (0, 999)), b""))], [
        line(9, 0), line(M + 8, 1), line(9, 2)], None
    yield "an open packet of locations before its events", [
        first, region(1, (packet(names), b"")), region(2, (packet(
            short(9, 1, miss(1, 11)), 9, 0, (0, 9)), b""))], [line(9, 0, "f@a:1:0-0")], None
    yield "a packet without a room among regions", [
        first, event, bytes(4096 - len(event)), region(2, (second, b""))], [
        *one, line(8, 10, domain=1)], None
    yield "an open packet without a room counts as finished", [
        first, event[:24] + struct.pack("<I", 1 << 31) + event[28:], region(1)], one, None
    filler = packet(bytes(4096 - 68), pid=METADATA_PID)
    yield "a filler", [region(1, info()), region(2, event, packet(
        bytes(2 * 4096 - len(event) - 68), pid=METADATA_PID)), filler], one, None
    yield "an open metadata packet", [region(2, info(), (packet(
        record(1, b"a\0b\0"), pid=METADATA_PID), b"\xff" * 9)), region(2, (second, b""))], [
        line(8, 10, domain=1)], None
    yield "an open foreign packet", [region(2, info(), (packet(
        b"\xff" * 99, pid=PID + 1), b"\xff" * 9)), region(2, (second, b""))], [
        line(8, 10, domain=1)], None
    yield "damage in an open packet", [first, region(1, (packet(short(7, 3) + head(77, 8), 7, 0, (
        0, 9)), b"")), region(2, (second, b""))], one, 4096 + len(event)
    yield "an event that runs over the size of its open packet", [first, region(1, (packet(
        short(7, 3) + head(2, 8), 7, 0, (0, 9)), b"\0" * 99))], one, 4096 + len(event)
    yield "no magic where a region begins", [
        first, region(1, event), b"\x01" * 4096], one, 2 * 4096
    for name, room in (("smaller than the packet", len(event) - 1), ("not to a page", 4097),
                       ("open, and not to a page", 1 << 31 | 5000),
                       ("the largest", 0xFFFFFFFF)):
        yield f"a room that is not valid: {name}", [
            first, event[:24] + struct.pack("<I", room) + event[28:], region(1)], [], 4096 + 24
    yield "a room beyond the end of the file", [
        first, event[:24] + struct.pack("<I", 0x7FFFF000) + event[28:], b"\x01"], one, None
    for name, room in (("smaller than the packet", 60), ("not to a page", 4097)):
        yield f"no regions, as the first room is not valid: {name}", [
            info()[:24] + struct.pack("<I", room) + info()[28:], packet(
                short(7, 3), 7, 7, (0, 1))[:24] + b"\xff" * 4 + event[28:]], one, None


def time_cases():
    """Section 5.2."""
    yield "times in a packet of 30 s", [info(), packet(
        short(10, 1) + short(30_000_009, 1), 10, 30_000_009, (0, 2))], [
        line(10, 0), line(30_000_009, 1)], None
    yield "a time before the start of the trace", [info(), packet(
        short(-5, 1), -9, 0, (0, 1))], ["-000000005" + line(0, 0)[10:]], None
    steps = short(1000, 1) + short(200, 1) + short(500, 1)
    yield "clock set back inside a packet", [info(), packet(steps, 1000, 500, (0, 3))], [
        line(1000, 0), line(200, 1), line(500, 2)], None
    steps = short(M * 55 + 9, 1) + short(M * 55 + 14, 1) + short(7, 1) + short(90, 1)
    yield "clock set back by 55 times 2^25 us and 2 us", [info(), packet(
        steps, M * 55 + 9, 90, (0, 4))], [
        line(M * 55 + 9, 0), line(M * 55 + 14, 1), line(7, 2), line(90, 3)], None
    hour = 3_600_000_000
    steps = short(hour, 1) + short(70, 1) + short(90, 1)
    yield "clock set back by an hour", [info(), packet(steps, hour, 90, (0, 3))], [
        line(hour, 0), line(70, 1), line(90, 2)], None
    yield "a small step that ends behind begin", [info(), packet(
        short(1000, 1) + short(2000, 1) + short(1500, 1), 1000, 1500, (0, 3))], [
        line(1000, 0), "%010d" % (2000 - M) + line(0, 1)[10:], line(1500, 2)], None
    steps = short(200, 1) + short(1000, 1)
    yield "stepped lasts to the end of the packet only", [
        info(), packet(steps, 1000, 500, (0, 2)), packet(short(1000, 1), 1000, 1100, (2, 3))], [
        line(200, 0), "%010d" % (1000 - M) + line(0, 1)[10:], line(1000, 2)], None
    second = packet(short(1000, 1), 1000, 500, (1, 2))
    yield "rule 2 looks at the domain's last event", [
        info(), packet(short(1001, 1), 1001, 1001, (0, 1)), second], [
        line(1001, 0), "%010d" % (1000 - M) + line(0, 1)[10:]], None
    yield "rule 2 with the last event at the same time", [
        info(), packet(short(1000, 1), 1000, 1000, (0, 1)), second], [
        line(1000, 0), line(1000, 1)], None
    yield "rule 2 and the last event of another domain", [
        info(), packet(short(1001, 1), 1001, 1001, (0, 1), domain=1), second], [
        line(1001, 0, domain=1), line(1000, 1)], None
    yield "locations are no last event", [
        info(), packet(describe(7, time=5000), 5000, 5000), packet(
            short(1000, 1), 1000, 500, (1, 2))], [line(1000, 1)], None
    yield "last is a time before a step", [
        info(), packet(short(1000, 1) + short(200, 1), 1000, 200, (0, 2)),
        packet(short(600, 1), 600, 100, (2, 3))], [
        line(1000, 0), line(200, 1), line(600, 2)], None
    yield "rule 2 up to 1 s behind begin and behind the last event", [
        info(), packet(short(1_001_000, 1) + short(2_001_000, 1) + short(3_001_001, 1), 1000, 0,
                       (0, 3))], [
        line(1_001_000, 0), line(2_001_000, 1), "%010d" % (3_001_001 - M) + line(0, 2)[10:]], None
    yield "a location's time is not looked at", [
        info(), packet(describe(7, time=200) + short(1000, 1) + describe(7) + short(1001, 1), 1000,
                       500, (0, 2))], [line(1000, 0), line(1001, 1)], None


def location_cases():
    """Section 7."""
    use = packet(short(0, 1, miss(1, 1), miss(2, 2), miss(3, 3)), ids=(0, 1))

    def case(name, *bodies, frames, after=(use,)):
        return name, [info(), *(packet(body) for body in bodies), *after], [
            line(0, 0, frames)], None

    yield case("largest and smallest fields", describe(
        1, place(0, b"", b""), place(2**20 - 1, b"f\xff%s", b"g\xc3", 255, 1023)),
        frames=r"@:0:0-0 g\xc3@f\xff%s:1048575:255-1023 $2 $3")
    yield case("names that a terminal would obey", describe(
        1, place(1, b"a\x1b]0;b\x07\n", b"c\\x1b\\x1B\\d\\"),
        place(2, "\x85\u202e\u2066\uffff\u20ac".encode(), b"\xe2\x80\xed\xa0\x80\xc0\xaf\x7f")),
        frames=r"c\x5cx1b\x1B\d\@a\x1b]0;b\x07\x0a:1:0-0 \xe2\x80\xed\xa0\x80\xc0\xaf\x7f@"
        r"\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xef\xbf\xbf" "\xe2\x82\xac:2:0-0 $2 $3")
    yield case("moving to the front", describe(
        1, place(1, b"a", b"f"), place(1, b"b", b"g"), place(1, b"c", b"h"), place(1, 2, b"i"),
        place(1, 0, 1), place(1, 2, 0), place(1, 1, 1), place(1, 2, 0)),
        frames="f@a:1:0-0 g@b:1:0-0 h@c:1:0-0 i@a:1:0-0 f@a:1:0-0 g@b:1:0-0 i@a:1:0-0 h@c:1:0-0"
        " $2 $3")
    many_files = [place(1, b"file%d" % i, b"f%d" % i) for i in range(32)]
    yield case("new file takes over the function table", describe(1, *many_files[:31]), describe(
        2, many_files[31], place(2, 0, 1), place(2, 30, 0)), describe(3),
        frames=" ".join(f"f{i}@file{i}:1:0-0" for i in range(31))
        + " f31@file31:1:0-0 f0@file31:2:0-0 f1@file1:2:0-0 $3")
    many_names = [place(1, b"a", b"f0")] + [place(1, 0, b"f%d" % i) for i in range(1, 32)]
    yield case("a function falls out", describe(1, *many_names), describe(
        2, place(2, 0, 30), place(2, 0, 30)),
        frames=" ".join(f"f{i}@a:1:0-0" for i in range(32)) + " f1@a:2:0-0 f2@a:2:0-0 $3")
    yield case("places that are empty", describe(
        1, place(1, 5, 7), place(1, b"a", b"f"), place(1, 1, 0), place(1, 1, 3), place(1, 0, 1)),
        describe(2, place(2, 9, b"g"), place(2, 0, 0), place(2, 1, 0), place(2, 1, 1)),
        frames="??@<unknown>:1:0-0 f@a:1:0-0 ??@<unknown>:1:0-0 ??@a:1:0-0 f@a:1:0-0"
        " g@<unknown>:2:0-0 g@<unknown>:2:0-0 f@a:2:0-0 ??@<unknown>:2:0-0 $3")
    yield case("place 30 empty and a made-up entry falls out", describe(
        1, place(1, 30, 30), *many_files[:30]), describe(2, many_files[30], place(2, 0, 1)),
        frames="??@<unknown>:1:0-0 " + " ".join(f"f{i}@file{i}:1:0-0" for i in range(30))
        + " f30@file30:1:0-0 ??@file30:2:0-0 $3")
    yield case("an empty place moves entries back", describe(
        1, place(1, b"a", b"f"), place(1, 2, b"g"), place(1, 1, 0), place(1, 2, 4)),
        frames="f@a:1:0-0 g@<unknown>:1:0-0 f@a:1:0-0 ??@<unknown>:1:0-0 $2 $3")
    yield case("first description stays", describe(1, place(1, b"a", b"f")), describe(
        1, place(2, b"b", b"g")), describe(2), describe(2, place(3, 0, 0)), describe(
        3, place(4, 0, 0)), describe(3, place(4, 0, 0)),
        frames="f@a:1:0-0 $2 g@b:4:0-0")
    yield case("first description is that of another domain", describe(9), after=[
        packet(describe(1, place(1, b"a", b"f")), domain=4), packet(describe(
            1, place(1, 0, 0)) + describe(2, place(2, 0, 1))), use],
        frames="f@a:1:0-0 ??@<unknown>:2:0-0 $3")
    late = packet(describe(2, place(1, b"a", b"f")))
    yield "description after the event", [info(), use, late, packet(short(0, 1, hit(1, 1)), ids=(
        1, 2))], [line(0, 0, "$1 $2 $3"), line(0, 1, "$1 f@a:1:0-0")], None
    yield "description after the event in its packet", [info(), packet(
        short(0, 1, miss(1, 1)) + describe(1, place(1, b"a", b"f")) + short(0, 1, hit(1)),
        ids=(0, 2))], [line(0, 0, "$1"), line(0, 1, "f@a:1:0-0")], None
    yield case("locations in a packet of events", after=[packet(
        describe(1, place(1, b"a", b"f")) + short(0, 1, miss(1, 1)) + describe(2), ids=(0, 1))],
        frames="f@a:1:0-0")
    yield case("code as a signed number", after=[packet(
        short(0, 1, miss(1, 2**63), miss(2, 2**63 - 1), miss(3, 2**64 - 1)), ids=(0, 1))],
        frames=f"$-{2**63} ${2**63 - 1} $-1")

    whole = describe(1, place(1, b"a", b"f"))
    broken = packet(whole + describe(2, place(2, b"b", b"g"))[:-1], ids=(5, 99))
    yield case("location event over the end of its packet", after=[
        broken, packet(describe(3, place(3, 0, b"h"), place(3, 1, 0))),
        packet(short(0, 1, miss(1, 1), miss(2, 2), miss(3, 3)), ids=(0, 1))],
        frames="f@a:1:0-0 $2 h@b:3:0-0 f@a:3:0-0")
    event = short(0, 1)
    for size in (8, 12, 13, 18):
        cut = describe(2, place(2, b"b", b"g"))[:size]
        yield f"location event of {size} bytes", [
            info(), packet(event + cut, ids=(0, 1)), packet(short(0, 2), ids=(1, 2))], [
            line(0, 0), line(0, 1, length=2)], None
    first = len(info())
    body = event + describe(2, place(2, b"b", b"g"))[:-1]
    yield "location event in a cut packet", [
        info(), packet(body, size=68 + len(body) + 1, ids=(0, 1))], [line(0, 0)], (
        first + 68 + len(body))
    yield "head of an event over the end of its packet", [
        info(), packet(event + b"\0\0\0", ids=(0, 1))], [line(0, 0)], first + 68 + len(event)


def stack_cases():
    """Section 9."""
    def case(name, *events):
        body = b"".join(event for event, _ in events)
        return name, [info(), packet(body, ids=(0, len(events)))], [
            text for _, text in events], None

    three = (short(0, 1, miss(1, 11), miss(2, 12), miss(3, 13)), line(0, 0, "$11 $12 $13"))
    yield case("common prefix", three, (
        short(0, 1, miss(4, 14), prefix=3), line(0, 1, "$11 $12 $13 $14", prefix=3)), (
        short(0, 1, hit(1), prefix=1), line(0, 2, "$11 $11", prefix=1)), (
        short(0, 1, prefix=2), line(0, 3, "$11 $11", prefix=2)), (short(0, 1), line(0, 4)))
    yield case("common prefix greater than the stack", three, (
        short(0, 1, miss(9, 19), prefix=4), line(0, 1, "$11 $12 $13", prefix=4)), (
        short(0, 1, hit(9), prefix=3), line(0, 2, "$11 $12 $13 $19", prefix=3)), (
        short(0, 1, prefix=2**40), line(0, 3, "$11 $12 $13 $19", prefix=2**40)))
    yield case("negative common prefix", three, (
        short(0, 1, miss(9, 19), prefix=-1), line(0, 1, "$11 $12 $13", prefix=-1)), (
        long(0, 1, 1, 0, hit(0, 1), prefix=-2**63), line(
            0, 2, "$11 $12 $13", prefix=-2**63)), (
        short(0, 1, hit(9), prefix=1), line(0, 3, "$11 $19", prefix=1)))
    yield case("codeword tags", three, (
        short(0, 1, many(1, 2)), line(0, 1, "$11 $12 $13")), (
        short(0, 1, hit(1, 1)), line(0, 2, "$11 $12")), (
        short(0, 1, many(1, 0), many(2, 1)), line(0, 3, "$11 $12 $13")), (
        short(0, 1, hit(3)), line(0, 4, "$13")), (
        short(0, 1, many(0, 3)), line(0, 5, "$0 $0 $0 $0")), (
        short(0, 1, hit(16383, 1)), line(0, 6, "$0 $0")), (
        long(0, 0, 1, 1, hit(1), hit(3)), line(0, 7, "$11 $13", "alloc_major", length=0)), (
        short(0, 1, many(1, 3)), line(0, 8, "$11 $13 $0 $11")), (
        short(0, 1, many(1, 255)), line(0, 9, "$11 $13 $0 " * 85 + "$11")))
    yield case("prediction stored before predictions are followed", (
        short(0, 1, miss(5, 15), many(5, 2), hit(6)), line(0, 0, "$15 $15 $15 $15 $0")), (
        short(0, 1, many(5, 1)), line(0, 1, "$15 $0")))
    yield case("a miss leaves the prediction", (
        short(0, 1, miss(1, 11), miss(2, 12)), line(0, 0, "$11 $12")), (
        short(0, 1, miss(1, 21)), line(0, 1, "$21")), (
        short(0, 1, hit(1, 1)), line(0, 2, "$21 $12")))
    yield case("prediction of bucket 0 whatever the prefix", three, (
        short(0, 1, hit(3), prefix=2), line(0, 1, "$11 $12 $13", prefix=2)), (
        short(0, 1, hit(2), hit(0, 1)), line(0, 2, "$12 $0 $12")))
    yield "state of a domain", [
        info(), packet(short(0, 1, miss(1, 11), miss(2, 12)), ids=(0, 1)),
        packet(short(0, 1, hit(1, 1)), ids=(1, 2), domain=1),
        packet(short(0, 1, prefix=1), ids=(2, 3), domain=2),
        packet(short(0, 1, hit(1, 1), prefix=2), ids=(3, 4))], [
        line(0, 0, "$11 $12"), line(0, 1, "$0 $0", domain=1), line(0, 2, domain=2, prefix=1),
        line(0, 3, "$11 $12 $11 $12", prefix=2)], None

    first = packet(short(0, 1, miss(1, 11), miss(2, 12)), ids=(0, 1))
    lines, at = [line(0, 0, "$11 $12")], len(info()) + len(first)
    good = packet(collect(0, 0), ids=(1, 1), verify=(1, 2, 11))
    yield "verifier that holds", [info(), first, good], [
        *lines, "0000000000 0000000000 collect"], None
    for name, verify in (("bucket too large", (16384, 0, 0)), ("other code", (1, 2, 12)),
                         ("other prediction", (1, 3, 11)), ("bucket of the sign bit",
                                                            (0xFFFE, 0, 0))):
        yield f"verifier with {name}", [info(), first, packet(
            collect(0, 0), ids=(1, 1), verify=verify)], lines, at
    yield "verifier of a domain never met", [info(), first, packet(
        domain=7, verify=(4242, 0, 0)), packet(domain=8, verify=(1, 2, 11))], lines, at + 68


def deep_case():
    """Section 12: a stack as deep as can be."""
    words = [many(0, 255)] * 16384 + [miss(5, 55), many(5, 255)]
    body = long(0, 1, 1, 0, *words) + short(0, 1, hit(5), prefix=0)
    body += short(0, 1, hit(0, 1))
    return "the deepest stack", [info(), packet(body, ids=(0, 3))], [
        line(0, 0, "$0 " * 2**22), line(0, 1, "$55"), line(0, 2, "$0 $0")], None


def info_cases():
    """Section 6 and the first packet."""
    event = packet(short(7, 3), 0, 9, (0, 1))
    one = [line(7, 0, length=3)]
    first = len(info())
    yield "bytes behind the trace info", [info(extra=b"\xffanything"), event], [], first
    yield "an event behind the trace info", [info(extra=collect(0, 0)), event], [], first
    yield "first packet of another process", [info(header_pid=1), event], [], 30
    yield "first packet of heaptap's metadata", [info(header_pid=METADATA_PID), event], [], 30
    yield "first packet with bytes behind and of another process", [
        info(header_pid=1, extra=b"x"), event], [], first
    yield "first packet of more than 16 MiB", [info(size=2**24 + 1), event], [], 4
    yield "first packet of 16 MiB", [info(size=2**24), event], [], first + len(event)
    yield "ids and verifier of the first packet", [
        info(ids=(4, 2), verify=(17000, 1, 1), domain=3), event], one, None
    yield "first packet cut behind the trace info", [
        info(header_pid=1, extra=bytes(9))[:-1]], [], first + 8
    yield "first packet of another rate, cut", [info(rate=2.0, extra=b"x")[:-1]], [], 72
    yield "rate and a later field wrong", [packet(info(rate=2.0)[68:-1])], [], 99
    yield "only a trace info", [info()], [], None
    for rate in (0.0, -0.5, 1.5, float("nan"), float("inf")):
        yield f"sample rate {rate}", [info(rate=rate), event], [], 72
    yield "sample rate 1", [info(rate=1.0), event], one, None
    yield "smallest sample rate", [info(rate=5e-324), event], one, None
    for word in (0, 12, 63):
        yield f"word size {word}", [info(word=word), event], [], 80
    yield "word size 248", [info(word=248), event], one, None
    yield "empty file", [b""], [], 0
    yield "no trace", [b"not a trace, but longer than a packet header would be: " * 2], [], 0
    yield "first packet without events", [packet(), event], [], 68
    yield "first packet begins with another event", [packet(collect(0, 0)), event], [], 68
    yield "version 0", [info(version=0), event], [], 28
    yield "version 4", [info(version=4), event], [], 28
    body = info()[68:]
    at = 68 + 4 + 9
    fields = {"sample rate": 6, "word size": 12, "executable": at + 2 - 68, "host": at + 7 - 68,
              "parameters": at + 9 - 68, "pid": at + 13 - 68, "context": at + 20 - 68}
    starts = {"sample rate": 72, "word size": 80, "executable": at, "host": at + 4,
              "parameters": at + 9, "pid": at + 10, "context": at + 18}
    for name, size in fields.items():
        yield f"first packet ends in {name}", [packet(body[:size]), event], [], starts[name]


def metadata_cases():
    """Section 11."""
    event = packet(short(7, 3), 0, 9, (0, 1))
    one = [line(7, 0, length=3)]
    good = record(1, b"name\0value\0") + record(3, struct.pack("<HQ", 1, 4712) + b"worker\0")
    odd = [record(99, b"abc"), record(1, b"name\0value\0more"), record(1, b"name\0value"),
           record(2, bytes(40) + b"\x41" + bytes(65) + b"path\0"), record(4, b""), record(
               5, b"\x01\0" + bytes(8) + b"reason\0"), good]
    rests = [b"\x01", b"\x01\0\0\0", record(1, b"name\0value\0", 12), record(4, b"", 2**32 - 1)]
    packets = [packet(b"".join(odd) + rest, pid=METADATA_PID, verify=(17000, 5, 5), ids=(4, 9))
               for rest in rests]
    yield "metadata packets", [info(), packets[0], packets[1], event, *packets[2:]], one, None
    yield "metadata packet that is cut", [info(), event, packet(
        good, pid=METADATA_PID)[:-1]], one, len(info()) + len(event) + 67 + len(good)
    yield "the trace's pid is that of metadata packets", [
        info(pid=METADATA_PID), event, packet(
            collect(9, 0), 9, 9, (1, 1), pid=METADATA_PID)], [
        "0000000009 0000000000 collect"], None


def damage_cases():
    """Section 13, as far as not tested above."""
    event = short(7, 3)
    first = len(info())
    at = first + 68 + len(event)
    one = [line(7, 0, length=3)]

    def bad(name, body, offset=at):
        return name, [info(), packet(event + body, 0, 9, (0, 1)), packet(
            collect(9, 0), 9, 9, (1, 1))], one, offset

    for code in (0, 5, 100, 117, 127):
        yield bad(f"event code {code}", head(code, 8) + bytes(20))
    yield bad("negative length", long(8, -1, 1, 0))
    yield bad("negative length in 4 bytes", raw_long(8, b"\xfe\0\0\0\x80\x01\0"))
    yield bad("no samples", long(8, 1, 0, 0))
    yield bad("negative samples", long(8, 1, -7, 0))
    yield bad("source 3", long(8, 1, 1, 3))
    yield bad("source 255", long(8, 1, 1, 255))
    for size in range(1, len(collect(8, 300))):
        yield bad(f"collection cut to {size} bytes", collect(8, 300)[:size])
    for size in (4, 5, 6, 7, 8, 9, 10, 12, 13, 21, 22):
        yield bad(f"allocation cut to {size} bytes", long(
            8, 1, 1, 0, miss(1, 1), many(1, 3))[:size])
    for size in (4, 5, 6, 7):
        yield bad(f"short allocation cut to {size} bytes", short(8, 1, hit(3, 1))[:size])
    for end in (0, 2):
        yield f"end id {end}", [info(), packet(event, 0, 9, (0, end))], one, first + 60
    yield "end id in version 2", [info(2), packet(
        event, 0, 9, (0, 2), 2)], one, len(info(2)) + 58
    yield "end id of a packet without events", [info(), packet(ids=(1, 2))], [], first + 60
    whole = packet(event, 0, 9, (0, 9), size=68 + len(event) + 1)
    yield "trace cut between two events", [info(), whole], one, first + len(whole)
    yield "packet size smaller than its header", [info(), packet(size=67)], [], first + 4
    yield "packet size 0", [info(), packet(size=0)], [], first + 4
    bad_event = packet(event + head(77, 8), 0, 9, (0, 9), size=2000)
    yield "unknown event in a cut packet", [info(), bad_event], one, at
    bad_event = packet(event + long(8, -1, 1, 0), 0, 9, (0, 9), size=2000)
    yield "allocation with negative length in a cut packet", [info(), bad_event], one, at
    bad_event = packet(event + long(8, -1, 1, 0)[:-1], 0, 9, (0, 9), size=2000)
    yield "the same, cut before the codeword count", [info(), bad_event], one, (
        first + len(bad_event))
    wrong = packet(event, 0, 9, (0, 9), size=2000, verify=(3, 3, 3))
    yield "verifier in a cut packet", [info(), wrong], [], first


def compressed(source):
    """Section 3: the example compressed in several ways."""
    data, lines = the_example(source)

    def zstd(part):
        return subprocess.run(["zstd", "-qc"], input=part, stdout=subprocess.PIPE,
                              check=True).stdout

    packed = gzip.compress(data)
    two = gzip.compress(data[:300]) + gzip.compress(data[300:])
    yield "gzip", packed, lines, None
    yield "gzip of two members", two, lines, None
    yield "gzip of an empty member and another", gzip.compress(b"") + packed, lines, None
    yield "gzip and other bytes", packed + b"other\x1f\x8b", lines, None
    yield "gzip and zero bytes", packed + bytes(512), lines, None
    yield "gzip of nothing", gzip.compress(b""), [], 0
    yield "gzip without its last byte", packed[:-1], lines, len(data)
    yield "gzip without its checksum", packed[:-8], lines, len(data)
    yield "gzip with another checksum", packed[:-8] + bytes(4) + packed[-4:], lines, len(data)
    yield "gzip and half a header", packed + packed[:5], lines, len(data)
    stored = zlib.compressobj(0, wbits=31)
    stored = stored.compress(data) + stored.flush()
    yield "gzip cut inside a packet", stored[:15 + 0x1F0], lines[:3], 0x1F0
    yield "gzip cut inside a packet header", stored[:15 + 0x210], lines[:5], 0x200
    yield "zstd", zstd(data), lines, None
    yield "zstd of two frames", zstd(data[:300]) + zstd(data[300:]), lines, None
    yield "zstd of nothing", zstd(b""), [], 0
    yield "zstd and other bytes", zstd(data) + b"other", lines, len(data)
    yield "zstd cut in the second frame", zstd(data[:0x200]) + zstd(data[0x200:])[:12], (
        lines[:5]), 0x200


def true_order_cases():
    """Section 10."""
    one = packet(short(20, 1) + promote(40, 0), 20, 40, (6, 7), domain=1)
    expected = [line(10, 0), line(20, 6, domain=1), "0000000040 0000000006 promote",
                "0000000040 0000000006 collect", line(30, 1)]
    zero = packet(short(10, 1) + collect(40, -6), 10, 40, (0, 1))
    back = packet(short(30, 1), 30, 30, (1, 2))
    yield "merged by time, id and kind", [info(), zero, back, one], expected, None
    late = packet(describe(11, place(1, b"a", b"f")), domain=1)
    use = packet(short(10, 1, miss(1, 11)), 10, 10, (0, 1))
    yield "merged, described later", [info(), use, late], [line(10, 0, "f@a:1:0-0")], None
    bad = packet(short(15, 1) + head(5, 16), 15, 16, (1, 2))
    at = len(info()) + len(use) + 68 + len(short(15, 1))
    yield "merged, damage ends the domain", [
        info(), use, bad, one, packet(short(70, 1), 70, 70, (2, 3)),
        packet(domain=1, verify=(16384, 0, 0)), b"no packet"], [
        line(10, 0, "$11"), line(15, 1), line(20, 6, domain=1),
        "0000000040 0000000006 promote"], at


def all_tests(source):
    """All tests, as names and functions."""
    yield from golden_tests(source, "valid", False)
    yield from golden_tests(source, "invalid", True)
    data, lines = the_example(source)
    yield "the page's example", lambda d=data, e=lines: made(d, e)
    yield "the page's example, cut at every byte", lambda d=data: every_cut(d)
    for group in (primitive_cases, packet_cases, region_cases, time_cases, location_cases, stack_cases,
                  lambda: [deep_case()], info_cases, metadata_cases, damage_cases):
        for name, parts, expected, offset in group():
            yield name, lambda p=parts, e=expected, o=offset: made(b"".join(p), e, o)
    for name, parts, _, _ in metadata_cases():
        yield f"records kept: {name}", lambda p=parts: converted(b"".join(p))
    for name, data, expected, offset in compressed(source):
        yield name, lambda d=data, e=expected, o=offset: made(d, e, o)
    for name, parts, expected, offset in true_order_cases():
        yield name, lambda p=parts, e=expected, o=offset: made(b"".join(p), e, o, "true")


def main():
    tests = list(all_tests(os.environ["SOURCE"]))
    print(f"1..{len(tests)}")
    failed = False
    for number, (name, test) in enumerate(tests, 1):
        problem = test()
        print(f"{'not ' if problem else ''}ok {number} - {name}")
        if problem:
            failed = True
            print("# " + problem.replace("\n", "\n# "))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    if not shutil.which("zstd"):
        print("1..0 # SKIP there is no zstd")
        sys.exit(0)
    sys.exit(main())
