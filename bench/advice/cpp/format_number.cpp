// Numbers made into text by a stream for each.
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <string>

static std::string price(double amount)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << amount << " EUR for each of the pieces"; // here: streams
    return text.str(); // here: streams
}

int main()
{
    size_t all = 0;
    for (int i = 0; i < 3000; i++)
        all += price(i * 0.25).size();
    std::printf("%zu\n", all);
}
