// Primes up to a limit.
#include <cstdio>
#include <vector>

static std::vector<long> primes_below(long limit)
{
    std::vector<long> primes;
    for (long n = 2; n < limit; n++)
    {
        bool is_prime = true;
        for (size_t i = 0; is_prime && i < primes.size() && primes[i] * primes[i] <= n; i++)
            is_prime = n % primes[i] != 0;
        if (is_prime)
            primes.push_back(n); // here: vector-growth
    }
    return primes;
}

int main()
{
    printf("%zu\n", primes_below(400000).size());
}
