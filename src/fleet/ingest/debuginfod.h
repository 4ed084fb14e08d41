/* Debug files by build id, from servers that speak debuginfod's protocol: GET URL/buildid/ID/debuginfo.
 *
 * A file goes to FOLDER/.build-id/xx/yyyy.debug, where debuggers look for it; it is there when it is whole.  What no server has is
 * not asked for again for a while. */
#ifndef FLEET_INGEST_DEBUGINFOD_H
#define FLEET_INGEST_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

/* A file may be this large, and take so long; all that one asks for in vain is kept in mind for a while. */
#define DEBUGINFOD_BYTES_MAX (INT64_C(4) << 30)
enum { DEBUGINFOD_SECONDS = 90, DEBUGINFOD_CONNECT_SECONDS = 5, DEBUGINFOD_AGAIN_SECONDS = 600 };

struct debuginfod;

/* `urls` are separated by spaces; HEAPTAP_BAD_ARGUMENT for one that is none, or where there is no folder.  Texts are copied. */
enum heaptap_status debuginfod_new(struct debuginfod **debuginfod, const char *folder,
                                   const char *urls,
                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* NULL allowed. */
void debuginfod_free(struct debuginfod *debuginfod);

/* Sees to it that the file is there, if any server has it. */
void debuginfod_fetch(struct debuginfod *debuginfod, const uint8_t *id, size_t id_size);

#endif
