#include <cstdio>
#include <string>

__attribute__((noinline)) static std::string line(int i)
{
    char number[16];
    std::snprintf(number, sizeof number, "%d", i);
    std::string out;
    out.reserve(60);
    out += "a line with a number that is long enough: ";
    out += number;
    return out;
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += line(i).size();
    std::printf("%zu\n", sum);
}
