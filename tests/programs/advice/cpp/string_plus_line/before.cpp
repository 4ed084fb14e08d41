// Paths put together by several `+` of one line: each larger block takes what the one before has.
#include <cstdio>
#include <string>

__attribute__((noinline)) static std::string path(const std::string &folder, const std::string &name)
{
    return folder + "/" + name + ".txt"; // here: string-plus
}

int main()
{
    size_t bytes = 0;
    const std::string folder = "/usr/share/dictionaries/english", name = "a-file-of-its-own/first";
    for (int i = 0; i < 5000; i++)
        bytes += path(folder, name).size();
    std::printf("%zu\n", bytes);
}
