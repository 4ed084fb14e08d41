#include <cstdio>
#include <regex>
#include <string>

int main()
{
    static const std::regex digits("[0-9]+");
    long count = 0;
    for (int i = 0; i < 200; i++)
        count += std::regex_match(std::to_string(i), digits);
    std::printf("%ld\n", count);
}
