class Shape:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n

    def name(self):
        return f"shape {self.n} " * 200


total = 0
for i in range(40000):
    total += len(Shape(i).name())
print(total)
