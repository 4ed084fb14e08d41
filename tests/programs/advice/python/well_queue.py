"""A queue as collections has it, and a text that is joined."""
from collections import deque

queue = deque(range(20000))
parts = []
while queue:
    parts.append(str(queue.popleft()))
print(len("".join(parts)))
