// A stable sort for each query.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Person {
    int age, height;
};

static int oldest(std::vector<Person> &people)
{
    std::stable_sort(people.begin(), people.end(), [](const Person &a, const Person &b) { return a.age > b.age; }); // here: stable-sorts
    return people.front().age;
}

int main()
{
    std::vector<Person> people(200);
    long all = 0;
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 200; i++)
            people[i] = {i * turn % 97, i};
        all += oldest(people);
    }
    std::printf("%ld\n", all);
}
