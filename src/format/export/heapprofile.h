/* V8's sampling heap profiles, as the memory panel of Chrome's developer tools loads them (files called .heapprofile):
 * a tree of calls with what each node allocated itself. */
#ifndef FORMAT_EXPORT_HEAPPROFILE_H
#define FORMAT_EXPORT_HEAPPROFILE_H

#include "format/export/stack_lines.h"

/* Values are rounded to whole numbers.  False when there is no memory; write errors show in `file`. */
bool heapprofile_print(const struct stack_profile *profile, const struct frame_source *frames,
                       const struct export_head *head, FILE *file);

#endif
