// Words of a line by std::istringstream.
#include <cstdio>
#include <sstream>
#include <string>

static int words(const std::string &line)
{
    std::istringstream in(line); // here: streams
    std::string word;
    int count = 0;
    while (in >> word)
        count++;
    return count;
}

int main()
{
    std::string line = "the quick brown fox jumps over the lazy dog";
    long all = 0;
    for (int i = 0; i < 4000; i++)
        all += words(line);
    std::printf("%ld\n", all);
}
