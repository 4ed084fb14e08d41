// Texts of one `+` each: appending makes as many blocks, or more.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static std::map<std::string, int> keys;

static int find(int key)
{
    auto found = keys.find("a rather long key for the index, number " + std::to_string(key));
    return found == keys.end() ? 0 : found->second;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += find(i % 700);
    // Of any length in turn.
    std::vector<std::string> marks;
    for (unsigned i = 0; i < 64; i++)
        marks.push_back(std::string(i * 3 + 1, '.'));
    for (unsigned i = 1; i <= 20000; i++) {
        const std::string mark = "a mark of any length " + marks[i * 2654435761u % 61];
        sum += (long)mark.size();
    }
    std::printf("%ld\n", sum);
}
