class Shape:
    def __init__(self, n):
        self.n = n

    def name(self):
        return f"shape {self.n} " * 10


total = 0
for i in range(20000):
    total += len(Shape(i).name())
print(total)
