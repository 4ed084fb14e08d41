/* The copy shares the program's pages for as long as neither writes to them.  What it needs by itself is for its tables: for small
 * blocks up to half of what these take. */
#include "tap/holders/room.h"

#include <stdbool.h>
#include <string.h>

#include "tap/inside/kernel.h"
#include "tap/inside/text.h"

enum { FILE_BYTES = 4096, BESIDES_BYTES = 32 << 20 };

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

static uint64_t memory_left(void)
{
    char bytes[FILE_BYTES];
    uint64_t kilobytes =
        read_file("/proc/meminfo", bytes) ? number_behind(bytes, "MemAvailable:") : UINT64_MAX;
    return kilobytes == UINT64_MAX ? UINT64_MAX : kilobytes << 10;
}

static uint64_t read_limit(const char *group, const char *file)
{
    char path[FILE_BYTES + 64], bytes[FILE_BYTES];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, "/sys/fs/cgroup");
    text_add(&text, group);
    text_add(&text, file);
    return !text.cut && read_file(path, bytes) ? number_behind(bytes, "") : UINT64_MAX;
}

/* Of control groups of version 2. */
static uint64_t group_left(void)
{
    char groups[FILE_BYTES];
    if (!read_file("/proc/self/cgroup", groups))
        return UINT64_MAX;
    char *found = strstr(groups, "0::/");
    if (!found)
        return UINT64_MAX;
    found[strcspn(found, "\n")] = 0;
    const char *group = strcmp(found, "0::/") == 0 ? "" : found + strlen("0::");
    uint64_t most = read_limit(group, "/memory.max"), now = read_limit(group, "/memory.current");
    if (most == UINT64_MAX || now == UINT64_MAX)
        return UINT64_MAX;
    return most > now ? most - now : 0;
}

const char *snapshot_room_lack(void)
{
    char bytes[FILE_BYTES];
    uint64_t resident =
        read_file("/proc/self/status", bytes) ? number_behind(bytes, "RssAnon:") : 0;
    uint64_t wanted = BESIDES_BYTES + (resident == UINT64_MAX ? 0 : resident << 9);
    if (memory_left() < wanted)
        return "there is too little memory left in the machine";
    return group_left() < wanted
               ? "there is too little memory left by the limit of the process's control group"
               : NULL;
}
