/* Two profiles of one kind, held against each other, stack by stack, as pprof's -diff_base does.
 *
 * Frames are the same where their locations are; where nothing is known of them, where their
 * module and their address in it are.  Modules are the same by report/module_twins.h, source
 * files by report/source_twins.h, lines by report/change/line_twins.h; all have the newer one's path and number.  The result is a model of values by stack: "base", "new", and "difference", which
 * is new less base and may be negative; and of how many samples the first two are estimates, 0 where
 * they are exact. */
#ifndef REPORT_CHANGE_DIFFERENCE_H
#define REPORT_CHANGE_DIFFERENCE_H

#include "report/report.h"

enum {
    DIFFERENCE_BASE,
    DIFFERENCE_NEW,
    DIFFERENCE_CHANGE,
    DIFFERENCE_BASE_SAMPLES,
    DIFFERENCE_NEW_SAMPLES,
    DIFFERENCE_TYPES
};

/* One of the two: what a selection has left of it. */
struct difference_side {
    const struct selection *selection;
    const struct model *model; /* for the modules of its frames */
    enum stack_weight weight;
    double scale; /* values are multiplied by this, and rounded */
};

/* Put together side by side, so that one can be gone before the next is added.  By `grain`: what rows it is for. */
struct merging;
struct merging *difference_begin(const char *unit, enum symbol_grain grain);

/* `type`: DIFFERENCE_BASE or DIFFERENCE_NEW.  False when there is no memory. */
bool difference_add(struct merging *merging, const struct difference_side *side, int type);

/* The model, the caller's to give to model_free; `merging` is freed.  NULL when there is no memory. */
struct model *difference_end(struct merging *merging);

/* Of two reports whose values have one unit.  NULL when there is no memory. */
struct model *difference_of(const struct report *before, const struct report *after,
                            enum symbol_grain grain);

/* The number in the base of a line of a difference by line, where it has moved (report/change/line_twins.h); else 0. */
uint32_t difference_base_line(const struct model *difference, const struct symbol *symbol);

/* A function, or whatever the grain tells apart, in both. */
struct difference_row {
    uint32_t symbol;    /* index into symbols */
    uint32_t base_line; /* of a line that has moved, its number in the base; else 0 */
    double base_flat, new_flat, base_cum, new_cum;
    double base_flat_samples, new_flat_samples, base_cum_samples, new_cum_samples;
};

enum difference_state { STATE_ADDED, STATE_GONE, STATE_GROWN, STATE_SHRUNK, STATE_SAME };

struct difference_options {
    enum symbol_grain grain;
    bool no_inlines;
    bool by_cum;      /* the order of the rows */
    bool tells_codes; /* of two traces: struct frame_source */
};

struct difference_table {
    struct symbols symbols;
    struct difference_row *rows; /* those with a change: the greatest of flat first, then of cum; or
                                    the reverse */
    size_t count, capacity;
    bool by_cum;
    double base_total, new_total;
    double base_samples, new_samples; /* that these rest on; 0 where they are exact */
};

/* Sums up a difference.  The model must outlive the table.  False when there is no memory; then
 * there is nothing to release. */
bool difference_table_init(struct difference_table *table, const struct model *difference,
                           const struct difference_options *options);
void difference_table_release(struct difference_table *table);

/* By cum: what comes through the function. */
enum difference_state difference_state(const struct difference_row *row);

/* "added", "gone", "grown", "shrunk", "same" */
const char *difference_state_name(enum difference_state state);

/* As wide as the larger of both: what a flame graph of a difference shows.  A tally's `density` is
 * the change, `squares` what is new.  False when there is no memory; then there is nothing to
 * release. */
bool difference_widths(struct stack_profile *profile, const struct model *difference);

#endif
