#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Item {
    std::string name;
    int price;
};

class Catalog {
  public:
    void add(int shelf, std::string name, int price) { shelves_[shelf].push_back({std::move(name), price}); }
    std::vector<Item> shelf(int number) const { return shelves_.at(number); }
    size_t size() const { return shelves_.size(); }

  private:
    std::map<int, std::vector<Item>> shelves_;
};

static int cheapest(const Catalog &catalog, int shelf)
{
    int least = 1 << 30;
    for (const Item &item : catalog.shelf(shelf))
        if (item.price < least)
            least = item.price;
    return least;
}

int main()
{
    Catalog catalog;
    for (int shelf = 0; shelf < 40; shelf++)
        for (int i = 0; i < 50; i++)
            catalog.add(shelf, "an article with a rather long name, number " + std::to_string(i), 100 + (i * 37 + shelf) % 91);
    long sum = 0;
    for (int day = 0; day < 30; day++)
        for (int shelf = 0; shelf < 40; shelf++)
            sum += cheapest(catalog, shelf);
    std::printf("%ld of %zu\n", sum, catalog.size());
}
