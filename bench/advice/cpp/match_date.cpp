// A date recognized by a regular expression that is made for each line.
#include <cstdio>
#include <regex>
#include <string>

static bool is_date(const std::string &line)
{
    std::regex date("\\d{4}-\\d{2}-\\d{2}"); // here: regexes
    return std::regex_match(line, date); // also: temporary-containers
}

int main()
{
    int dates = 0;
    for (int i = 0; i < 100; i++)
        dates += is_date(i % 2 ? "2024-05-01" : "no date");
    std::printf("%d\n", dates);
}
