// Look-ups by what is no string: each makes a string of it.
#include <cstdio>
#include <functional>
#include <map>
#include <string>

static std::map<std::string, int> prices;

__attribute__((noinline)) static int price_of(const char *name)
{
    auto at = prices.find(name); // here: temporary-strings
    return at == prices.end() ? 0 : at->second;
}

int main()
{
    long sum = 0;
    prices["a product with a long name"] = 3;
    for (int i = 0; i < 20000; i++)
        sum += price_of("a product with a long name");
    std::printf("%ld\n", sum);
}
