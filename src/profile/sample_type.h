/* Sample types by the words that people type: `-s inuse`, `-s 1`. */
#ifndef PROFILE_SAMPLE_TYPE_H
#define PROFILE_SAMPLE_TYPE_H

#include <stddef.h>

enum { SAMPLE_TYPE_UNKNOWN = -1, SAMPLE_TYPE_AMBIGUOUS = -2 };

/* Which of the names a word stands for.  It is, by the first of these rules that fits:
 *
 * - a name: the first that is equal;
 * - a whole number: the name at that index, from 0;
 * - inuse_space or inuse_objects, where the names are space and objects, as pprof has it;
 * - one part of a name: what is missing is as in the name `usual`, so that with alloc_space
 *   usual, `objects` is alloc_objects and `inuse` is inuse_space;
 * - one part of a name that no other name has.
 *
 * `word` NULL: `usual`. */
long sample_type_find(const char *word, const char *const *names, size_t count, size_t usual);

#endif
