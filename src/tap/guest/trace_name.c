/* The name of the file for a process's trace, which no other process of the run may have. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap/guest/state.h"
#include "tap/inside/clock.h"
#include "tap/inside/environment.h"
#include "tap/inside/executable.h"
#include "tap/inside/kernel.h"
#include "tap/inside/name_pattern.h"
#include "tap/inside/text.h"

enum { NAMES_MAX = 10000 };

static struct {
    char executable[PATH_MAX];
    pid_t of;        /* whose trace has the name; 0: nobody's yet */
    bool is_pattern; /* the name that was asked for, of `heaptap record` */
    char asked[GUEST_PATH_BYTES], path[GUEST_PATH_BYTES];
} claimed;

/* What sets the n-th name for a process's trace apart. */
static void put_tag(struct text *text, const char *separator, uint32_t n)
{
    if (n == 0)
        return;
    text_add(text, separator);
    text_add_number(text, (uint64_t)claimed.of);
    if (n > 1) {
        text_add(text, separator);
        text_add_number(text, n);
    }
}

static void put_name(uint32_t n)
{
    const char *slash = strrchr(claimed.asked, '/'), *base = slash ? slash + 1 : claimed.asked;
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot != base ? (size_t)(dot - claimed.asked) : strlen(claimed.asked);
    struct text text;
    text_init(&text, claimed.path, sizeof claimed.path);
    text_add_bytes(&text, claimed.asked, stem);
    put_tag(&text, ".", n);
    text_add(&text, claimed.asked + stem);
}

/* The same, of a pattern. */
static void put_expanded(uint32_t n)
{
    char child[GUEST_PATH_BYTES], name[GUEST_PATH_BYTES];
    executable_path(claimed.executable, sizeof claimed.executable);
    name_pattern_of_child(child, sizeof child, "", claimed.asked);
    name_pattern_expand(n > 1 ? name : claimed.path, GUEST_PATH_BYTES,
                        n > 0 ? child : claimed.asked, claimed.executable, (uint64_t)claimed.of,
                        clock_read(CLOCK_REALTIME));
    if (n > 1)
        name_pattern_number(claimed.path, sizeof claimed.path, name, n);
}

/* Whether nobody in this run has had the n-th name before. */
static bool is_free(const char *directory, uint32_t n)
{
    if (!directory)
        return true;
    char path[GUEST_PATH_BYTES];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, directory);
    text_add(&text, "/trace");
    put_tag(&text, "-", n);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EEXIST;
}

/* Is this the process that `heaptap record` has started? */
static bool is_of_command(void)
{
    return guest_number(GUEST_RECORD) == (uint64_t)getppid();
}

/* The command's own process takes the name that was asked for from whoever has it: that is one from which this program was
 * executed.  Other names that are there are others'. */
static void claim_expanded(const char *directory, uint32_t n)
{
    struct stat status;
    if (n == 0 && is_of_command() && is_free(directory, 0)) {
        put_expanded(0);
        if (kernel_stat_link(claimed.path, &status) == 0 && S_ISREG(status.st_mode))
            kernel_unlink(claimed.path);
        return;
    }
    for (n = 1; n < NAMES_MAX; n++) {
        put_expanded(n);
        if (kernel_stat_link(claimed.path, &status) != 0)
            return;
    }
}

const char *trace_claim(const char *directory, const char *path)
{
    pid_t pid = getpid();
    if (claimed.of == pid)
        return claimed.path;
    uint32_t n = claimed.of != 0; /* a fork's has a pid in any case */
    claimed.of = pid;
    if (path) {
        struct text text;
        text_init(&text, claimed.asked, sizeof claimed.asked);
        text_add(&text, path);
        claimed.is_pattern = directory && guest_is_of_record();
    }
    if (claimed.is_pattern) {
        claim_expanded(directory, n);
        return claimed.path;
    }
    while (n < NAMES_MAX && !is_free(directory, n))
        n++;
    put_name(n);
    return claimed.path;
}

const char *trace_path(void)
{
    return claimed.path;
}

const char *trace_executable(void)
{
    executable_path(claimed.executable, sizeof claimed.executable);
    return claimed.executable;
}

void trace_unclaim(void)
{
    claimed.of = 0;
}

bool trace_is_ours(void)
{
    return claimed.of == getpid();
}
