#include "fleet/push/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"

enum { NAME_DIGITS = 16 }; /* of the time, and of the process */

static const char ending[] = ".profile";

struct waiting {
    char name[2 * NAME_DIGITS + 32];
    uint64_t bytes;
};

struct spool {
    int folder;
    uint64_t most_bytes;
    pthread_mutex_t lock;    /* of all below */
    struct waiting *waiting; /* the oldest first */
    size_t count, capacity;
    uint64_t bytes; /* of all of them */
    size_t dropped;
    bool on_its_way; /* the first one is */
    uint32_t number; /* of the next one of this process */
};

/* ---- The list ----------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    size_t size = strlen(name), of_ending = sizeof ending - 1;
    return size > of_ending && size < sizeof(struct waiting){0}.name &&
           strspn(name, "0123456789abcdef-") == size - of_ending &&
           strcmp(name + size - of_ending, ending) == 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct waiting *)a)->name, ((const struct waiting *)b)->name);
}

static bool add(struct spool *spool, const char *name, uint64_t bytes)
{
    if (!ARRAY_RESERVE(&spool->waiting, &spool->capacity, spool->count + 1))
        return false;
    strcpy(spool->waiting[spool->count].name, name);
    spool->waiting[spool->count++].bytes = bytes;
    spool->bytes += bytes;
    return true;
}

static void take_out(struct spool *spool, size_t index)
{
    spool->bytes -= spool->waiting[index].bytes;
    spool->count--;
    memmove(&spool->waiting[index], &spool->waiting[index + 1],
            (spool->count - index) * sizeof *spool->waiting);
}

/* One that is on its way stays. */
static void make_room(struct spool *spool)
{
    size_t first = spool->on_its_way;
    while (spool->bytes > spool->most_bytes && spool->count > first) {
        if (unlinkat(spool->folder, spool->waiting[first].name, 0) == 0)
            spool->dropped++;
        take_out(spool, first);
    }
}

/* ---- Opening ------------------------------------------------------------------------ */

static bool make_folders(const char *path)
{
    char folder[PATH_MAX];
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof folder) {
        errno = size ? ENAMETOOLONG : ENOENT;
        return false;
    }
    memcpy(folder, path, size + 1);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

static bool list(struct spool *spool)
{
    int fd = openat(spool->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    struct stat status;
    bool done = folder;
    while (done && (entry = readdir(folder)))
        if (is_name(entry->d_name) && fstatat(spool->folder, entry->d_name, &status, 0) == 0)
            done = add(spool, entry->d_name, (uint64_t)status.st_size);
    if (folder)
        closedir(folder);
    if (spool->count > 0)
        qsort(spool->waiting, spool->count, sizeof *spool->waiting, compare);
    return done;
}

enum heaptap_status spool_open(struct spool **opened, const char *folder, uint64_t most_bytes,
                               struct heaptap_error *error)
{
    struct spool *spool = *opened = calloc(1, sizeof *spool);
    if (!spool)
        return error_no_memory(error);
    pthread_mutex_init(&spool->lock, NULL);
    spool->most_bytes = most_bytes;
    spool->folder = make_folders(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (spool->folder >= 0 && list(spool)) {
        make_room(spool);
        return HEAPTAP_OK;
    }
    enum heaptap_status status = error_system(error, "profiles cannot wait there");
    spool_close(spool);
    *opened = NULL;
    return status;
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->folder >= 0)
        close(spool->folder);
    pthread_mutex_destroy(&spool->lock);
    free(spool->waiting);
    free(spool);
}

/* ---- Putting ------------------------------------------------------------------------ */

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

static bool write_file(struct spool *spool, const char *name, const char *query,
                       const void *profile, size_t size)
{
    int fd = openat(spool->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool done = write_all(fd, query, strlen(query)) && write_all(fd, "\n", 1) &&
                write_all(fd, profile, size);
    int code = errno;
    done = close(fd) == 0 && done;
    if (!done)
        unlinkat(spool->folder, name, 0);
    errno = code;
    return done;
}

enum heaptap_status spool_put(struct spool *spool, int64_t time_ns, const char *query,
                              const void *profile, size_t size, struct heaptap_error *error)
{
    char name[sizeof(struct waiting){0}.name], fresh[sizeof name + 8];
    enum heaptap_status status = HEAPTAP_OK;
    pthread_mutex_lock(&spool->lock);
    snprintf(name, sizeof name, "%016llx-%08x-%08x%s", (unsigned long long)time_ns,
             (unsigned)getpid(), spool->number++, ending);
    snprintf(fresh, sizeof fresh, "%s.new", name);
    if (!write_file(spool, fresh, query, profile, size) ||
        renameat(spool->folder, fresh, spool->folder, name) != 0)
        status = error_system(error, "a profile cannot be kept until it is sent");
    else if (!add(spool, name, strlen(query) + 1 + size))
        status = error_no_memory(error);
    make_room(spool);
    pthread_mutex_unlock(&spool->lock);
    return status;
}

/* ---- Taking ------------------------------------------------------------------------- */

/* The whole of a file, and a 0; NULL where it can't be read. */
static char *read_file(const struct spool *spool, const char *name, size_t *size)
{
    struct stat status;
    size_t got = 0;
    int fd = openat(spool->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *bytes = fd >= 0 && fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    while (bytes && got < (size_t)status.st_size) {
        ssize_t more = read(fd, bytes + got, (size_t)status.st_size - got);
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    if (fd >= 0)
        close(fd);
    if (bytes)
        bytes[got] = 0;
    *size = got;
    return bytes;
}

static bool take(struct spool *spool, struct spool_item *item)
{
    size_t size;
    char *bytes = read_file(spool, spool->waiting[0].name, &size);
    char *end = bytes ? memchr(bytes, '\n', size) : NULL;
    if (!end) {
        free(bytes);
        return false;
    }
    *end = 0;
    *item = (struct spool_item){.name = strdup(spool->waiting[0].name),
                                .query = bytes,
                                .profile = end + 1,
                                .size = size - (size_t)(end + 1 - bytes)};
    if (!item->name)
        free(bytes);
    return item->name;
}

bool spool_first(struct spool *spool, struct spool_item *item)
{
    pthread_mutex_lock(&spool->lock);
    while (spool->count > 0 && !spool->on_its_way) {
        spool->on_its_way = take(spool, item);
        if (!spool->on_its_way)
            take_out(spool, 0); /* another process has sent it, or it is none */
    }
    bool any = spool->on_its_way;
    pthread_mutex_unlock(&spool->lock);
    return any;
}

void spool_done(struct spool *spool, struct spool_item *item, bool remove)
{
    pthread_mutex_lock(&spool->lock);
    spool->on_its_way = false;
    if (remove) {
        unlinkat(spool->folder, item->name, 0);
        take_out(spool, 0);
    }
    make_room(spool);
    pthread_mutex_unlock(&spool->lock);
    free(item->name);
    free(item->query);
}

struct spool_counts spool_count(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    struct spool_counts counts = {spool->count, spool->bytes, spool->dropped};
    pthread_mutex_unlock(&spool->lock);
    return counts;
}
