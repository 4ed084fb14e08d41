// Parts of a text, each copied to be compared.
#include <cstdio>
#include <string>

int main()
{
    const std::string text(1000, 'x');
    long count = 0;
    for (int i = 0; i < 20000; i++)
        count += text.substr(i % 900, 40) == "no such part"; // here: substrings
    std::printf("%ld\n", count);
}
