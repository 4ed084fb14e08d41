// Tables of few words, each of which grows, and is gone soon.
#include <cstdio>
#include <unordered_map>

static size_t distinct(unsigned n)
{
    std::unordered_map<unsigned, int> seen;
    for (unsigned i = 0; i < n; i++)
        seen[i * 2654435761u % 4001]++; // here: rehashes
    return seen.size();
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 500; i++)
        sum += distinct(900);
    std::printf("%zu\n", sum);
}
