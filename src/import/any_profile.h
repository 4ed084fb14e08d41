/* Profiles of values by stack, whoever wrote them: pprof's and jemalloc's, told apart by their
 * first bytes. */
#ifndef IMPORT_ANY_PROFILE_H
#define IMPORT_ANY_PROFILE_H

#include "import/pprof.h"

/* Do a file's first bytes begin a profile? */
bool any_profile_looks_like_one(const uint8_t *bytes, size_t count);

/* Reads all of the input, and leaves it open.  What looks like neither is read as pprof's, which
 * says what is wrong with it. */
enum heaptap_status any_profile_read(struct pprof **pprof, struct input *input,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
