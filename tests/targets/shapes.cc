// What C++ adds to names: namespaces, templates, lambdas, constructors.  Never run, as chain.c.
#define NOT_INLINED __attribute__((noinline))
#define INLINED inline __attribute__((always_inline))
#define PROBE(name) __asm__ volatile(".globl probe_" #name "\nprobe_" #name ": nop")

#include <map>
#include <string>

namespace zoo
{
// Types enough for dwz to share.
std::string crowd(const std::map<int, std::string> &animals, int which)
{
    return animals.at(which);
}

template <typename T> struct cage {
    T value;

#line 100
    INLINED explicit cage(T v) : value(v)
    {
        PROBE(constructor);
    }

#line 200
    template <typename F> NOT_INLINED void each(F visit)
    {
        visit(value);
        PROBE(each);
    }
};

namespace
{
#line 300
NOT_INLINED int hidden(int x)
{
    PROBE(hidden);
    return x + 1;
}
} // namespace
} // namespace zoo

#line 400
int main(int argc, char **)
{
    zoo::cage<int> animals(argc);
    animals.each([](int) { PROBE(lambda); });
    return zoo::hidden(animals.value);
}
