/* Work that might end the process that does it: looking up names in debug files, whose library exits or crashes where
 * memory runs out. */
#ifndef CLI_APART_H
#define CLI_APART_H

#include <stdbool.h>

/* Calls the function in a child process, waits for it, and gives what it returned.  What it prints comes in order.  Where no
 * process can be made it is called here.  False where the child ended before the function did. */
bool apart_run(int (*function)(void *context), void *context, int *result);

#endif
