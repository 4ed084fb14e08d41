/* The words of a block behind what the program asked for, which the allocator rounds up: they may have what an earlier block left
 * there. */
#ifndef HOLDERS_SLACK_H
#define HOLDERS_SLACK_H

#include <stdbool.h>

#include "holders/graph.h"

/* Drops the edges of such words to blocks that are held without these: blocks' bytes are what the program asked for.  The others
 * stay, as there are programs that use what malloc_usable_size() tells them.  False when there is no memory. */
bool slack_drop(struct graph *graph);

#endif
