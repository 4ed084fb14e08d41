/* Reports of guest heaps as JSON; docs/guests.md has the fields. */
#ifndef EXPORT_GUEST_JSON_H
#define EXPORT_GUEST_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/guest_table.h"
#include "export/json.h"

/* One process as a value.  `stack_limit` places of each stack at most, innermost kept; 0: all.
 * False when there is no memory. */
bool guest_json_write(struct json *json, const struct guest_profile *profile,
                      const struct guest_filter *filter, bool stacks, size_t stack_limit);

#endif
