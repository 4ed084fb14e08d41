// Fields of a line by substr.
#include <cstdio>
#include <string>

static std::string field(const std::string &line, int n)
{
    size_t start = 0;
    while (n-- > 0)
        start = line.find(';', start) + 1;
    return line.substr(start, line.find(';', start) - start); // here: substrings
}

int main()
{
    std::string line = "first;a field of more than twenty letters;third";
    size_t all = 0;
    for (int i = 0; i < 10000; i++)
        all += field(line, 1).size();
    std::printf("%zu\n", all);
}
