/* What the viewer shows: a file that has been read, and what has lately been selected of it. */
#ifndef PAGE_DATASET_H
#define PAGE_DATASET_H

#include "profile/model.h"
#include "report/report.h"

/* A filter on a model, and what it leaves: what all answers to one state of the page share. */
struct viewer_selected {
    char *text; /* of the filter; NULL in an empty place */
    struct report
        report; /* its filter, matcher and selection, which are owned, and by what these were made */
    struct selection
        by_site; /* of the same rows, for reports that are about sites; zeroed until one asks for it */
    bool hides_suppressed, is_compact;
    uint64_t used; /* when it was last asked for */
};

/* So many, unless those there take more memory than that: then the last one alone stays beside a new one. */
enum { VIEWER_SELECTED_MAX = 4, VIEWER_SELECTED_BYTES = 100 << 20 };

struct viewer_dataset {
    char *name;          /* of the file, without its folder */
    char *filter;        /* all that is shown passes it; "" for everything */
    char *remark;        /* what is wrong with the file: it ends early; NULL for nothing */
    bool is_growing;     /* its process was still writing it when it was read */
    struct model *model; /* owned */
    struct viewer_selected kept[VIEWER_SELECTED_MAX];
    size_t most_bytes;        /* of those: VIEWER_SELECTED_BYTES */
    struct stack_edits edits; /* the stacks of those, and of other views of the same filters */
    uint64_t clock;
};

/* Takes the model, also when it fails: NULL when there is no memory.  Texts are copied. */
struct viewer_dataset *viewer_dataset_new(struct model *model, const char *name,
                                          const char *remark);

/* Before anything is selected: all selections are of what `filter` leaves, a filter that fits the
 * model.  It is copied; false when there is no memory. */
bool viewer_dataset_set_filter(struct viewer_dataset *dataset, const char *filter);
void viewer_dataset_free(struct viewer_dataset *dataset);

/* Makes the rest of a report that has its options and the dataset's model for input, of a filter's text and of the dataset's own.  Its
 * filter, matcher and selection are kept from the last time or made, and borrowed until two others are
 * asked for; report_release_figures is due.  False: `*problem` says why, and nothing is. */
bool viewer_dataset_report(struct viewer_dataset *dataset, const char *text, struct report *report,
                           struct report_problem *problem) HEAPTAP_MUST_CHECK;

#endif
