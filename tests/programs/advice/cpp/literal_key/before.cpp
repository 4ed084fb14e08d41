// Look-ups by a literal: each makes a string of it.
#include <cstdio>
#include <map>
#include <string>

int main()
{
    std::map<std::string, int> table{{"a key that is too long to be short", 3}};
    long sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += table.find("a key that is too long to be short")->second; // here: temporary-strings
    std::printf("%ld\n", sum);
}
