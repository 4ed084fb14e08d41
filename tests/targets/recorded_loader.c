/* A C program that loads a C++ library privately:  recorded_loader LIBRARY */
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : (void *)0;
    void (*all_forms)(void);
    if (!handle)
        return 3;
    *(void **)&all_forms = dlsym(handle, "all_forms");
    all_forms();
    return dlclose(handle);
}
