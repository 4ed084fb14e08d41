/* Reading a trace and writing the same again. */
#ifndef HELPERS_REWRITE_H
#define HELPERS_REWRITE_H

#include "helpers/bytes.h"

/* Writes all events of the trace in `data`, under their own ids, to `out` in format `version`; the
 * reader's order and what else is asked come from `options`.  Returns what the reader said last:
 * HEAPTAP_END where the trace is whole.  `max_domains` bounds the memory that a damaged trace can
 * take: events of further domains are left out. */
enum heaptap_status rewrite(const void *data, size_t size,
                            const struct heaptap_reader_options *options, unsigned version,
                            unsigned max_domains, struct bytes *out);

#endif
