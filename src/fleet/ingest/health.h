/* Can the store be reached?  Known by what became of the last profiles, and by a thread that opens the store every two seconds, so
 * that it is known also while none come.  Each change is one line. */
#ifndef FLEET_INGEST_HEALTH_H
#define FLEET_INGEST_HEALTH_H

#include <stdbool.h>

#include "heaptap/status.h"

struct health;

typedef void health_say(void *context, const char *sentence);

/* `store` is its name, as of store_open. */
enum heaptap_status health_new(struct health **health, const char *store, health_say *say,
                               void *context, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* NULL allowed. */
void health_free(struct health *health);

/* Profiles were stored, or could not be for a reason.  All take NULL. */
void health_stored(struct health *health);
void health_failed(struct health *health, const char *why);

/* Is it reached?  Else `why` is a sentence. */
enum { HEALTH_WHY_BYTES = 256 };
bool health_is_good(struct health *health, char why[HEALTH_WHY_BYTES]);

#endif
