/* The version of libheaptap: of the headers at compile time, of the library at run time.
 *
 * Until 1.0, a minor version may change structs and functions; a patch version changes neither
 * (docs/embedding.md says what may change when).
 * Programs that link the shared library compare both:
 *
 *     if (heaptap_version() / 100 != HEAPTAP_VERSION_NUMBER / 100)
 *         ... compiled for another version ... */
#ifndef HEAPTAP_VERSION_H
#define HEAPTAP_VERSION_H

#include "heaptap/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPTAP_VERSION_MAJOR 0
#define HEAPTAP_VERSION_MINOR 1
#define HEAPTAP_VERSION_PATCH 0
#define HEAPTAP_VERSION_STRING "0.1.0"

/* 10000 for 1.0.0, 100 for 0.1.0. */
#define HEAPTAP_VERSION_NUMBER                                                                     \
    (HEAPTAP_VERSION_MAJOR * 10000 + HEAPTAP_VERSION_MINOR * 100 + HEAPTAP_VERSION_PATCH)

/* HEAPTAP_VERSION_NUMBER and HEAPTAP_VERSION_STRING of the library that runs. */
HEAPTAP_API int heaptap_version(void);
HEAPTAP_API const char *heaptap_version_string(void);

#ifdef __cplusplus
}
#endif
#endif
