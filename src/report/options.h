/* The options of a question, and of commands: tables, from which the parsing of a command line and --help come.
 *
 * A row has the option's word, the kind of its value, its help and the field of struct question that it sets.  Nothing
 * here knows argp: cli/option_rows.c makes argp's tables of these rows.  The clauses of a filter are options, too: their rows
 * are made of the table of clauses (profile/filter.h). */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include "base/error.h"
#include "profile/filter.h"
#include "report/question.h"

/* What a value looks like, and the type of the field that it sets. */
enum option_kind {
    OPTION_FLAG,    /* no value: a bool becomes true */
    OPTION_TEXT,    /* any text: a const char *, which points to the value given */
    OPTION_FILE,    /* the name of a file: the same, not empty */
    OPTION_NUMBER,  /* a whole number from 0 to 2^32 - 1: a long */
    OPTION_SHARE,   /* a part of the whole, 0 to 1 or 0% to 100%: a double */
    OPTION_PERCENT, /* a part of the whole as a percentage, with or without %: a double, 0 to 1 */
    OPTION_WORD,    /* one of a list of words: the enum's value that stands beside it */
    OPTION_FORM, /* the question's format, or one of a list of words for it; two forms contradict each other */
    OPTION_CLAUSES, /* clauses in the filter's language, added to those that are there */
    OPTION_CLAUSE, /* any text: the value of the clause `least`, an enum filter_word; "<64" with its sign */
    OPTION_AMOUNT, /* how many, such as 100k: a double */
    OPTION_TIME,   /* since the start, such as 1.5s or 20ms: a double, microseconds */
    OPTION_SIZE, /* bytes, such as 64kB: a double; of a size in such a unit, the least that is printed so */
    OPTION_TRUTH,    /* true or false, or no value, which is true: a bool */
    OPTION_PATTERNS, /* patterns separated by commas, with * and ?: a clause of the filter */
    OPTION_SAME,     /* the value, or `always`, is given to another option */
    OPTION_PRINT,    /* no value: a command prints what `print` does, and ends */
    OPTION_TAKEN,    /* any text: `take` makes of it what the option is about */
    OPTION_ROWS,  /* no option: `rows` belong here, too; their fields are in a struct at `field` */
    OPTION_TRACE, /* no option: the one argument, a trace's path: a const char * */
    OPTION_COMMAND, /* no option: the arguments, which are another program's words: a char **, ended by NULL */
    OPTION_QUESTION, /* no option: those of the question at `field` belong here, its report's; without a report, those of `parts` */
};

/* Options that a command takes together. */
enum option_part {
    PART_FILTER = 1,
    PART_SAMPLE = 2,
    PART_GRAIN = 4,
    PART_INLINES = 8,
    PART_FORMAT = 16,
    PART_MARKDOWN = 32,
    PART_NODES = 64,  /* how much of a table, tree or graph is shown */
    PART_COUNT = 128, /* the number of rows alone */
    PART_UNIT = 256,
    PART_RELATIVE = 512,
    PART_MEAN = 1024,
    PART_NAMES = 2048,
    PART_SOURCES = 4096,
    PART_PICTURE = 16384, /* it has something to draw */
    PART_SUPPRESSIONS = 32768,
    PART_BASE = 65536, /* another file beside it: the question's `other` */
    PART_OWN = 8192,   /* of one report: the field is in the question's `own` */
    PART_FILES =
        131072, /* of OPTION_QUESTION: arguments are its files and clauses; these are options, too */
};

struct option_word {
    const char *word;
    int value; /* of the enum */
    int form;  /* enum report_format: not 0, the word is the question's form, in place of a value */
};

/* Sets `field`, the member that the row names; the struct itself, where it names none.  False with what is wrong, to follow the
 * option's name (option_refuse). */
typedef bool option_taker(void *field, const char *value, struct heaptap_error *error);

struct question_option {
    const char *word; /* "granularity" */
    int letter;       /* 'g'; 0 for none */
    enum option_kind kind;
    unsigned parts;    /* of enum option_part, a sum: where it belongs */
    const char *value; /* what help calls its value: "UNIT"; NULL for none */
    const char *help;  /* NULL: it stands in no --help */
    size_t field;      /* offset of what it sets: in struct question, or in its `own` */
    size_t given;      /* of a bool that says that it was given; 0 for none */
    const struct option_word *
        words; /* of OPTION_WORD, ended by a NULL word; of OPTION_TEXT, what it may be besides others */
    int form;         /* of OPTION_FORM: enum report_format */
    long least, most; /* of OPTION_NUMBER; most 0: no limit but the kind's */

    /* Of OPTION_PATTERNS: the clause.  The patterns, as regular expressions, stand in it for each %. and %/; in the latter
     * those without a /, whose * and ? stand for no / either. */
    const char *clause;

    const struct question_option *same_as; /* of OPTION_SAME */
    const char *always;                    /* NULL: it takes a value */
    void (*print)(void);                   /* of OPTION_PRINT: to standard output */
    option_taker *take;                    /* of OPTION_TAKEN */
    const struct question_option
        *rows; /* of OPTION_ROWS, ended by a row without a word or `rows` */
    int group; /* help lists those of a group together, in the order of these numbers */
};

/* The i-th option, in the order in which help lists those of a part; NULL past the end. */
const struct question_option *question_option_at(size_t i);

/* The i-th clause of a filter as an option, --focus=main, which stands in no --help; NULL past the end. */
const struct question_option *question_clause_at(size_t i);

/* Adds clauses in the filter's language. */
void question_add_clauses(struct text *filter, const char *clauses);

/* Adds a clause as an option has it: --size='>=1k' is size>=1k; other values are quoted. */
void question_add_clause(struct text *filter, enum filter_word word, const char *value);

/* Sets what the option is about.  `value` is NULL for kinds without one; its bytes belong to the caller and must live as
 * long as the question.  False with what is wrong, to follow the option's name: "takes a whole number, not 'x'". */
bool question_set(struct question *question, const struct question_option *option,
                  const char *value, struct heaptap_error *error);

/* The same of a command's own option, whose fields are in `target`; its kind is none that is about the question or its form. */
bool option_set(void *target, const struct question_option *option, const char *value,
                struct heaptap_error *error);

/* False, with "takes WHAT, not 'VALUE'" in the error. */
bool option_refuse(struct heaptap_error *error, const char *what, const char *value);

/* Of what a question's options ask together: true, or false with what is wrong, which is NULL for nothing. */
bool question_accept(const char *wrong, struct heaptap_error *error);

/* Takers: a number over 0 and at most 1, as text; a size of at least a byte, to a double. */
option_taker option_take_rate, option_take_bytes;

#endif
