/* The places that allocate most, and the callers that they allocate for.  It needs no model: what it reads is summed up
 * while a trace streams by. */
#ifndef REPORT_HOTSPOTS_H
#define REPORT_HOTSPOTS_H

#include "analyze/hotspots.h"
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

/* What an answer says of hotspots, which are found. */
struct hotspots_saying {
    const struct hotspots_options *how;
    const struct estimate *estimate;
    const struct heaptap_trace_info *info; /* NULL for a profile of values */
    const char *trace;                     /* the file's name */
    const char *sample;                    /* of a trace: "alloc_space", ... */
    const char *filter;                    /* "" for none */
    size_t top;                            /* sites at most */
    size_t callers;                        /* below each site at most */
    bool all_callers;                      /* also those that say little */
    bool is_whole;                         /* the trace could be read to its end */
    struct library_hidden hidden;          /* what is left out, and ... */
    double hidden_share;                   /* ... how much of all comes through it */
    bool hides_libraries;
};

extern const struct answer_table *const hotspots_tables[]; /* ended by NULL */

/* Fills the rest of what is said: as many sites and callers as the question wants, or as the answer's form has. */
void hotspots_size(struct hotspots_saying *saying, const struct question *question,
                   const struct answer *answer);

/* False when there is no memory. */
bool hotspots_say(struct answer *answer, const struct hotspots *hotspots,
                  const struct hotspots_saying *saying);

/* What the question leaves no choice of in a profile of values; NULL for nothing. */
const char *hotspots_refuse(const struct report *report);

/* Of a report's selection. */
enum report_outcome hotspots_put(struct answer *answer, const struct report *report);

#endif
