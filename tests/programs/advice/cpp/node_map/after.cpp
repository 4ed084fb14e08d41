#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

int main()
{
    long sum = 0;
    std::vector<std::pair<int, int>> table;
    table.reserve(20000);
    for (int i = 0; i < 20000; i++)
        table.emplace_back(i * 7 % 20011, i);
    std::sort(table.begin(), table.end());
    for (const auto &entry : table)
        sum += entry.first ^ entry.second;
    std::printf("%ld\n", sum);
}
