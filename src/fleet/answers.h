/* Answers of a store to the page, as JSON. */
#ifndef FLEET_ANSWERS_H
#define FLEET_ANSWERS_H

#include <stdio.h>

#include "fleet/request.h"
#include "store/store.h"

/* Writes the answer to a request for FLEET_LABELS, FLEET_SERVICES or FLEET_REGRESSIONS; `name` is the store's.  Where it fails,
 * what has been written is to be thrown away. */
enum heaptap_status fleet_answer_put(FILE *file, struct store *store, const char *name,
                                     const struct fleet_request *request,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
