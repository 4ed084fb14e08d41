// A getter that returns its container by value.
#include <cstdio>
#include <string>
#include <vector>

class Settings {
  public:
    Settings() : hosts_(30, "a host with quite a long name.example") {}
    std::vector<std::string> hosts() const { return hosts_; } // here: copied-containers

  private:
    std::vector<std::string> hosts_;
};

int main()
{
    Settings settings;
    size_t all = 0;
    for (size_t i = 0; i < 500; i++)
        all += settings.hosts()[i % 30].size(); // here: copied-containers
    std::printf("%zu\n", all);
}
