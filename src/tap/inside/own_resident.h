/* How much memory heaptap has in a program that is not its own, written into the trace as that ends: the size of the process, which the
 * kernel counts, contains it. */
#ifndef TAP_INSIDE_OWN_RESIDENT_H
#define TAP_INSIDE_OWN_RESIDENT_H

#include <stdint.h>

#include "heaptap/trace.h"

enum { OWN_RESIDENT_TEXT_BYTES = 24 };

/* Bytes of the pages that own_pages.h has noted which are in memory; 0 where that isn't known. */
uint64_t own_resident_bytes(void);

/* A property of a trace that says it; `text` is its value, and must outlive it. */
struct heaptap_metadata own_resident_property(const char *name, char text[OWN_RESIDENT_TEXT_BYTES]);

#endif
