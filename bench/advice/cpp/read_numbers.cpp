// Sums the numbers of each line.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

static long sum_of(const std::string &line)
{
    std::istringstream words(line); // here: streams
    long sum = 0, number;
    while (words >> number)
        sum += number;
    return sum;
}

int main()
{
    std::vector<std::string> lines;
    for (int i = 0; i < 100; i++)
        lines.push_back("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 " + std::to_string(i));
    long sum = 0;
    for (int round = 0; round < 50; round++)
        for (const auto &line : lines)
            sum += sum_of(line);
    printf("%ld\n", sum);
}
