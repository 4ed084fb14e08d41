#include "tap/inside/memory.h"

#include <stdbool.h>
#include <string.h>

#include "tap/inside/kernel.h"
#include "tap/inside/program_limits.h"
#include "tap/inside/text.h"

enum { FILE_BYTES = 4096 };

#define GROUPS "/sys/fs/cgroup"

/* What a file has, ended by a 0; false where it can't be read. */
static bool read_file(const char *path, char bytes[FILE_BYTES])
{
    int fd = kernel_open(path, O_RDONLY, 0);
    if (fd < 0)
        return false;
    long got = kernel_read(fd, bytes, FILE_BYTES - 1);
    kernel_close(fd);
    bytes[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* The number behind a word; UINT64_MAX where there is none. */
static uint64_t number_behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    uint64_t number = 0;
    if (!at)
        return UINT64_MAX;
    for (at += strlen(word); *at == ' ' || *at == '\t'; at++)
        ;
    if (*at < '0' || *at > '9')
        return UINT64_MAX;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

/* In bytes, of a file of kilobytes. */
static uint64_t bytes_behind(const char *path, const char *word)
{
    char bytes[FILE_BYTES];
    uint64_t kilobytes = read_file(path, bytes) ? number_behind(bytes, word) : UINT64_MAX;
    return kilobytes == UINT64_MAX ? UINT64_MAX : kilobytes << 10;
}

uint64_t memory_resident(void)
{
    return bytes_behind("/proc/self/status", "RssAnon:");
}

uint64_t memory_left(void)
{
    return bytes_behind("/proc/meminfo", "MemAvailable:");
}

/* ---- Control groups --------------------------------------------------------------------- */

static uint64_t read_limit(const char *folder, const char *group, const char *file)
{
    char path[FILE_BYTES + 64], bytes[FILE_BYTES];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, folder);
    text_add(&text, group);
    text_add(&text, file);
    return !text.cut && read_file(path, bytes) ? number_behind(bytes, "") : UINT64_MAX;
}

/* The group behind a word, such as "/a/b", or "" for the outermost; NULL where there is none. */
static char *group_behind(char *groups, const char *word)
{
    char *found = strstr(groups, word);
    if (!found)
        return NULL;
    found += strlen(word);
    found[strcspn(found, "\n")] = 0;
    return strcmp(found, "/") == 0 ? found + 1 : found;
}

uint64_t memory_group_left(void)
{
    char groups[FILE_BYTES];
    const char *group = read_file("/proc/self/cgroup", groups) ? group_behind(groups, "0::") : NULL;
    if (!group)
        return UINT64_MAX;
    uint64_t most = read_limit(GROUPS, group, "/memory.max"),
             now = read_limit(GROUPS, group, "/memory.current");
    if (most == UINT64_MAX || now == UINT64_MAX)
        return UINT64_MAX;
    return most > now ? most - now : 0;
}

/* Version 1 writes a number as large as it can where nothing is limited. */
uint64_t memory_group_limit(const char *folder, char *groups)
{
    enum { UNLIMITED_BITS = 62 };
    bool is_first = strstr(groups, ":memory:") != NULL;
    char *group = group_behind(groups, is_first ? ":memory:" : "0::"), *slash;
    const char *file = is_first ? "/memory.limit_in_bytes" : "/memory.max";
    uint64_t least = UINT64_MAX;
    char below[FILE_BYTES];
    struct text text;
    text_init(&text, below, sizeof below);
    text_add(&text, folder);
    text_add(&text, is_first ? "/memory" : "");
    while (group) {
        uint64_t limit = read_limit(below, group, file);
        if (limit < least && limit >> UNLIMITED_BITS == 0)
            least = limit;
        slash = strrchr(group, '/');
        group = slash ? group : NULL;
        if (slash)
            *slash = 0;
    }
    return least;
}

/* ---- All ----------------------------------------------------------------------------------- */

struct memory_limit memory_limit(void)
{
    char groups[FILE_BYTES];
    uint64_t group =
        read_file("/proc/self/cgroup", groups) ? memory_group_limit(GROUPS, groups) : UINT64_MAX;
    const struct memory_limit limits[] = {
        {"cgroup", group},
        {"address-space", limits_of(RLIMIT_AS)},
        {"machine", bytes_behind("/proc/meminfo", "MemTotal:")},
    };
    struct memory_limit least = limits[0];
    for (size_t i = 1; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].bytes < least.bytes)
            least = limits[i];
    return least;
}
