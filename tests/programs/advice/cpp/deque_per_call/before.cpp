// A queue for each search.
#include <cstdio>
#include <queue>

__attribute__((noinline)) static int search(int start)
{
    std::queue<int> open; // here: temporary-containers
    open.push(start);
    int steps = 0;
    while (!open.empty() && steps < 20) {
        open.push(open.front() + 1);
        open.pop();
        steps++;
    }
    return steps;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += search(i);
    std::printf("%ld\n", sum);
}
