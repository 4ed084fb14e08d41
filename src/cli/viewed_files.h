/* The files that `heaptap view` shows, read, and read again as they grow. */
#ifndef CLI_VIEWED_FILES_H
#define CLI_VIEWED_FILES_H

#include <sys/types.h>

#include "cli/trace_input.h"
#include "page/dataset.h"
#include "page/request.h"
#include "profile/model_trace.h"

struct viewed_files {
    /* Set before reading. */
    char *const *wanted; /* paths */
    size_t wanted_count;
    const char *base_path;    /* NULL for none */
    struct model_watch watch; /* is told how far it is; how much memory a model may take */

    /* What could be read. */
    const char *paths[VIEWER_FILES_MAX];
    struct viewer_dataset *files[VIEWER_FILES_MAX];
    off_t sizes[VIEWER_FILES_MAX]; /* when they were read */
    size_t count;
    struct viewer_dataset *base;
    int status; /* what to exit with so far */
};

/* How often a file that may grow is looked at: all of it is read again, as what comes later can be
 * of earlier times, so that there is a rest of this many times what that took, and no less than VIEWED_PAUSE_MS. */
enum { VIEWED_PAUSE_MS = 500, VIEWED_REST = 9 };

/* What is wrong with a file that was read; NULL for nothing.  Of one that is still being written the page says so itself. */
const char *viewed_remark(const struct trace_input *input);

/* False where none can be shown; messages say why. */
bool viewed_files_read(struct viewed_files *viewed);

/* Reads file `i` again if it has changed.  Then what it was before is the caller's, for when nothing looks at it any more; NULL
 * where nothing has changed, or it can't be read. */
struct viewer_dataset *viewed_files_follow(struct viewed_files *viewed, size_t i);

/* Of struct viewer_reading, whose context is a struct viewed_files. */
enum report_outcome viewed_files_put(void *context, size_t number, const struct question *asked,
                                     const char *filter, struct answer *answer);

void viewed_files_release(struct viewed_files *viewed);

#endif
