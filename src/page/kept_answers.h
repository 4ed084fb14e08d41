/* The last answers, by question: a page that goes back, or another one of the same file, asks what has been answered. */
#ifndef PAGE_KEPT_ANSWERS_H
#define PAGE_KEPT_ANSWERS_H

#include "net/request.h"

enum { KEPT_ANSWERS = 32, KEPT_ANSWERS_BYTES = 64 << 20 };

struct kept_answer {
    char *url; /* of the question; NULL in an empty place */
    char *text;
    size_t size;
    uint64_t used; /* when it was last asked for */
};

/* Zeroed when nothing is kept.  Together no more than KEPT_ANSWERS_BYTES. */
struct kept_answers {
    struct kept_answer items[KEPT_ANSWERS];
    size_t bytes;
    uint64_t clock;
};

/* A copy of what was answered, whose text is the caller's; without a text where nothing is kept, or there is no memory. */
struct net_answer kept_answers_find(struct kept_answers *kept, const char *url);

/* Keeps a copy, if there is memory, in the place of those not asked for the longest. */
void kept_answers_put(struct kept_answers *kept, const char *url, const struct net_answer *answer);

/* Forgets all: what is answered from has changed. */
void kept_answers_clear(struct kept_answers *kept);

#endif
