/* What the profiles of a store are of: services, or the values of any other label, with what each allocates. */
#ifndef REPORT_CHANGE_SERVICES_H
#define REPORT_CHANGE_SERVICES_H

#include "answer/answer.h"
#include "report/options.h"

/* What a question has of its own. */
struct services_question {
    const char *label;   /* a row for each of its values */
    const char *through; /* only what leads through this place counts; NULL: all does */
    long steps;          /* into which time is cut; 0: not at all */
};
_Static_assert(sizeof(struct services_question) <= QUESTION_OWN_BYTES, "room for it");

enum { SERVICES_STEPS_MAX = 2000 };

extern const struct question_option services_options[]; /* ended by one without a word */
extern const struct services_question services_usual;

struct service {
    char *name; /* value of the label; "" for profiles without it */
    int64_t profiles, series;
    int64_t from_us, until_us; /* since the Unix epoch */
    double allocated,
        allocated_error; /* bytes; the standard error is below 0 where it is not known */
    double allocated_low, allocated_high; /* between these the truth is, in 95 of 100 answers */
    double allocated_weight; /* what a sample stands for, at most, of all profiles; -1: not known */
    double in_use;           /* bytes: the mean over the time in which any series sent */
    bool has_allocated, has_in_use;

    /* Where time is cut into steps, by step: bytes, those of a profile spread evenly over its time; and the mean, of the
     * profiles of that time.  NULL else. */
    double *allocated_steps, *in_use_steps;
};

/* A series beside which all others are nothing: a broken or hostile profile, mostly. */
struct services_outlier {
    char *label, *value; /* which tells it from most others; owned; NULL: nothing does */
    const char *of;      /* of what it has so much: "allocated", "in use"; NULL: there is none */
    int64_t series;      /* that have so much */
    double bytes;        /* of the heaviest */
    double rest;         /* of all others together */
};

struct services {
    const struct question *options;
    const char *store; /* with its conditions */
    const char *label;
    struct service *items; /* the one that allocated most first */
    size_t count;
    double allocated; /* by all */
    double
        magnitude; /* the same, of negative amounts as of positive ones: shares are parts of this */
    const char *through;    /* as in the question */
    int64_t from_us, to_us; /* what is cut into steps */
    size_t steps;           /* 0: it is not */
    struct services_outlier outlier;
};

extern const struct answer_table *const services_tables[]; /* ended by NULL */

void services_put(struct answer *answer, const struct services *services);

#endif
