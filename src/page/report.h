/* The page as one file: the same page, with the answers to what it asks inside it.
 *
 * A report holds a fixed list of selections: of a trace everything, what was alive at the peak, what
 * was never freed, what was short-lived, what was promoted; of a profile each of its values.  Of all
 * of them it has the stacks (page/report_stacks.h), from which the page works out trees, functions,
 * callers and lines itself; and, of a trace, the answers on times, sizes and advice.  Controls that
 * it cannot answer are not there. */
#ifndef PAGE_REPORT_H
#define PAGE_REPORT_H

#include <stdio.h>

#include "page/answer.h"

/* Who wants to know how far it is: after each step `tell` is called, if it is there. */
struct report_progress {
    void (*tell)(void *context, size_t done, size_t whole);
    void *context;
};

/* Writes the page to `file`, with a tree of stacks of some `nodes` nodes.  `state` is what
 * viewer_answer_make answers from.  False when there is no memory; write errors show in the file.
 */
bool viewer_report_write(FILE *file, const struct viewer_state *state, uint32_t nodes,
                         const struct report_progress *progress);

#endif
