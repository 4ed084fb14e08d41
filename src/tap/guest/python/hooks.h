/* The hooks in Python's allocators. */
#ifndef TAP_GUEST_PYTHON_HOOKS_H
#define TAP_GUEST_PYTHON_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins to watch, if the environment asks for it, and puts the hooks in; `python` is filled in. */
void hooks_install(void);

/* The same for a part of the run, as the request says; with whatever was known of an earlier part forgotten.  The
 * interpreter's lock is held.  False with a sentence. */
struct heaptap_guest_request;
bool hooks_begin_part(const struct heaptap_guest_request *request, const char **why);

/* From here on, of the part, only ends of blocks are recorded: what is to be collected still can be. */
void hooks_stop_part(void);

/* Bytes of the part that are alive. */
uint64_t hooks_part_left(void);

/* Takes the hooks out, and ends the recording, which is that of a test with these limits (heaptap/test.h). */
void hooks_end_part(const char *name, const char *limits);

/* While it starts, the interpreter may have chosen other allocators: puts the hooks in front of
 * these. */
void hooks_put_in_again(void);

/* Books what is still pending. */
void hooks_finish(void);

#endif
