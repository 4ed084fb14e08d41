/* Words of objects that point to others and hold nothing: a scan of memory must not take them for references.
 *
 *   - The collector's list goes through the heads of the objects that it looks after, so that each points to the heads of two others, its
 *     neighbours by birth.  From 3.13 on the dictionary of an object's attributes points to where these lie within the object.  So of an object that
 *     is on that list, a reference points to its beginning, and nothing else does.
 *   - A weak reference points to its object, and to other weak references to that; an object to the first of these.
 *   - A string's state is a byte of flags, and the rest of its word is what the memory had before. */
#ifndef TAP_GUEST_PYTHON_WEAK_WORDS_H
#define TAP_GUEST_PYTHON_WEAK_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Functions and objects of the interpreter that are needed; false where it lacks one. */
bool weak_words_find(void);

/* Is it a word that points into a block, but not to the beginning of the object there, which is on the collector's list? */
bool weak_words_points_aside(uint64_t word, uint64_t block);

/* Of an object's type, which bytes of the object are weak. */
struct weak_words {
    int64_t
        list; /* from the object's address on: the word that points to weak references; 0 for none */
    uint64_t end;  /* it is a weak reference, which has weak words until here; else 0 */
    int64_t state; /* a string's, likewise; 0 for what is no string */
};
struct weak_words weak_words_of(const char *type);

/* Is the word at an offset from the object's address one? */
static inline bool weak_words_has(const struct weak_words *words, int64_t offset)
{
    return (words->list != 0 && offset == words->list) ||
           (words->state != 0 && offset == words->state) ||
           (offset >= 0 && (uint64_t)offset < words->end);
}

#endif
