"""What is live, by line, as tracemalloc counts it: written to the file that is named, for comparison."""
import json
import sys
import tracemalloc


class Node:
    def __init__(self, value):
        self.value = value
        self.names = {"value": str(value), "twice": [value, value * 2]}


def build(n):
    kept = []
    for i in range(n):
        kept.append(Node(i * 1000))
        if i % 3 == 0:
            kept.pop()
        text = "-".join(str(j) for j in range(i % 20))
        kept.append((text, text.encode(), {j: [j] for j in range(i % 7)}))
    return kept


tracemalloc.start()
kept = build(2000)
snapshot = tracemalloc.take_snapshot()
tracemalloc.stop()
rows = {s.traceback[0].lineno: [s.count, s.size] for s in snapshot.statistics("lineno")
        if s.traceback[0].filename == __file__}
with open(sys.argv[1], "w") as out:
    json.dump(rows, out)
