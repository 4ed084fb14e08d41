/* The page as one file: the same page, with the answers to what it asks inside it.
 *
 * A report holds a fixed list of selections: everything, what was alive at the peak, what was never
 * freed, what was short-lived, what was promoted; each as trees, tables, graph and distributions,
 * cut to so many nodes.  Everything also by objects, and the heaviest functions with their callers
 * and callees.  What it doesn't hold, the page says. */
#ifndef VIEWER_REPORT_H
#define VIEWER_REPORT_H

#include <stdio.h>

#include "viewer/answer.h"

/* Writes the page to `file`, with trees of at most `nodes` nodes.  `state` is what
 * viewer_answer_make answers from.  False when there is no memory; write errors show in the file.
 */
bool viewer_report_write(FILE *file, const struct viewer_state *state, uint32_t nodes);

#endif
