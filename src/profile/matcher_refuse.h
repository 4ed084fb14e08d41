/* Filters that a matcher can't answer.  HEAPTAP_BAD_ARGUMENT says why, and error->offset with `*length` (NULL allowed) which clause
 * of the filter's text it is about. */
#ifndef PROFILE_MATCHER_REFUSE_H
#define PROFILE_MATCHER_REFUSE_H

#include "profile/filter.h"
#include "profile/model.h"

/* Does the model have what each clause asks for? */
enum heaptap_status matcher_check_model(const struct model *model, const struct filter *filter,
                                        size_t *length, struct heaptap_error *error);

/* Was each name matched to the end? */
enum heaptap_status matcher_check_patterns(const struct filter *filter, size_t *length,
                                           struct heaptap_error *error);

#endif
