/* What the callers of Trace.Writer.put_alloc say of their codes, kept until the trace is closed. */
#ifndef TAUGHT_H
#define TAUGHT_H

#include <stdbool.h>

#include "heaptap/trace.h"

struct taught;

/* NULL without memory. */
struct taught *taught_new(void);
void taught_free(struct taught *taught);

bool taught_knows(const struct taught *taught, uint64_t code);

/* Copies the locations, outermost first.  False without memory. */
bool taught_add(struct taught *taught, uint64_t code, const struct heaptap_location *locations,
                size_t count);

/* As heaptap_describe. */
size_t taught_describe(const struct taught *taught, uint64_t code,
                       struct heaptap_location *locations, size_t max);

#endif
