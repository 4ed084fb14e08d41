/* Where the library is that records from inside the program. */
#ifndef CLI_RECORD_LIBRARY_H
#define CLI_RECORD_LIBRARY_H

/* Its absolute path, to be freed; NULL, with a message, when it isn't found or cannot be preloaded
 * from where it is.  $HEAPTAP_PRELOAD goes first; then the places relative to this program, as
 * installed and as built. */
char *library_find(void);

/* Another file of ours, found in the same places; `built_in` is its folder in the build tree, seen
 * from this program's.  To be freed; NULL, without a message, when it isn't there. */
char *library_find_beside(const char *name, const char *built_in);

/* The value of LD_PRELOAD with `library` before what stands there now; to be freed, NULL without
 * memory. */
char *library_preload(const char *library);

#endif
