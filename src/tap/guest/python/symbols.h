/* Functions of the interpreter that others are to find ours in place of. */
#ifndef TAP_GUEST_PYTHON_SYMBOLS_H
#define TAP_GUEST_PYTHON_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* From here on, whoever looks for the interpreter's function of this name, a library that is loaded
 * or dlsym, finds the one at address `ours`.  False, and nothing is changed, if there is no such function. */
bool symbols_replace(const char *name, uintptr_t ours);

#endif
