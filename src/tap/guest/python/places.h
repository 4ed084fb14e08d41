/* Where the Python program is: the line of its innermost frame, and its calls.
 *
 * A frame's instruction pointer says code object and instruction in one, so that it is the key
 * under which a location's number is found again: one load and one look into a table for an
 * allocation, whatever the line.  It holds as long as the code object lives; when that ends, its
 * keys go (watch.h).  Where nobody tells that code ends, which is where blocks are drawn and few
 * places are asked for, a stamp says whether it is still the same code.
 *
 * Used while the interpreter's lock is held. */
#ifndef TAP_GUEST_PYTHON_PLACES_H
#define TAP_GUEST_PYTHON_PLACES_H

#include "tap/guest/address_table.h"
#include "heaptap/guest.h"

#define PLACE_NONE UINT64_MAX

/* In front of the table: one entry for each hash, whatever was asked for last. */
enum { PLACES_RECENT_BITS = 8 };

struct places {
    struct heaptap_guest *guest;  /* whose numbers these are */
    struct address_table numbers; /* by instruction: a location's number, or PLACE_NONE; where code
                                     is checked, the number and above it the stamp of the code */
    struct address_entry recent[1 << PLACES_RECENT_BITS];
    bool checks_code; /* nobody tells that code ends */
};

/* The location under way, HEAPTAP_GUEST_UNKNOWN where no Python code is. */
uint32_t places_now(struct places *places);

/* The location of a frame's instruction; PLACE_NONE where its caller's counts, as the frame has not
 * begun or stands for C code. */
uint64_t places_number(struct places *places, const char *frame);

/* Whether the program itself runs, and not the start of its interpreter: which is what it imports for itself, by the
 * importer that is frozen into it. */
bool places_program_runs(void);

/* A recording has ended: its numbers mean nothing any more. */
void places_forget_all(struct places *places);

/* The code object ends. */
void places_forget_code(struct places *places, const char *code);

#endif
