#include <cstdio>
#include <string>

int main()
{
    std::string text;
    for (int i = 0; i < 2000; i++)
        text += i % 2 ? "an odd line\n" : "an even line\n";
    std::printf("%zu\n", text.size());
}
