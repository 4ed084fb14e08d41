"""A profile in pprof's format of one sample for each list of values, all at one stack, with types of any name and unit."""
import time

from protobuf_encode import field, varint


def values_profile(types, samples, function="work"):
    """`types` are (name, unit), a sample has a value for each."""
    strings = [""]

    def text(string):
        if string not in strings:
            strings.append(string)
        return strings.index(string)

    out = b"".join(field(1, field(1, text(name)) + field(2, text(unit))) for name, unit in types)
    for values in samples:
        out += field(2, field(1, varint(1)) + field(2, b"".join(varint(value) for value in values)))
    out += field(4, field(1, 1) + field(4, field(1, 1))) + field(5, field(1, 1) + field(2, text(function)))
    return out + b"".join(field(6, string.encode()) for string in strings) + field(9, int(time.time() * 1e9))
