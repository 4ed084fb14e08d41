"""Primes, by division."""
primes = [2]
for n in range(3, 9000):
    if not any([n % p == 0 for p in primes if p < 95]):  # here: list-consumed
        primes.append(n)
print(len(primes))
