// Which of the documents contain a word?
#include <cstdio>
#include <string>
#include <vector>

static size_t count(const std::vector<std::string> &documents, const char *word)
{
    size_t found = 0;
    for (auto document : documents)
        found += document.find(word) != std::string::npos;
    return found;
}

int main()
{
    std::vector<std::string> documents;
    documents.reserve(500);
    for (int i = 0; i < 500; i++)
        documents.emplace_back(2000 + i, static_cast<char>('a' + i % 26));
    size_t found = 0;
    for (const char *word : {"aaa", "bbb", "ccc", "ddd", "xyz", "zzz"})
        found += count(documents, word);
    std::printf("%zu\n", found);
}
