// Readings of sensors, an hour at a time: the highest of each hour.
#include <algorithm>
#include <cstdio>
#include <vector>

static int hour(int number)
{
    std::vector<int> readings;
    for (int second = 0; second < 3600; second++)
        readings.push_back((second * 31 + number * 17) % 1000);
    return *std::max_element(readings.begin(), readings.end());
}

int main()
{
    long sum = 0;
    for (int number = 0; number < 240; number++)
        sum += hour(number);
    std::printf("%ld\n", sum);
}
