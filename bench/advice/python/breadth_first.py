"""A search whose queue is a list."""
graph = {n: [(n * 2) % 3000, (n * 3 + 1) % 3000, (n + 1) % 3000] for n in range(3000)}


def reach(start):
    queue, seen = [start], {start}
    while queue:
        node, queue = queue[0], queue[1:]  # here: list-queue
        for to in graph[node]:
            if to not in seen:
                seen.add(to)
                queue.append(to)
    return len(seen)


print(sum(reach(n) for n in range(4)))
