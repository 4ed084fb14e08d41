/* The words of the filter language: one row for each.  The parser, the options of commands, `heaptap help filters`, completion and
 * the page's filter bar read them here.  A new clause is a row, its value in filter.c and its meaning in matcher.c or
 * frame_edit.c. */
#ifndef PROFILE_FILTER_WORDS_H
#define PROFILE_FILTER_WORDS_H

#include "profile/filter.h"

/* What a word is about, and so of which files it can be asked. */
enum filter_about { ABOUT_OBJECTS, ABOUT_SAMPLES, ABOUT_STACKS, ABOUT_COUNT };

/* What it needs to be judged, and how it is written; a sum of these. */
enum filter_trait {
    WORD_HAS_ORDER = 1,  /* <, <=, > and >= may follow it, not only = and != */
    WORD_TAKES_PART = 2, /* :function, :file or :module may follow it */
    WORD_TAKES_KEY = 4,  /* :KEY may follow it: the name of a label */
    WORD_NEEDS_TIMES =
        8, /* only objects with their times can answer it: traces can, profiles can't */
    WORD_NEEDS_END = 16, /* it can't be answered when a block is allocated, only later */
};

enum { FILTER_VALUES_MAX = 4 };

struct filter_word_info {
    const char *name;  /* "live-at" */
    const char *takes; /* what its value is: "TIME" */
    const char *help;  /* in a few words; lines after the first begin after a newline */
    enum filter_about about;
    unsigned traits; /* of enum filter_trait */
    const char
        *values[FILTER_VALUES_MAX]; /* that it is often given, or may be given alone; then NULL */
};

const struct filter_word_info *filter_word_info(enum filter_word word);

#endif
