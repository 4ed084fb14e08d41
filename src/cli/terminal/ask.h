/* Questions of the terminal's view: reports of what `heaptap view` has read, as lines of text and as JSON. */
#ifndef CLI_TERMINAL_ASK_H
#define CLI_TERMINAL_ASK_H

#include <jansson.h>

#include "page/answer.h"

/* An answer as it is read, line by line, as wide as the terminal at most. */
struct ask_lines {
    char *text; /* owned; its newlines are zeros */
    char **at;
    size_t count;
};

struct ask {
    const struct viewer_state *state;
    uint32_t file;        /* which of its files */
    const char *report;   /* by its name */
    const char *filter;   /* "" for none, ... */
    const char *clause;   /* ... and what is added to it */
    const char *sample;   /* NULL: the file's own */
    const char *function; /* of a report that needs one: its whole name; NULL else */
    bool names_places;    /* the report's names of functions go on with their lines */
    const char *const
        *options;  /* words and values of the report's own, ended by NULL; NULL for none */
    bool has_base; /* with the base beside it, where there is one and the report takes it */
};

/* False with a sentence, and nothing to release. */
bool ask_text(struct ask_lines *lines, const struct ask *ask, struct heaptap_error *error);
void ask_lines_release(struct ask_lines *lines);

/* The same answer for programs; of rows, only these columns, with commas between.  NULL with a sentence. */
json_t *ask_json(const struct ask *ask, const char *columns, struct heaptap_error *error);

#endif
