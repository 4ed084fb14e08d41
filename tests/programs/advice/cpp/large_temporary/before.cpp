// A picture's rows, each of which gets a buffer that is thrown away.
#include <cstdio>
#include <vector>

static long blur(int row)
{
    std::vector<unsigned char> buffer(200000); // here: large-temporaries
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
