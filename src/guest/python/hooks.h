/* The hooks in Python's allocators. */
#ifndef GUEST_PYTHON_HOOKS_H
#define GUEST_PYTHON_HOOKS_H

#include <stdbool.h>

/* Begins to watch, if the environment asks for it, and puts the hooks in; `python` is filled in. */
void hooks_install(void);

/* Books what is still pending; tells if the hooks are no longer in. */
void hooks_finish(void);

/* The code object ends. */
void hooks_code_ends(const char *code);

#endif
