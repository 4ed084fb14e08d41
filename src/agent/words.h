/* The words of a command line, as they are put together. */
#ifndef AGENT_WORDS_H
#define AGENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, there are none. */
struct words {
    char **items; /* owned, each malloc'ed; ended by NULL once there is one */
    size_t count, capacity;
    bool failed; /* there was no memory: some are missing */
};

__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);
void words_release(struct words *words);

#endif
