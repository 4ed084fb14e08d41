#include <cstdio>
#include <functional>
#include <map>
#include <string>

int main()
{
    std::map<std::string, int, std::less<>> table{{"a key that is too long to be short", 3}};
    long sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += table.find("a key that is too long to be short")->second;
    std::printf("%ld\n", sum);
}
