/* What could be asked after an answer: the loop from a number to a fix, a step at a time. */
#ifndef AGENT_NEXT_H
#define AGENT_NEXT_H

#include "base/text.h"

/* Lines that say which calls lead on from `report`'s answer about `file`, the most useful first; none where nothing comes to
 * mind.  Where one needs a function, NAME stands for one of the answer. */
void next_put(struct text *text, const char *report, const char *file);

#endif
