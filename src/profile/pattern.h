/* Regular expressions, as filters have them: Perl's, by PCRE2, on bytes that are taken for UTF-8
 * where they are.  A match that would take very long is given up: what asks has no answer then. */
#ifndef PROFILE_PATTERN_H
#define PROFILE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "heaptap/status.h"

struct pattern; /* one compiled expression */

/* NULL where the expression is wrong: then `message` (of `size` bytes) says how, and `*offset` at
 * which of its bytes; or, with an empty message, when there is no memory. */
struct pattern *pattern_new(const char *text, size_t length, char *message, size_t size,
                            size_t *offset);
void pattern_free(struct pattern *pattern);

/* Does it match anywhere in `text`?  One caller at a time.  Once a match has been given up, no: who has asked of all names must look
 * at pattern_check. */
bool pattern_matches(struct pattern *pattern, const char *text);

/* HEAPTAP_BAD_ARGUMENT where a match was given up, and on what name. */
enum heaptap_status pattern_check(const struct pattern *pattern,
                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
