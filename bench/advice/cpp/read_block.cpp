// A large buffer for each block that is read.
#include <cstdio>
#include <vector>

static size_t read_block(std::FILE *file, size_t size)
{
    std::vector<char> buffer(size); // here: large-temporaries here: temporary-containers
    return std::fread(buffer.data(), 1, buffer.size(), file);
}

int main()
{
    std::FILE *file = std::fopen("/dev/zero", "rb");
    size_t all = 0;
    for (int i = 0; i < 200; i++)
        all += read_block(file, 256 * 1024);
    std::printf("%zu\n", all);
    std::fclose(file);
}
