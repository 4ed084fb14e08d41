"""Small profiles in pprof's format, encoded by hand."""
import time

from protobuf_encode import field, varint


def profile(stacks, now=None, period=524288, is_of_heaptap=False):
    """pprof's format: {(function, ..., innermost first): (objects, bytes)} of alloc and of inuse alike; nothing is promoted, of
    which Go's profiles do not speak."""
    strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "space", "promoted_space"]
    names = sorted({name for stack in stacks for name in stack})
    number = {name: i + 1 for i, name in enumerate(names)}

    out = b""
    for name, unit in [(1, 2), (3, 4), (5, 2), (6, 4)] + [(8, 4)] * is_of_heaptap:
        out += field(1, field(1, name) + field(2, unit))
    for stack, (objects, size) in stacks.items():
        out += field(2, field(1, b"".join(varint(number[name]) for name in stack)) +
                     field(2, b"".join(varint(value) for value in (objects, size, objects, size) + (0,) * is_of_heaptap)))
    for name in names:
        out += field(4, field(1, number[name]) + field(4, field(1, number[name]) + field(2, 10)))
        out += field(5, field(1, number[name]) + field(2, len(strings)))
        strings.append(name)
    for text in strings:
        out += field(6, text.encode())
    out += field(9, int((now or time.time()) * 1e9))
    out += field(11, field(1, 7) + field(2, 4)) + field(12, period)
    return out
