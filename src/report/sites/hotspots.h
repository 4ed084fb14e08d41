/* The places that allocate most, and the callers that they allocate for. */
#ifndef REPORT_SITES_HOTSPOTS_H
#define REPORT_SITES_HOTSPOTS_H

#include "report/sites/hot_sites.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* What a question has of its own. */
struct hotspots_choice {
    enum stack_weight by;    /* what sites are ranked by, ... */
    bool by_given;           /* ... where it was asked for */
    enum symbol_grain grain; /* of a site */
    long callers;            /* below each site at most; -1: as the form is */
    bool all_callers;        /* also those that say little */
    enum { HOTSPOTS_TEXT, HOTSPOTS_JSON, HOTSPOTS_CSV, HOTSPOTS_MARKDOWN, HOTSPOTS_MEMTRACE } form;
    bool form_given, grain_given;
};

extern const struct hotspots_choice hotspots_usual;
extern const struct question_option hotspots_options[]; /* ended by one without a word */
bool hotspots_check(struct question *question, struct heaptap_error *error);

extern const struct answer_table *const hotspots_tables[]; /* ended by NULL */

/* What the question leaves no choice of in a profile of values; NULL for nothing. */
const char *hotspots_refuse(const struct report *report);

/* Of a report's selection. */
enum report_outcome hotspots_put(struct answer *answer, const struct report *report);

#endif
