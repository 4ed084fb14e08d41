/* Waits until source files change that a model names: those found in the present folder or below those of the user. */
#ifndef CLI_SOURCE_WATCH_H
#define CLI_SOURCE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "profile/model.h"

struct source_watch {
    struct watched {
        char *path;
        struct timespec changed; /* zeroed: it wasn't there */
    } * files;
    size_t count, capacity;
};

/* Notes the files as they are.  False when there is no memory. */
bool source_watch_add(struct source_watch *watch, const struct model *model, const char *folders);
void source_watch_release(struct source_watch *watch);

enum source_watch_end {
    WATCH_CHANGED, /* and a second has passed without another change */
    WATCH_ENTER,   /* on standard input, which is a terminal */
    WATCH_LATE,    /* the seconds are over */
};

/* `seconds` 0: without an end.  Notes the files anew. */
enum source_watch_end source_watch_wait(struct source_watch *watch, long seconds);

#endif
