// Numbers read by std::stoi, whose exceptions are the usual case.
#include <cstdio>
#include <stdexcept>
#include <string>

static int number(const std::string &text)
{
    try {
        return std::stoi(text); // here: exceptions
    } catch (const std::invalid_argument &) {
        return 0;
    }
}

int main()
{
    long sum = 0;
    std::string texts[] = {"12", "none", "n/a", "-"};
    for (int i = 0; i < 4000; i++)
        sum += number(texts[i % 4]);
    std::printf("%ld\n", sum);
}
