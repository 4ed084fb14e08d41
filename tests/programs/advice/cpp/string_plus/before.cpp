// A text that is made line by line, each time as a new string.
#include <cstdio>
#include <string>

int main()
{
    std::string text;
    for (int i = 0; i < 2000; i++)
        text = text + (i % 2 ? "an odd line\n" : "an even line\n"); // here: string-plus
    std::printf("%zu\n", text.size());
}
