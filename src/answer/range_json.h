/* An estimate's bounds in JSON. */
#ifndef ANSWER_RANGE_JSON_H
#define ANSWER_RANGE_JSON_H

#include "answer/json.h"
#include "profile/estimate.h"

/* The keys "<prefix>low" and "<prefix>high"; "<prefix>too_few_samples", true, where that is so. */
void range_json_put(struct json *json, const char *prefix, struct estimate_range range);

#endif
