#include <cstdio>
#include <vector>

static std::vector<unsigned char> buffer;

static long blur(int row)
{
    buffer.assign(200000, 0);
    for (size_t i = 0; i < buffer.size(); i += 100)
        buffer[i] = (unsigned char)(i ^ row);
    return buffer[1700];
}

int main()
{
    long sum = 0;
    for (int row = 0; row < 300; row++)
        sum += blur(row);
    std::printf("%ld\n", sum);
}
