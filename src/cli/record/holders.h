/* The snapshot of what holds a program's blocks, which the recorder leaves beside its trace: it becomes a part of the trace. */
#ifndef CLI_RECORD_HOLDERS_H
#define CLI_RECORD_HOLDERS_H

#include <stdbool.h>

/* Where there is one: waits until it is whole, and takes it into the trace, which is finished otherwise.  What goes wrong is told.
 * False where there is none. */
bool holders_finish(const char *trace);

/* The trace goes to another name, or is removed (NULL): so does what lies beside it. */
void holders_move(const char *trace, const char *to);

#endif
