#include <cstdio>
#include <string_view>

__attribute__((noinline)) static size_t log(std::string_view text, int i)
{
    return text.size() + i;
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += log("a message that is too long to be a short string", i);
    std::printf("%zu\n", sum);
}
