/* A program that is refused memory by a limit of its own (ulimit -v, -d, -l) gets what recording has taken, and the recording ends. */
#ifndef TAP_RECORD_GIVE_WAY_H
#define TAP_RECORD_GIVE_WAY_H

#include <stdbool.h>
#include <stddef.h>

/* Looks whether there are such limits, which may have been set since the last look. */
void give_way_look(void);

/* A request of so many bytes was refused: whether it can be made again because the recording has ended. */
bool give_way(size_t size);

#endif
