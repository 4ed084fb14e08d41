#include <cstdio>
#include <map>
#include <string>

class Config {
public:
    Config()
    {
        for (int i = 0; i < 20; i++)
            settings_[i] = i * 3;
    }
    const std::map<int, int> &settings() const { return settings_; }

private:
    std::map<int, int> settings_;
};

int main()
{
    Config config;
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += config.settings().at(i % 20);
    std::printf("%ld\n", sum);
}
