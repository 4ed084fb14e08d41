// A list that is only walked.
#include <cstdio>
#include <list>

int main()
{
    std::list<long> all;
    for (long i = 0; i < 20000; i++)
        all.push_back(i); // here: node-containers
    long sum = 0;
    for (long x : all)
        sum += x;
    std::printf("%ld\n", sum);
}
