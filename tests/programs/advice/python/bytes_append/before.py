"""Bytes that are put together piece by piece."""


def packet(n):
    data = b""
    for i in range(n):
        data += b"0123456789"  # here: string-append
    return data


print(sum(len(packet(1000)) for _ in range(5)))
