#include "tap/record/allocator.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap/inside/text.h"
#include "tap/native/paths.h"
#include "tap/record/real.h"

/* What the program's own calls of a function reach.  (dlsym with RTLD_DEFAULT would look into this
 * library first, as it is linked to find its own symbols first.) */
static void *first_of(const char *name)
{
    return dlsym(_r_debug.r_map, name);
}

static void *first_malloc(void)
{
    return first_of("malloc");
}

/* In a program linked to a fixed address, what stands for a function whose address it takes is a
 * jump of its own, under a symbol with an address but no definition. */
static bool is_jump(void *function)
{
    Dl_info info;
    void *symbol = NULL;
    return dladdr1(function, &info, &symbol, RTLD_DL_SYMENT) && symbol &&
           ((const ElfW(Sym) *)symbol)->st_shndx == SHN_UNDEF;
}

bool allocator_is_hooked(void)
{
    void *first = first_malloc();
    return first == (void *)(uintptr_t)malloc || is_jump(first);
}

static bool is_in_this_library(void *function)
{
    Dl_info theirs, ours;
    return dladdr(function, &theirs) && dladdr((void *)(uintptr_t)allocator_is_hooked, &ours) &&
           theirs.dli_fbase == ours.dli_fbase;
}

static void *before_ours(const char *name)
{
    void *first = first_of(name);
    return first && !is_in_this_library(first) && !is_jump(first) ? first : NULL;
}

void allocator_stand_aside(void)
{
    real_prefer(before_ours);
}

const char *allocator_path(void)
{
    Dl_info info;
    void *used = allocator_is_hooked() ? (void *)(uintptr_t)real.malloc : first_malloc();
    return dladdr(used, &info) && info.dli_fname ? info.dli_fname : "";
}

bool allocator_own_path(char *path, size_t size)
{
    char folder[PATH_MAX] = "";
    Dl_info info;
    struct text text;
    if (!dladdr((void *)(uintptr_t)allocator_own_path, &info) || !info.dli_fname)
        return false;
    text_init(&text, path, size);
    if (info.dli_fname[0] != '/' && paths_folder(folder)) {
        text_add(&text, folder);
        text_add(&text, "/");
    }
    text_add(&text, info.dli_fname);
    return !text.cut && !strpbrk(path, ": ");
}

bool allocator_is_libc(void)
{
#ifdef __GLIBC__
    Dl_info malloc_info, libc_info;
    return dladdr((void *)(uintptr_t)real.malloc, &malloc_info) &&
           dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc_info) &&
           malloc_info.dli_fbase == libc_info.dli_fbase;
#else
    return false;
#endif
}
