"""A queue whose first element is taken by making the list again without it."""


def work(n):
    queue = list(range(n))
    done = 0
    while queue:
        done += queue[0]
        queue = queue[1:]  # here: list-queue
    return done


print(work(1500))
