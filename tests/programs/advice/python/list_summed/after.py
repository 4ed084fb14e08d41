def total(n):
    return sum(i * i for i in range(n))


print(sum(total(20000) for _ in range(10)))
