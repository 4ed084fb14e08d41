class Visit:
    def __init__(self, n):
        self.n = n


def read(n):
    return [Visit(i) for i in range(n)]


kept = read(100)
read(50)
print("done")
