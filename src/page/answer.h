/* Answers in JSON to what the page asks for: those of reports (report/reports.h), and how sizes and lifetimes spread. */
#ifndef PAGE_ANSWER_H
#define PAGE_ANSWER_H

#include <stddef.h>
#include <stdio.h>

#include "net/request.h"
#include "page/dataset.h"
#include "page/request.h"

/* Where sources come from: whoever runs the viewer knows how to find them.  Only files that the
 * trace names are ever asked for. */
struct viewer_sources {
    /* The lines of a file, borrowed until the next call, and their number; NULL where it isn't to
     * be had. */
    char **(*lines)(void *context, const char *file, size_t *count);
    void *context;
};

/* Who reads files again, for reports that go through them themselves (REPORT_READS_EVENTS): whoever runs the viewer knows where they
 * are. */
struct viewer_reading {
    /* Puts a question, which names no file and whose filter is `filter`, to a file that is shown, or to the base, whose number is
     * VIEWER_FILES_MAX. */
    enum report_outcome (*put)(void *context, size_t file, const struct question *question,
                               const char *filter, struct answer *answer);
    void *context;
};

/* What is answered from. */
struct viewer_state {
    const char *name;     /* of what is or will be shown */
    uint64_t bytes_read;  /* so far, ... */
    uint64_t bytes_whole; /* ... of so many; 0 where that isn't known */
    char program[1024];   /* that is being read about, cut where it is longer; "" for none */
    int64_t start_us;     /* when it began */
    struct viewer_dataset **files; /* what is shown, borrowed */
    size_t file_count;             /* 0 while they are read */
    struct viewer_dataset *base;   /* what files are compared with; NULL for nothing; borrowed */
    const struct viewer_sources *sources; /* NULL where there are none */
    const struct viewer_reading *reading; /* NULL where files can't be read again */
    unsigned generation;                  /* changes when something else is shown */
    const char *
        home; /* of a choice of a store: where the page of all is, relative to this one; NULL else */
    bool is_live; /* what is shown may still grow */
};

/* `request` is for a subject from VIEWER_ABOUT on.  The answer's text, JSON, is the caller's to free; NULL when there was no
 * memory, with a status of 500. */
struct net_answer viewer_answer_make(const struct viewer_state *state,
                                     const struct viewer_request *request);

/* {"error": sentence}. */
struct net_answer viewer_answer_refuse(unsigned status, const char *sentence);

/* JSON that was written by a FILE of open_memstream, which is closed. */
struct net_answer viewer_answer_json(unsigned status, FILE *file, char **text, size_t *size);

#endif
