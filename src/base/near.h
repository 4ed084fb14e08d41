/* What somebody may have meant who wrote a word that is not on a list. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

/* The word that text[0..size) is nearest to: `word` gives those from 0 to below `count`.  At most
 * two letters are added, taken away or changed, and fewer than the text has; NULL where that makes
 * none. */
const char *near_word(const char *text, size_t size, const char *(*word)(size_t i), size_t count);

#endif
