/* Profiles in the formats of other tools, stack by stack. */
#ifndef FORMAT_EXPORT_STACK_LINES_H
#define FORMAT_EXPORT_STACK_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "report/calls/call_graph.h"
#include "report/stack_view.h"

struct export_head {
    const char *name;    /* of the profile */
    const char *command; /* "" where it isn't known */
    const char *sample;  /* "alloc_space" */
    const char *unit;
    enum stack_weight weight;
    enum symbol_grain grain;
    bool no_inlines;  /* the frames of the others tell it themselves */
    bool is_complete; /* all that the program did is in it */
};

/* The value of the member of spec/own_member.h. */
struct json;
void export_put_own_member(struct json *json, const struct export_head *head);

/* speedscope's own JSON: a weight for each stack.  Like the others: false when there is no memory;
 * write errors show in `file`. */
bool speedscope_print(const struct stack_profile *profile, const struct frame_source *frames,
                      const struct export_head *head, FILE *file);

/* callgrind's format, as callgrind_annotate and KCachegrind read it: own values by line, and calls
 * with what comes through them. */
bool callgrind_print(const struct stack_profile *profile, const struct frame_source *frames,
                     const struct export_head *head, FILE *file);

/* DHAT's JSON, as dh_view reads it: of each stack its blocks with their lifetimes, the most that it
 * had alive, and what it had at the peak and at the end. */
bool dhat_print(const struct matcher *matcher, const struct filter *filter,
                const struct export_head *head, FILE *file);

#endif
