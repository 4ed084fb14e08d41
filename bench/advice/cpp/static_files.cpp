// Which file a request is for.
#include <cstdio>
#include <string>
#include <vector>

class Site
{
  public:
    explicit Site(std::string root) : root_(std::move(root)) {}
    bool allows(const std::string &path) const
    {
        std::string file = root_ + "/" + path + "/index.html"; // here: string-plus
        return file.find("..") == std::string::npos;
    }

  private:
    std::string root_;
};

int main()
{
    Site site("/var/lib/service/public/documents");
    std::vector<std::string> paths = {"about/company/history", "products/large/machines", "../../etc/passwd"};
    long allowed = 0;
    for (int i = 0; i < 4000; i++)
        for (const auto &path : paths)
            allowed += site.allows(path);
    printf("%ld\n", allowed);
}
