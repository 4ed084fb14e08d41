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
    bool by_site, hides_suppressed;
    uint64_t used; /* when it was last asked for */
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

/* Makes the rest of a report that has its options and the dataset's model for input, of a filter's text and of the dataset's own.  Its
 * filter, matcher and selection are kept from the last time or made, and borrowed until VIEWER_SELECTED_MAX others have been
 * asked for; report_release_figures is due.  False: `*problem` says why, and nothing is. */
bool viewer_dataset_report(struct viewer_dataset *dataset, const char *text, struct report *report,
                           struct report_problem *problem) HEAPTAP_MUST_CHECK;

#endif
