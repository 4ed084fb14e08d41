/* Functions line by line, with their sources. */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include "analyze/call_graph.h"
#include "answer/answer.h"
#include "profile/pattern.h"
#include "report/report.h"

/* The lines of a source file. */
struct list_source {
    const char *path; /* where it was found; NULL: it was not */
    char *const *lines;
    size_t count;
    void *owner; /* of whoever has read it */
};

/* Who reads them. */
struct list_sources {
    /* Fills a source of which nothing is known. */
    void (*open)(const struct list_sources *sources, struct list_source *source, const char *file);
    void (*close)(struct list_source *source);
};

struct list {
    const struct report *report; /* borrowed, as are the sources; its grain is the line */
    const struct list_sources *sources;
    struct call_graph graph;
    const struct call_node **nodes; /* those whose functions match, by function, file and line */
    size_t count;                   /* 0: no function matches */
};

/* False when there is no memory; then there is nothing to release. */
bool list_init(struct list *list, const struct report *report, const struct pattern *pattern,
               const struct list_sources *sources);
void list_release(struct list *list);

extern const struct answer_table *const list_tables[]; /* ended by NULL */

/* Says a struct list.  False when there is no memory. */
bool list_put(struct answer *answer, const void *list);

#endif
