// A structure that a function takes by value: its members are copied by a constructor that the compiler makes.
#include <cstdio>
#include <string>

struct Request {
    std::string path, body;
};

__attribute__((noinline)) static size_t handle(Request request)
{
    return request.path.size() + request.body.size();
}

int main()
{
    const Request request{std::string(100, 'p'), std::string(1000, 'b')};
    size_t sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += handle(request); // here: copied-containers
    std::printf("%zu\n", sum);
}
