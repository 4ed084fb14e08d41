// Rows that are copied to be looked at.
#include <cstdio>
#include <string>
#include <vector>

int main()
{
    std::vector<std::string> names(200, std::string(100, 'x'));
    size_t sum = 0;
    for (int turn = 0; turn < 100; turn++)
        for (auto name : names) // here: copied-in-loop
            sum += name.size() + name[0];
    std::printf("%zu\n", sum);
}
