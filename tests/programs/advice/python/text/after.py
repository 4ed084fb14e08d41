def lines(n):
    parts = []
    for i in range(n):
        parts.append("a line\n")
    return "".join(parts), parts


print(len(lines(2000)[0]))
