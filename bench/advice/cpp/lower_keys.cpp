// Look-ups by a key that is put into lower case each time.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <unordered_map>

static std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

int main()
{
    std::unordered_map<std::string, int> table{{"content-transfer-encoding", 1}, {"content-length", 2}};
    std::string name = "Content-Transfer-Encoding";
    long all = 0;
    for (int i = 0; i < 10000; i++)
        all += table.at(lower(name)); // here: copied-containers
    std::printf("%ld\n", all);
}
