"""A plain trace with two snapshots of what holds its blocks, made up: in the last one of each stack as many blocks and bytes as it has
allocated, in turn held by a variable, by the stack before it, and by nothing; in the first one, of the first stack alone.  Half of what the
variable holds is held by a thread's stack as well.

    python3 add_holders.py IN OUT"""

import collections
import struct
import sys

HEADER = "<IIqqIHQHHHQQQ"
PID = int.from_bytes(b"heaptap\0", "little")


def records(stacks, name="book", file="shop.c", class_name=""):
    """Records for stacks: (codes from the innermost out, blocks, bytes)."""
    yield from snapshot(["signal", 700, 9000, 2], stacks[:1], name, file, class_name)
    yield from snapshot(["end", 1200, 34000, 5], stacks, name, file, class_name)


def snapshot(fields, stacks, name, file, class_name):
    yield "snapshot", fields
    roots = [("global", name, file, 8, "/bin/shop"), ("lost", "", "", 0, ""), ("several", "", "", 0, ""), ("stack", f"main, {name}", file, 30, "/bin/shop")]
    for number, root in enumerate(roots):
        yield "root", [number, *root]
    yield "shared", [0, sum(size for number, (_, _, size) in enumerate(stacks) if number % 3 != 2) // 2, 3]
    for number, (codes, _, _) in enumerate(stacks):
        yield "stack", [number, *codes]
    for kind in ("path", "dominated"):
        yield kind, [0, 0, 0, 0, 0, 0, ""]
        yield kind, [1, 1, 1, 0, 0, 0, ""]
        for number, (_, blocks, size) in enumerate(stacks):
            above = 1 if number % 3 == 2 else number + 1 if number % 3 == 1 else 0
            yield kind, [number + 2, above, number, 16, blocks, size, class_name, blocks, "", size]


def packet(written):
    """A metadata packet of them."""
    body = b""
    for name, fields in written:
        value = b"\t".join(field if isinstance(field, bytes) else str(field).encode() for field in fields)
        body += struct.pack("<BI", 10, len(name) + len(value) + 2) + name.encode() + b"\0" + value + b"\0"
    size = struct.calcsize(HEADER) + len(body)
    return struct.pack(HEADER, 0xc1fc1fc1, size * 8, 0, 0, 0, 3, PID, 0, 0xffff, 0, 0, 0, 0) + body


def stacks_of(data):
    from decode_trace import ALLOCATION, Trace
    sums = collections.Counter()
    counts = collections.Counter()
    for event in Trace(data).file_order():
        if event.kind == ALLOCATION:
            codes = tuple(reversed(event.codes))
            counts[codes] += 1
            sums[codes] += event.length * 8
    return [(codes, counts[codes], sums[codes]) for codes in sorted(counts)]


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file_in:
        trace = file_in.read()
    with open(sys.argv[2], "wb") as file_out:
        file_out.write(trace + packet(records(stacks_of(trace))))
