/* The hooks in Python's allocators. */
#ifndef GUEST_PYTHON_HOOKS_H
#define GUEST_PYTHON_HOOKS_H

/* Begins to watch, if the environment asks for it, and puts the hooks in; `python` is filled in. */
void hooks_install(void);

/* While it starts, the interpreter may have chosen other allocators: puts the hooks in front of
 * these. */
void hooks_put_in_again(void);

/* Books what is still pending. */
void hooks_finish(void);

#endif
