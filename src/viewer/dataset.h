/* What the viewer shows: a file that has been read, and what has lately been selected of it. */
#ifndef VIEWER_DATASET_H
#define VIEWER_DATASET_H

#include "analyze/call_graph.h"
#include "profile/filter.h"
#include "profile/matcher.h"
#include "profile/model.h"
#include "profile/selection.h"

/* All functions of a selection, and perhaps their calls. */
struct viewer_graph {
    bool is_made;
    enum symbol_grain grain;
    enum stack_weight weight;
    struct call_graph graph;
};

enum { VIEWER_GRAPHS_MAX = 2 };

/* A filter on a model, and what it leaves: what all answers to one state of the page share. */
struct viewer_selected {
    char *text; /* of the filter */
    struct selection_options options;
    struct filter filter;
    struct matcher matcher;
    struct selection selection;
    struct viewer_graph graphs[VIEWER_GRAPHS_MAX]; /* made when first asked for */
    uint64_t used; /* when it was last asked for; 0 for an empty place */
};

enum { VIEWER_SELECTED_MAX = 4 };

struct viewer_dataset {
    char *name;          /* of the file, without its folder */
    char *filter;        /* all that is shown passes it; "" for everything */
    char *remark;        /* what is wrong with the file: it ends early; NULL for nothing */
    struct model *model; /* owned */
    struct viewer_selected kept[VIEWER_SELECTED_MAX];
    uint64_t clock;
};

/* Takes the model, also when it fails: NULL when there is no memory.  Texts are copied. */
struct viewer_dataset *viewer_dataset_new(struct model *model, const char *name,
                                          const char *remark);

/* Before anything is selected: all selections are of what `filter` leaves, a filter that fits the
 * model.  It is copied; false when there is no memory. */
bool viewer_dataset_set_filter(struct viewer_dataset *dataset, const char *filter);
void viewer_dataset_free(struct viewer_dataset *dataset);

/* The filter of a text and of the dataset's own, the caller's to release.  Errors as those of viewer_dataset_select. */
enum heaptap_status viewer_dataset_filter(const struct viewer_dataset *dataset, const char *text,
                                          struct filter *filter, size_t *length,
                                          struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What a filter leaves, kept from the last time or made; borrowed until VIEWER_SELECTED_MAX others
 * have been asked for.  HEAPTAP_BAD_ARGUMENT with error->offset and `*length`: which bytes of the
 * text are wrong. */
enum heaptap_status viewer_dataset_select(struct viewer_dataset *dataset, const char *text,
                                          const struct selection_options *options,
                                          struct viewer_selected **selected, size_t *length,
                                          struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The graph of all functions, heaviest first, with their calls or without, kept from the last time
 * or made; borrowed until another grain or weight is asked for.  NULL when there is no memory. */
const struct call_graph *viewer_selected_graph(struct viewer_selected *selected,
                                               enum symbol_grain grain, enum stack_weight weight,
                                               bool with_calls);

#endif
