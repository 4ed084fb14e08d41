/* The report `flamegraph` as a table: the call tree that the picture draws.  The picture and the folded stacks are made
 * from the same tree (flamegraph_svg.c, format/export/). */
#ifndef REPORT_TREE_FLAMEGRAPH_H
#define REPORT_TREE_FLAMEGRAPH_H

#include "report/tree/call_walk.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct flamegraph_question {
    enum stack_weight weight;
    bool has_lines, is_reverse, merges_recursion;
    double min_share;
    long max_depth; /* 0 for no limit */
    bool weight_given, min_share_given, max_depth_given;

    /* Of the picture. */
    const char *title; /* NULL for the trace's */
    int by_function;   /* colours tell functions apart; else files */
    bool colour_given;
};
_Static_assert(sizeof(struct flamegraph_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option flamegraph_options[]; /* ended by one without a word */
extern const struct flamegraph_question flamegraph_usual;
bool flamegraph_check(struct question *question, struct heaptap_error *error);

/* Why a profile can't be drawn so: a sentence, or NULL. */
const char *flamegraph_refuse(const struct report *report);

/* All borrowed. */
struct flamegraph {
    const char *trace;      /* its name */
    bool is_complete;       /* else it was cut */
    struct call_walk *walk; /* at the root; goes to its end */
    const struct estimate *estimate;
    enum stack_weight weight; /* by which nodes are left out */
    double min_share;         /* nodes below this part of all weight are left out */
};

/* False when there is no memory. */
bool flamegraph_put(struct answer *answer, const struct flamegraph *flamegraph);

extern const struct answer_table *const flamegraph_tables[]; /* ended by NULL */

#endif
