// A line that is made longer by + in a loop.
#include <cstdio>
#include <string>

int main()
{
    std::string line;
    for (int i = 0; i < 3000; i++)
        line = line + "item, "; // here: string-plus
    std::printf("%zu\n", line.size());
}
