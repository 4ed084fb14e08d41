/* The type of the object in a block.
 *
 * An allocator hook sees a block before anything is in it.  So the type is read at the hook's next
 * event, when the object has long been made: from where the type stands in an object without a
 * collector's head, with one, and with one behind the two words of a managed dictionary.  The hook
 * wipes these words first, so that nothing of an earlier object is misread.  A word there is taken
 * for a type only if it is one, and one whose objects are laid out in that way; what is in none of
 * the places is no object (a table of keys, a buffer): `(internal)`.
 *
 * Used while the interpreter's lock is held. */
#ifndef TAP_GUEST_PYTHON_TYPES_H
#define TAP_GUEST_PYTHON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "tap/guest/python/interpreter.h"
#include "heaptap/guest.h"

enum {
    PLAIN_TYPE_AT = OBJECT_TYPE,
    COLLECTED_TYPE_AT = COLLECTOR_HEAD + OBJECT_TYPE,
    MANAGED_TYPE_AT = PREHEADER + COLLECTOR_HEAD + OBJECT_TYPE,
};

/* Makes a new block one in which no type is found. */
static inline void types_wipe(char *block, size_t bytes)
{
    const uint64_t zero = 0;
    if (bytes >= PLAIN_TYPE_AT + sizeof zero)
        memcpy(block + PLAIN_TYPE_AT, &zero, sizeof zero);
    if (bytes >= COLLECTED_TYPE_AT + sizeof zero)
        memcpy(block + COLLECTED_TYPE_AT, &zero, sizeof zero);
    if (bytes >= MANAGED_TYPE_AT + sizeof zero)
        memcpy(block + MANAGED_TYPE_AT, &zero, sizeof zero);
}

/* Whether nothing has come yet to where a type could stand. */
static inline bool types_is_unmade(const char *block, size_t bytes)
{
    return bytes >= PLAIN_TYPE_AT + 8 && !python_word(block, PLAIN_TYPE_AT) &&
           (bytes < COLLECTED_TYPE_AT + 8 || !python_word(block, COLLECTED_TYPE_AT)) &&
           (bytes < MANAGED_TYPE_AT + 8 || !python_word(block, MANAGED_TYPE_AT));
}

/* The number of the type of the object in a block; that of `(internal)` if there is none. */
uint32_t types_of(struct heaptap_guest *guest, const char *block, size_t bytes);

/* The number of `(internal)`. */
uint32_t types_internal(struct heaptap_guest *guest);

/* A recording has ended: its numbers mean nothing any more. */
void types_forget_all(void);

/* The type object ends. */
void types_forget(const char *type);

#endif
