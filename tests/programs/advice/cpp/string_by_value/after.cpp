#include <cstdio>
#include <string>

__attribute__((noinline)) static size_t length(const std::string &text)
{
    return text.size() + 1;
}

int main()
{
    const std::string text(100, 'x');
    size_t sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += length(text);
    std::printf("%zu\n", sum);
}
