/* What the user of `heaptap memtracer` asked for. */
#ifndef CLI_MEMTRACER_SETTINGS_H
#define CLI_MEMTRACER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/guest_table.h"
#include "cli/memtracer/questions.h"

enum { MEMTRACER_QUESTIONS_MAX = 16 };

enum memtracer_format {
    MEMTRACER_TABLE,
    MEMTRACER_JSON,
    MEMTRACER_HISTOGRAM,
    MEMTRACER_TYPE_HISTOGRAM,
    MEMTRACER_CALL_TREE,
};

struct memtracer_settings {
    char **command;          /* what is to be run, ending with NULL; NULL: `code` is */
    const char *code;        /* a program as text; NULL: none */
    const char *interpreter; /* NULL: by the script's name or first line */
    enum memtracer_format format;
    bool has_format;         /* it was given */
    const char *output_file; /* of the report; NULL: standard output */
    const char *trace;       /* NULL: none is written */
    const char *rate;        /* samples a word, as text; NULL: every block */
    bool stacks;             /* whole stacks are kept, and shown */
    bool fast;
    bool wide;
    bool quiet;
    size_t stack_limit; /* 0: none */
    struct guest_filter filter;
    struct question_words
        questions[MEMTRACER_QUESTIONS_MAX]; /* to be asked in place of the table */
    int question_count;
    double expect, expect_bytes; /* below 0: not asked for */
};

#endif
