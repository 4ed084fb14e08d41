// A text that grows character by character.
#include <cstdio>
#include <string>

__attribute__((noinline)) static std::string row(int n)
{
    std::string text;
    for (int i = 0; i < n; i++)
        text += (char)('a' + i % 26); // here: string-growth
    return text;
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 500; i++)
        sum += row(1900).size();
    std::printf("%zu\n", sum);
}
