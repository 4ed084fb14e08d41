/* gzip for what is large and soon replaced.  By ISA-L, where heaptap was built with it: a seventh
 * of the time that zlib takes at its level 4, a file a tenth larger.  Else by zlib at its level 1.
 */
#ifndef TRACE_QUICK_GZIP_H
#define TRACE_QUICK_GZIP_H

#include "heaptap/trace.h"

struct quick_gzip;

/* Compressed bytes go to `below`; NULL when there is no memory. */
struct quick_gzip *quick_gzip_new(struct heaptap_sink below);

/* 0, or the errno with which the sink failed. */
int quick_gzip_put(struct quick_gzip *gzip, const void *data, size_t size);

/* Ends the compressed data; 0 or an errno. */
int quick_gzip_finish(struct quick_gzip *gzip);

void quick_gzip_free(struct quick_gzip *gzip);

#endif
