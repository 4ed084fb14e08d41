// An index of words by operator[] of a map.
#include <cstdio>
#include <map>
#include <string>

int main()
{
    std::map<std::string, int> index;
    char word[16];
    for (int i = 0; i < 30000; i++) {
        std::snprintf(word, sizeof word, "w%d", i * 7919 % 15013);
        index[word]++; // here: node-containers
    }
    std::printf("%zu\n", index.size());
}
