// Operator new and delete in all their forms, 9000 bytes and more each.
#include <cstdlib>
#include <new>

struct alignas(64) wide {
    char bytes[9024];
};

static void *volatile kept;

extern "C" __attribute__((visibility("default"))) void all_forms()
{
    for (int i = 0; i < 10; i++) {
        char *a = static_cast<char *>(::operator new(9000));
        kept = a;
        ::operator delete(a);
        a = new char[9001];
        kept = a;
        delete[] a;
        a = static_cast<char *>(::operator new(9002, std::nothrow));
        kept = a;
        ::operator delete(a, std::nothrow);
        a = static_cast<char *>(::operator new[](9003, std::nothrow));
        kept = a;
        ::operator delete[](a, std::nothrow);
        wide *w = new wide;
        kept = w;
        delete w;
        void *v = ::operator new[](9005, std::align_val_t(64));
        kept = v;
        ::operator delete[](v, std::align_val_t(64));
        v = ::operator new(9006, std::align_val_t(64), std::nothrow);
        kept = v;
        ::operator delete(v, std::align_val_t(64), std::nothrow);
        v = ::operator new(9007);
        kept = v;
        ::operator delete(v, std::size_t(9007));
    }
#ifndef NEVER_FAILS
    try {
        volatile std::size_t huge = ~std::size_t(0) / 4;
        kept = ::operator new(huge);
        std::exit(3);
    } catch (const std::bad_alloc &) {
    }
#endif
}

#ifndef AS_LIBRARY
int main()
{
    all_forms();
}
#endif
