/* Functions and objects of the process that an adapter is in. */
#ifndef TAP_GUEST_FIND_H
#define TAP_GUEST_FIND_H

#include <stdbool.h>

/* dlsym, for adapters, the answer of which goes where `pointer` points: false, and NULL there, for none.  It may allocate, as its
 * words for what is missing, and that is not the program's: where the program is recorded natively, too, it is not recorded. */
bool guest_find(void *pointer, void *handle, const char *name);

#endif
