/* What the user of `heaptap memtracer` asked for. */
#ifndef CLI_MEMTRACER_SETTINGS_H
#define CLI_MEMTRACER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/expectation.h"
#include "cli/memtracer/questions.h"
#include "cli/record/continuous.h"
#include "report/guest/memtracer.h"
#include "profile/filter.h"
#include "report/question.h"

enum { MEMTRACER_QUESTIONS_MAX = 16 };

struct memtracer_settings {
    char **command;           /* what is to be run, ending with NULL; NULL: `code` is */
    const char *code;         /* a program as text; NULL: none */
    const char *interpreter;  /* NULL: by the script's name or first line */
    struct question question; /* which rows, in which form */
    struct filter filter;     /* made of its clauses */
    const char *output_file;  /* of the report; NULL: standard output */
    const char *trace;        /* NULL: none is written */
    const char *rate;         /* samples a word, as text; NULL: every block */
    bool fast;
    bool quiet;
    bool is_asked; /* by the option --memtracer, in place of the command's name */
    struct question_words
        questions[MEMTRACER_QUESTIONS_MAX]; /* to be asked in place of the table */
    int question_count;
    struct expectation expectation;
    struct continuous_options continuous;
};

#endif
