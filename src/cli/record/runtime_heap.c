/* A name alone proves nothing: a program called python may be anything, and gdb has all of Python in it.  What proves it is a
 * function that only such a program calls, on the stack of something that it allocated, or in the names that the program's file
 * gives to its loader: those of its functions that others may call, those that it calls itself, and of its libraries.  They
 * stay in a program that is stripped. */
#include "cli/record/runtime_heap.h"

#include <stdio.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/plain.h"
#include "base/text.h"
#include "cli/record/program.h"

struct sign {
    const char *program;  /* how the program's name begins; NULL for any */
    const char *function; /* one on its stacks; a star is the rest of it.  NULL for none */
    const char
        *module; /* or how a library's name begins in which such a function is; NULL for none */
    const struct runtime_heap *heap;
};

static const struct runtime_heap python = {
    "a Python program", "which lines of Python allocate, and small objects one by one",
    "heaptap record -- python3 SCRIPT, without --native (CPython 3.11 to 3.13)"};

static const struct runtime_heap lua = {"a Lua program", "which lines of Lua allocate",
                                        "heaptap record -- lua SCRIPT, without --native (Lua 5.4)"};
static const struct runtime_heap java = {
    "a program on a Java VM", "Java's own heap",
    "a profile of async-profiler's allocations, converted to pprof's format"};
static const struct runtime_heap go = {
    "a Go program", "Go's own heap",
    "its own profile (pprof.WriteHeapProfile), which heaptap reads"};
static const struct runtime_heap node = {"a node program", "V8's heap of JavaScript objects",
                                         "node --heap-prof, whose .heapprofile heaptap reads"};

static const struct sign signs[] = {
    {NULL, "Py_BytesMain", NULL, &python}, {NULL, "Py_RunMain", NULL, &python},
    {NULL, "Py_Main", NULL, &python},      {"lua", "lua_*", NULL, &lua},
    {"lua", "luaL_*", NULL, &lua},         {NULL, NULL, "libjvm.so", &java},
    {NULL, "x_cgo_*", NULL, &go},          {NULL, "runtime.asmcgocall*", NULL, &go},
    {NULL, "node::Start*", NULL, &node},
};

static const char *base_of(const char *path)
{
    return path ? path_file(path) : "";
}

static bool is_named(const char *function, const char *name)
{
    size_t length = strcspn(name, "*");
    return name[length] ? strncmp(function, name, length) == 0 : strcmp(function, name) == 0;
}

static bool tells(const struct sign *sign, const struct heaptap_location *at, const char *module)
{
    if (sign->module && (begins_with(base_of(module), sign->module) ||
                         begins_with(base_of(at->file), sign->module)))
        return true;
    return sign->function && is_named(at->function, sign->function);
}

static bool any_tells(const struct sign *sign, const struct frame_source *frames)
{
    for (uint32_t frame = 0; frame < frames->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *all = frames->locations(frames->context, frame, &count);
        const char *module =
            sign->module && frames->module ? frames->module(frames->context, frame) : NULL;
        for (size_t i = 0; i < count; i++)
            if (tells(sign, &all[i], module))
                return true;
    }
    return false;
}

const struct runtime_heap *runtime_heap_of(const struct frame_source *frames, const char *program)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if ((!signs[i].program || begins_with(base_of(program), signs[i].program)) &&
            any_tells(&signs[i], frames))
            return signs[i].heap;
    return NULL;
}

/* ---- The program's file --------------------------------------------------------------- */

/* What its loader reads, or what its tools do. */
struct file_sign {
    const char *program; /* how the program's name begins; NULL for any */
    const char *text;    /* a name in one of its tables of strings, or how it begins, with a star */
    const struct runtime_heap *heap;
};

static const struct file_sign file_signs[] = {
    {NULL, "Py_BytesMain", &python}, {NULL, "Py_RunMain", &python},
    {"lua", "luaL_newstate", &lua},  {"lua", "liblua*", &lua},
    {NULL, "libjli.so", &java},      {NULL, "libjvm.so", &java},
    {NULL, ".go.buildinfo", &go},    {NULL, "_ZN4node5StartEiPPc", &node},
    {NULL, "libnode.so*", &node},
};

/* A file of this machine's class and order of bytes, mapped. */
struct file {
    const unsigned char *bytes; /* NULL for none */
    size_t size;
};

static struct file map_file(const char *path)
{
    struct file file = {0};
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED)
            file = (struct file){bytes, (size_t)about.st_size};
    }
    if (fd >= 0)
        close(fd);
    return file;
}

static bool is_within(const struct file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

/* Is a string of the table the name? */
static bool table_has(const char *table, size_t size, const char *name)
{
    const char *end = table + size;
    for (const char *at = table; at < end;) {
        size_t length = strnlen(at, (size_t)(end - at));
        if (at + length < end && is_named(at, name))
            return true;
        at += length + 1;
    }
    return false;
}

/* Of an executable's tables of strings those of its loader and of its sections, not of its symbols, which may be large. */
static bool file_has(const struct file *file, const char *name)
{
    Elf64_Ehdr head;
    Elf64_Shdr section;
    if (!is_within(file, 0, sizeof head))
        return false;
    memcpy(&head, file->bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof section ||
        !is_within(file, head.e_shoff, (uint64_t)head.e_shnum * sizeof section))
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, file->bytes + head.e_shoff + i * sizeof section, sizeof section);
        bool is_read =
            section.sh_type == SHT_STRTAB && (section.sh_flags & SHF_ALLOC || i == head.e_shstrndx);
        if (is_read && is_within(file, section.sh_offset, section.sh_size) &&
            table_has((const char *)file->bytes + section.sh_offset, section.sh_size, name))
            return true;
    }
    return false;
}

static const struct runtime_heap *heap_of_file(const struct file *file, const char *path)
{
    for (size_t i = 0; i < sizeof file_signs / sizeof *file_signs; i++)
        if ((!file_signs[i].program || begins_with(base_of(path), file_signs[i].program)) &&
            file_has(file, file_signs[i].text))
            return file_signs[i].heap;
    return NULL;
}

const struct runtime_heap *runtime_heap_of_file(const char *path)
{
    char *program = program_behind(path);
    struct file file = program ? map_file(program) : (struct file){0};
    const struct runtime_heap *heap = file.bytes ? heap_of_file(&file, program) : NULL;
    if (file.bytes)
        munmap((void *)file.bytes, file.size);
    free(program);
    return heap;
}

/* A text that ends with a 0.  It stands here between bars, so that heaptap's own program has none of these texts. */
static bool has_constant(const struct file *file, const char *barred)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%.*s", (int)strlen(barred) - 2, barred + 1);
    return memmem(file->bytes, file->size, text, (size_t)size + 1);
}

/* By texts of OCaml's runtime and of memtrace, which stay in a program that is stripped. */
bool runtime_heap_has_memtrace(const char *path)
{
    char *program = program_behind(path);
    struct file file = program ? map_file(program) : (struct file){0};
    bool has = file.bytes && has_constant(&file, "|Fatal error: exception %s\n|") &&
               has_constant(&file, "|MEMTRACE|") && has_constant(&file, "|MEMTRACE_RATE|");
    if (file.bytes)
        munmap((void *)file.bytes, file.size);
    free(program);
    return has;
}

char *runtime_heap_text(const struct runtime_heap *heap, const char *program)
{
    return text_format("%s is %s: malloc doesn't show %s.\nWhat does: %s",
                       plain(base_of(program ? program : "it")), heap->language, heap->unseen,
                       heap->way);
}
