// Literals passed as strings.
#include <cstdio>
#include <string>

__attribute__((noinline)) static bool is_logged(const std::string &module, int level)
{
    return level > 2 && !module.empty();
}

int main()
{
    int count = 0;
    for (int i = 0; i < 20000; i++)
        count += is_logged("network.connection.pool", i % 5); // here: temporary-strings
    std::printf("%d\n", count);
}
