// A lambda that captures a table by copy, for each call of an algorithm.
#include <algorithm>
#include <cstdio>
#include <vector>

static long count_known(const std::vector<int> &numbers, const std::vector<char> &known)
{
    auto is_known = [known](int n) { return known[n] != 0; }; // here: copied-containers
    return std::count_if(numbers.begin(), numbers.end(), is_known); // here: copied-containers
}

int main()
{
    std::vector<int> numbers{1, 5, 9, 100, 200};
    std::vector<char> known(256);
    known[5] = known[200] = 1;
    long all = 0;
    for (int i = 0; i < 3000; i++)
        all += count_known(numbers, known);
    std::printf("%ld\n", all);
}
