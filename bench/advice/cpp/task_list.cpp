// Tasks in a linked list.
#include <cstdio>
#include <list>

struct Task {
    int id, priority;
};

int main()
{
    std::list<Task> tasks;
    for (int i = 0; i < 20000; i++)
        tasks.push_back({i, i % 5}); // here: node-containers
    long urgent = 0;
    for (const Task &task : tasks)
        urgent += task.priority == 4;
    std::printf("%ld\n", urgent);
}
