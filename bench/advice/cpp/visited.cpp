// A table of what has been visited, for each search.
#include <cstdio>
#include <queue>
#include <vector>

static int reach(const std::vector<std::vector<int>> &next, int from)
{
    std::vector<bool> visited(next.size()); // here: temporary-containers
    std::queue<int> open; // here: temporary-containers
    int count = 0;
    open.push(from);
    while (!open.empty()) {
        int at = open.front();
        open.pop();
        if (visited[at])
            continue;
        visited[at] = true;
        count++;
        for (int to : next[at])
            open.push(to);
    }
    return count;
}

int main()
{
    std::vector<std::vector<int>> next(64);
    for (int i = 0; i < 64; i++)
        next[i] = {(i + 1) % 64, (i * 5) % 64};
    long all = 0;
    for (int i = 0; i < 2000; i++)
        all += reach(next, i % 64);
    std::printf("%ld\n", all);
}
