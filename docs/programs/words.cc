// An index of words, built from a text: which lines each word is on.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static std::map<std::string, std::vector<int>> read_index(int lines)
{
    std::map<std::string, std::vector<int>> index;
    for (int line = 0; line < lines; line++)
        for (int word = 0; word < 8; word++)
            index["a word of the text, number " + std::to_string(line * word % 2003)].push_back(line);
    return index;
}

int main()
{
    auto index = read_index(20000);
    printf("%zu words\n", index.size());
}
