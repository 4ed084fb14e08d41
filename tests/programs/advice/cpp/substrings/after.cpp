#include <cstdio>
#include <string>
#include <string_view>

int main()
{
    const std::string text(1000, 'x');
    const std::string_view view(text);
    long count = 0;
    for (int i = 0; i < 20000; i++)
        count += view.substr(i % 900, 40) == "no such part";
    std::printf("%ld\n", count);
}
