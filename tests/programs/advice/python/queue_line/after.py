from collections import deque


def work(n):
    queue = deque(range(n))
    done = 0
    while queue:
        done += queue.popleft()
    return done


print(work(1500))
