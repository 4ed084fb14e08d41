/* Answers in JSON to what the page asks for.  Every figure in them comes from analyze/; what is
 * done here is to choose what can be drawn, and to tell how much is left out. */
#ifndef VIEWER_ANSWER_H
#define VIEWER_ANSWER_H

#include <stddef.h>

#include "viewer/dataset.h"
#include "viewer/request.h"

/* Where sources come from: whoever runs the viewer knows how to find them.  Only files that the
 * trace names are ever asked for. */
struct viewer_sources {
    /* The lines of a file, borrowed until the next call, and their number; NULL where it isn't to
     * be had. */
    char **(*lines)(void *context, const char *file, size_t *count);
    void *context;
};

/* What is answered from. */
struct viewer_state {
    const char *name;     /* of what is or will be shown */
    uint64_t bytes_read;  /* so far, ... */
    uint64_t bytes_whole; /* ... of so many; 0 where that isn't known */
    char program[1024];   /* that is being read about, cut where it is longer; "" for none */
    int64_t start_us;     /* when it began */
    char failure[512];    /* why nothing will be shown; "" while all is well */
    struct viewer_dataset **files; /* what is shown, borrowed */
    size_t file_count;             /* 0 while they are read */
    struct viewer_dataset *base;   /* what files are compared with; NULL for nothing; borrowed */
    const struct viewer_sources *sources; /* NULL where there are none */
    unsigned generation;                  /* changes when something else is shown */
    const char *
        home; /* of a choice of a store: where the page of all is, relative to this one; NULL else */
    bool is_live; /* what is shown may still grow */
};

struct viewer_answer {
    enum viewer_verdict verdict;
    char *text; /* JSON, the caller's to free; NULL when there was no memory */
    size_t size;
};

/* `request` is for a subject from VIEWER_ABOUT on. */
void viewer_answer_make(struct viewer_answer *answer, const struct viewer_state *state,
                        const struct viewer_request *request);

#endif
