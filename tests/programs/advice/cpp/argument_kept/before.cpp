// Names that a function takes by value, and works on for long.
#include <cstdio>
#include <string>
#include <vector>

__attribute__((noinline)) static size_t total(std::vector<std::string> names)
{
    size_t sum = 0;
    for (int turn = 0; turn < 50; turn++)
        for (const std::string &name : names)
            sum += name.size() ^ turn;
    return sum;
}

int main()
{
    std::vector<std::string> names;
    names.reserve(2000);
    for (int i = 0; i < 2000; i++)
        names.push_back("a name that is too long for the buffer " + std::to_string(i));
    size_t sum = 0;
    for (int i = 0; i < 20; i++)
        sum += total(names); // here: copied-containers
    std::printf("%zu\n", sum);
}
