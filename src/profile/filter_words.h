/* The words of the filter language: one row for each.  The parser, the matcher, folded rows, the options of commands, `heaptap help
 * filters`, completion and the page's filter bar read them here.  A new clause is a row; what it means stands there, or in matcher.c or frame_edit.c.
 * The order of words says nothing. */
#ifndef PROFILE_FILTER_WORDS_H
#define PROFILE_FILTER_WORDS_H

#include "profile/filter.h"

/* What a word is about, and so of which files it can be asked. */
enum filter_about { ABOUT_OBJECTS, ABOUT_SAMPLES, ABOUT_STACKS, ABOUT_COUNT };

/* What decides whether a block or sample passes a clause: matcher.c and frame_edit.c judge once for each of these.  A bit each. */
enum filter_stage {
    STAGE_SHAPES = 1, /* its size, heap and thread; the labels of a sample */
    STAGE_STACKS = 2, /* its stack */
    STAGE_LIVES = 4,  /* its times, when it has ended, or the run has */
    STAGE_EDITS = 8,  /* what the clause leaves of its stack: without a frame it doesn't pass */
    STAGE_ENDS =
        16, /* nothing: the clause takes libraries off the ends of stacks, and lets all pass */
};

/* What a value is, and so how it is read. */
enum filter_value {
    VALUE_REGEX,
    VALUE_TIME,          /* or a range of times */
    VALUE_TIME_OR_NEVER, /* likewise */
    VALUE_DURATION,      /* or a range; and so the next two */
    VALUE_BYTES,
    VALUE_DEPTH,
    VALUE_HEAPS,
    VALUE_DOMAINS,
    VALUE_LABEL, /* a number or range where the clause has a key and it is one; else a regular expression */
    VALUE_LIBRARIES,
};

/* How it is written, and what it needs; a sum of these. */
enum filter_trait {
    WORD_HAS_ORDER = 1,  /* <, <=, > and >= may follow it, not only = and != */
    WORD_TAKES_PART = 2, /* :function, :file or :module may follow it */
    WORD_TAKES_KEY = 4,  /* :KEY may follow it: the name of a label */
    WORD_NEEDS_TIMES =
        8,               /* single objects with their times, which traces have and profiles don't */
    WORD_NEEDS_END = 16, /* the end of the run, to judge a block that has ended */
    WORD_NEEDS_FRAME = 32,    /* with =, some frame that matches, or nothing passes */
    WORD_MOVES_LIVES = 64,    /* of promoted objects, it counts but a part of their lives */
    WORD_CHOOSES_FATES = 128, /* whether objects pass depends on how they end */
};

/* The life of an object, in microseconds since the start. */
struct filter_life {
    int64_t born_us;
    int64_t promoted_us; /* only of one that was */
    int64_t died_us;     /* the run's end where it is alive then */
    int64_t end_us;      /* the run's */
};

enum { FILTER_VALUES_MAX = 4 };

struct filter_word_info {
    const char *name;  /* "live-at" */
    const char *takes; /* what its value is: "TIME" */
    const char *help;  /* in a few words; lines after the first begin after a newline */
    enum filter_about about;
    enum filter_stage stage;
    enum filter_value value;
    unsigned traits; /* of enum filter_trait */
    const char
        *values[FILTER_VALUES_MAX]; /* that it is often given, or may be given alone; then NULL */
    /* Of STAGE_LIVES: what must be within the bounds.  NULL for live-at, of which that is not one time. */
    int64_t (*measure)(const struct filter_life *life);
};

const struct filter_word_info *filter_word_info(enum filter_word word);

/* Does the word of a clause have it? */
bool filter_has_trait(const struct filter_clause *clause, enum filter_trait trait);

/* All stages of a filter's clauses, and all their traits. */
unsigned filter_stages(const struct filter *filter);
unsigned filter_traits(const struct filter *filter);

#endif
