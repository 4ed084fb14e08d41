def packet(n):
    parts = []
    for i in range(n):
        parts.append(b"0123456789")
    return b"".join(parts)


print(sum(len(packet(1000)) for _ in range(5)))
