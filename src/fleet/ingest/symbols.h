/* Names for profiles that come as addresses: each place is looked up once, on the server, by the build id of its file.
 *
 * Debug files are those of a folder, DIR/.build-id/xx/yyyy.debug, and of the system's.  Where there are URLs of debuginfod
 * servers, a file that is not there is fetched into the folder, once; what they do not have is asked for again after
 * SYMBOLS_AGAIN_SECONDS.  No path that a profile names is ever opened.  What is not found stays a place in a module. */
#ifndef FLEET_INGEST_SYMBOLS_H
#define FLEET_INGEST_SYMBOLS_H

#include "profile/profile_file.h"

enum { SYMBOLS_AGAIN_SECONDS = 600, SYMBOLS_URLS_MAX = 8 };

struct ingest_symbols;

/* `folder`, NULL for the system's alone, exists; with `urls`, separated by spaces, NULL for none, it is there and can be written to.
 * Texts are copied. */
enum heaptap_status ingest_symbols_new(struct ingest_symbols **symbols, const char *folder,
                                       const char *urls,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void ingest_symbols_free(struct ingest_symbols *symbols);

/* Gives names to the locations of a profile that have none.  False when there is no memory. */
bool ingest_symbols_name(struct ingest_symbols *symbols, struct model *model);

#endif
