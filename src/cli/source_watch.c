#include "cli/source_watch.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/array.h"
#include "cli/source_file.h"

enum { TURN_MS = 250, QUIET_TURNS = 4 };

static struct timespec changed_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? file.st_mtim : (struct timespec){0};
}

static bool has_path(const struct source_watch *watch, const char *path)
{
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->files[i].path, path) == 0)
            return true;
    return false;
}

/* Takes over the path. */
static bool add_path(struct source_watch *watch, char *path)
{
    if (has_path(watch, path) ||
        !ARRAY_RESERVE(&watch->files, &watch->capacity, watch->count + 1)) {
        bool done = has_path(watch, path);
        free(path);
        return done;
    }
    watch->files[watch->count++] = (struct watched){path, changed_of(path)};
    return true;
}

/* A place in a program without names has the program as its file. */
bool source_watch_add(struct source_watch *watch, const struct model *model, const char *folders)
{
    bool done = true;
    const char *last = NULL;
    for (size_t i = 0; done && i < model->line_count; i++) {
        const char *name = model->lines[i].file;
        struct source_file file;
        if (!name || !*name || name == last)
            continue;
        last = name;
        if (!source_file_open(&file, name, folders ? folders : "", false))
            continue;
        bool is_program = file.count > 0 && begins_with(file.lines[0], "\177ELF");
        char *path = is_program ? NULL : realpath(file.path, NULL);
        source_file_release(&file);
        done = !path || add_path(watch, path);
    }
    return done;
}

void source_watch_release(struct source_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        free(watch->files[i].path);
    free(watch->files);
}

/* Has one changed since they were noted?  Notes them anew. */
static bool has_changed(struct source_watch *watch)
{
    bool is_other = false;
    for (size_t i = 0; i < watch->count; i++) {
        struct timespec now = changed_of(watch->files[i].path), *was = &watch->files[i].changed;
        is_other |= now.tv_sec != was->tv_sec || now.tv_nsec != was->tv_nsec;
        *was = now;
    }
    return is_other;
}

/* A turn's time; has Enter been pressed? */
static bool sleep_or_enter(bool has_terminal)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[256];
    return poll(&input, has_terminal, TURN_MS) > 0 && read(STDIN_FILENO, bytes, sizeof bytes) > 0;
}

enum source_watch_end source_watch_wait(struct source_watch *watch, long seconds)
{
    bool has_terminal = isatty(STDIN_FILENO), is_waiting = true;
    int quiet = 0;
    time_t end = time(NULL) + seconds;
    while (is_waiting || quiet < QUIET_TURNS) {
        if (sleep_or_enter(has_terminal)) {
            has_changed(watch);
            return WATCH_ENTER;
        }
        bool has = has_changed(watch);
        is_waiting &= !has;
        quiet = has ? 0 : quiet + 1;
        if (is_waiting && seconds > 0 && time(NULL) >= end)
            return WATCH_LATE;
    }
    return WATCH_CHANGED;
}
