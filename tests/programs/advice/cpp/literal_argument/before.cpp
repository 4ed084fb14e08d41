// A function that takes a string is given literals.
#include <cstdio>
#include <string>

__attribute__((noinline)) static size_t log(const std::string &text, int i)
{
    return text.size() + i;
}

int main()
{
    size_t sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += log("a message that is too long to be a short string", i); // here: temporary-strings
    std::printf("%zu\n", sum);
}
