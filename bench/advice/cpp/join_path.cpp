// Paths put together by +.
#include <cstdio>
#include <string>

static std::string path(const std::string &folder, const std::string &name)
{
    return folder + "/" + name + ".txt"; // here: string-plus
}

int main()
{
    size_t all = 0;
    std::string folder = "/usr/share/dictionaries/english";
    for (int i = 0; i < 5000; i++)
        all += path(folder, i % 2 ? "first" : "second").size();
    std::printf("%zu\n", all);
}
