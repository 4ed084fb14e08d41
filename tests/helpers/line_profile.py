"""A profile in pprof's format of functions that allocate at lines of source files."""
from protobuf_encode import field, varint


def write_lines(name, rows):
    """Rows are (function, file, line, bytes): a sample for each."""
    texts = ["", "alloc_space", "bytes"]
    out = field(1, field(1, 1) + field(2, 2))
    for i, (function, file, line, value) in enumerate(rows, 1):
        out += field(5, field(1, i) + field(2, len(texts)) + field(4, len(texts) + 1))
        out += field(4, field(1, i) + field(3, i * 4096) + field(4, field(1, i) + field(2, line)))
        out += field(2, field(1, varint(i)) + field(2, varint(value)))
        texts += [function, file]
    with open(name, "wb") as profile:
        profile.write(out + b"".join(field(6, text.encode()) for text in texts))
