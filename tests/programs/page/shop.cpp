// A shop that has a peak, a leak and a churn, each in a line of its own.
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

static std::vector<char *> pending;

static size_t split(const std::string &line)
{
    std::vector<std::string> words;
    words.reserve(4);
    for (size_t at = 0; at + 100 <= line.size(); at += 100)
        words.push_back(line.substr(at, 100));
    return words.size();
}

static void handle(int number)
{
    char *order = new char[400];
    order[0] = static_cast<char>(number);
    if (number % 10 != 0)
        pending.push_back(order);
    else
        delete[] order;
}

static size_t report()
{
    std::vector<std::string> rows;
    rows.reserve(20000);
    for (int i = 0; i < 20000; i++)
        rows.push_back(std::string(400, 'r'));
    usleep(20000);
    return rows.size();
}

int main()
{
    size_t words = 0;
    pending.reserve(8000);
    const std::string line(400, 'x');
    for (int i = 0; i < 8000; i++) {
        handle(i);
        words += split(line);
        if (i % 500 == 0)
            usleep(1000);
        if (i == 4000)
            words += report();
    }
    std::printf("%zu\n", words);
}
