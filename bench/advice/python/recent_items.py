"""The last items, the newest in front."""


class Recent:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items = [item] + self.items[:199]  # here: list-queue here: list-copies here: list-append
        return self.items[0]


recent = Recent()
for i in range(5000):
    recent.add(i)
print(len(recent.items))
