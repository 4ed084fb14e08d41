/* The reports there are.
 *
 * One that has a `summary` is a command, whose options are read by its row here.  One that has `put` is a command as it
 * stands: cli/report_command.c opens its file and renders its answer, and the page puts it to what it has open, with the
 * page's base where it takes two.  So a new report is its file in this folder, a row in reports.c, its manual page and its test.  A form
 * that is no answer, such as a picture, has a row in cli/written_form.c; what reads its files in its own way, a function in
 * cli/cmd/. */
#ifndef REPORT_REPORTS_H
#define REPORT_REPORTS_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a report needs and wants; a sum. */
enum report_trait {
    REPORT_NEEDS_BLOCKS = 1,  /* single blocks with their times: profiles are refused */
    REPORT_FOLDS_BLOCKS = 2,  /* of blocks that have ended, no times but the sum of their lives */
    REPORT_NEEDS_PATTERN = 4, /* a regular expression of functions' names */
    REPORT_BY_SITE = 8,      /* it is about allocation sites: libraries are not what is asked for */
    REPORT_SUMS_STACKS = 16, /* of what was allocated, sums by stack */
    REPORT_IN_ANY_ORDER =
        1024, /* and rows of equal weight are ordered by their names, not by which came first */
    REPORT_READS_EVENTS =
        32, /* it reads the file itself, event by event (report/file.h): it isn't put to a model */
    REPORT_TAKES_BASE = 512,     /* its answer can have the same of a base beside it: report.both */
    REPORT_TAKES_TWO = 64,       /* files, which it compares: question.path and question.other */
    REPORT_ASKS_LIVES = 256,     /* of short lives, of what replaces what, and of the peak */
    REPORT_IS_COMPACT = 4096,    /* of a selection without the stacks that its filter leaves out */
    REPORT_OF_LEAKS = 2048,      /* a command leaves out what the file itself wants left out */
    REPORT_OF_STORE = 128,       /* its files are stores of profiles, with conditions */
    REPORT_HAS_HEAD = 8192,      /* its answer begins with report_head_tables, before its own */
    REPORT_NEEDS_IN_USE = 16384, /* blocks, or values of what is in use */
    REPORT_NEEDS_HOLDERS = 32768, /* a snapshot of what holds blocks */
};

struct report_entry {
    const char *name; /* "leaks" */
    const char
        *command;      /* as it is typed after "heaptap", where that is another: "tree --callers" */
    const char *title; /* in `heaptap help json`, where that is another */
    const struct answer_table *const *
        tables; /* in the order in which they are told; ended by NULL.  NULL: they are documented with another's */
    const char *summary; /* one line for `heaptap help` */
    const char *about;   /* for --help: what it does, \v, what else is to be known */
    const char *
        arguments; /* for --help: "BEFORE AFTER [CLAUSE...]"; NULL: a file, a regular expression where it needs one, clauses */
    unsigned traits;         /* of enum report_trait */
    unsigned parts;          /* of enum option_part: options that it shares with others */
    enum symbol_grain grain; /* where the question says none: usually 0, functions */
    const struct question_option *options; /* its own, ended by one without a word; NULL for none */
    const void *usual;                     /* of its own options, `usual_size` bytes; NULL: zeros */
    size_t usual_size;

    /* Makes sure that the options go together; NULL where they do anyway. */
    bool (*check)(struct question *question, struct heaptap_error *error);

    /* Why the report can't be made of an input: a sentence, or NULL.  NULL: it always can. */
    const char *(*refuse)(const struct report *report);

    enum report_outcome (*put)(struct answer *answer, const struct report *report);
};

/* NULL past the end. */
const struct report_entry *report_entry_at(size_t number);

/* The report of this name; NULL where there is none. */
const struct report_entry *report_entry_find(const char *name);

/* Is there in the model what the report needs?  NULL: a trace of which nothing else is known. */
bool report_entry_suits(const struct report_entry *entry, const struct model *model);

/* As it is typed after "heaptap"; and the report that is typed so, NULL where there is none. */
const char *report_entry_command(const struct report_entry *entry);
const struct report_entry *report_entry_of_command(const char *command);

/* Its heading in `heaptap help json`. */
const char *report_entry_title(const struct report_entry *entry);

/* The report that the tables of this one's answer stand with, itself or another; NULL where there are none. */
const struct report_entry *report_entry_with_tables(const char *command);

/* Its i-th option, its own first; NULL past the end.  One of its own stands in place of a shared one of the same word. */
const struct question_option *report_entry_option(const struct report_entry *entry, size_t i);

/* Is it one that can be asked of a single file, with options that stand here? */
bool report_entry_is_asked(const struct report_entry *entry);

/* A question that asks for it, nothing else being said; to be released with question_release. */
struct question question_of(const struct report_entry *entry);

/* Sets an option of its report by its word, as a URL or an agent has it: a flag's value is 1 or 0.  The value must live as long
 * as the question.  False with a sentence where there is no such option, or it takes no such value; what is
 * about text and its forms, or names files, is no option here. */
bool question_take(struct question *question, const char *word, const char *value,
                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Is it one that question_take takes? */
bool question_option_is_asked(const struct question_option *option);

#endif
