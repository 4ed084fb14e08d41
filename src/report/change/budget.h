/* What a budget is about: one figure of what a filter leaves of a model, how certain it is, and
 * which allocation sites make it. */
#ifndef REPORT_CHANGE_BUDGET_H
#define REPORT_CHANGE_BUDGET_H

#include "base/units.h"
#include "report/calls/call_graph.h"
#include "profile/filter.h"
#include "profile/model.h"

enum budget_measure {
    BUDGET_PEAK,        /* bytes, the most that was alive at once */
    BUDGET_ALLOCATED,   /* bytes */
    BUDGET_LIVE_AT_END, /* bytes */
    BUDGET_OBJECTS,     /* allocated */
    BUDGET_MEASURES
};

enum { BUDGET_SITES = 3 };

struct budget_figure {
    double value;
    double samples; /* that it rests on; 0 of a profile */
    struct estimate_range
        range; /* `value` alone where every block was recorded, and for values that a profile has
                                    without saying how they were found */
    bool is_empty;    /* the filter leaves nothing, of a model that has something */
    struct peak peak; /* of BUDGET_PEAK, and of what the filter leaves */
};

/* "peak", "allocated", "live-at-end", "objects", and back; BUDGET_MEASURES for none. */
const char *budget_measure_name(enum budget_measure measure);
enum budget_measure budget_find_measure(const char *name, size_t length);

/* A limit within these, as --max-... takes it, in few digits: "1.2MB", "12500". */
void budget_limit(char text[UNITS_TEXT_BYTES], bool is_count, double low, double high);

/* Does the model tell of it?  A profile has what its values tell, in the units of model_to_base_units: there is no peak
 * among them. */
bool budget_has(const struct model *model, enum budget_measure measure);

/* The type of a profile's values that a measure would be of, were these in bytes; NULL where it has one of bytes, or none. */
const struct model_value_type *budget_odd_type(const struct model *model,
                                               enum budget_measure measure);

/* HEAPTAP_BAD_ARGUMENT where the filter doesn't fit the model, with error->offset and `*length` as
 * of matcher_init; or where the model tells nothing of the measure: then `*length` is 0. */
enum heaptap_status budget_measure(struct budget_figure *figure, const struct model *model,
                                   const struct filter *filter, enum budget_measure measure,
                                   size_t *length, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same of the peak, from the series of what passes a filter; figure->peak, which sites need, is not known of it. */
struct series;
void budget_measure_series(struct budget_figure *figure, const struct series *series);

/* The sites that make a figure, of the same arguments, heaviest first: nodes of a graph with no
 * edges, BUDGET_SITES at most.  False when there is no memory; then there is nothing to release. */
bool budget_sites(struct call_graph *sites, const struct budget_figure *figure,
                  const struct model *model, const struct filter *filter,
                  enum budget_measure measure);

#endif
