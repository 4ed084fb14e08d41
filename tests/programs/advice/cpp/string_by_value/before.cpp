// A string that a function takes by value.
#include <cstdio>
#include <string>

__attribute__((noinline)) static size_t length(std::string text)
{
    text[0] = '!';
    return text.size() + (text[0] == '!');
}

int main()
{
    const std::string text(100, 'x');
    size_t sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += length(text); // here: copied-containers
    std::printf("%zu\n", sum);
}
