/* The raw allocator: called with the interpreter's lock or without. */
#ifndef TAP_GUEST_PYTHON_RAW_H
#define TAP_GUEST_PYTHON_RAW_H

#include <stdbool.h>

/* Above 0 while one of the other allocators is under way in this thread: what reaches the raw one
 * then is booked already. */
extern __thread unsigned raw_passed_on __attribute__((tls_model("initial-exec")));

/* The block that the raw allocator gave this thread last, NULL once it has ended in this thread; and
 * the one that it was given back. */
extern __thread const void *raw_last_made __attribute__((tls_model("initial-exec")));
extern __thread const void *raw_last_ended __attribute__((tls_model("initial-exec")));

/* Begins to watch the raw heap, and puts its hooks in. */
void raw_install(void);

/* The interpreter has chosen another raw allocator: puts the hooks in front of it. */
void raw_put_in_again(void);

/* From here on nothing is recorded. */
void raw_end_recording(void);

/* Takes the hooks out.  Threads that are in them now finish without being recorded. */
void raw_end_part(void);

/* Whether no other thread holds the interpreter's lock. */
bool raw_lock_is_free_or_ours(void);

/* Whether the calling thread holds it. */
bool raw_has_interpreter_lock(void);

/* Whether the block is one of the raw allocator's that is recorded; where blocks are drawn, false.
 */
bool raw_knows(const void *block);

void raw_code_ends(const char *code);

/* From here on nobody tells that code ends. */
void raw_checks_code(void);

#endif
