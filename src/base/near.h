/* The word of a list that is most like one that is not on it: for messages about misspelt words. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

/* Words in which fewer letters differ are near, if the text has more. */
enum { NEAR_CHANGES = 3 };

/* How many letters must be added, taken away or changed to make `b` of a[0..size); SIZE_MAX where one of them has more than 64. */
size_t near_distance(const char *a, size_t size, const char *b);

/* The word that text[0..size) is nearest to: `word` gives those from 0 to below `count`.  At most
 * two letters are added, taken away or changed, and fewer than the text has; NULL where that makes
 * none. */
const char *near_word(const char *text, size_t size, const char *(*word)(size_t i), size_t count);

#endif
