// An expression that is compiled for each line.
#include <cstdio>
#include <regex>
#include <string>

int main()
{
    long count = 0;
    for (int i = 0; i < 200; i++) {
        std::regex digits("[0-9]+"); // here: regexes
        count += std::regex_match(std::to_string(i), digits);
    }
    std::printf("%ld\n", count);
}
