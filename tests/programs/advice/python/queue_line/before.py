"""A queue whose first element is dropped, behind another statement."""


def work(n):
    queue = list(range(n))
    done = 0
    while queue:
        first = queue[0]; queue = queue[1:]  # here: list-queue
        done += first
    return done


print(work(1500))
