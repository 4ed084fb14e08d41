"""Protocol buffers, encoded by hand; protobuf.py decodes them."""


def varint(value):
    value &= (1 << 64) - 1  # negative ones are of 64 bits
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(key, value):
    if isinstance(value, int):
        return varint(key << 3) + varint(value)
    return varint(key << 3 | 2) + varint(len(value)) + value
