// A stream that is made for each line.
#include <cstdio>
#include <sstream>
#include <string>

__attribute__((noinline)) static std::string line(int i)
{
    std::ostringstream out;
    out << "a line with a number that is long enough: " << i; // here: streams
    return out.str(); // also: streams
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += line(i).size();
    std::printf("%zu\n", sum);
}
