// Names in a range loop that copies each of them.
#include <cstdio>
#include <string>
#include <vector>

struct Person {
    std::string name, street;
    int age;
};

static long letters(const std::vector<Person> &people)
{
    long count = 0;
    for (auto person : people) // here: copied-in-loop
        count += static_cast<long>(person.name.size()) + person.age;
    return count;
}

int main()
{
    std::vector<Person> people;
    people.reserve(50);
    for (int i = 0; i < 50; i++)
        people.push_back({"somebody with a long name " + std::to_string(i), "a street with a name that is long", i});
    long all = 0;
    for (int i = 0; i < 100; i++)
        all += letters(people);
    std::printf("%ld\n", all);
}
