/* Where the library is that records from inside the program. */
#ifndef CLI_RECORD_LIBRARY_H
#define CLI_RECORD_LIBRARY_H

/* Its absolute path, to be freed; NULL, with a message, when it isn't found or cannot be preloaded.  $HEAPTAP_PRELOAD goes first; then the places relative to this program, as
 * installed and as built. */
char *library_find(void);

/* Another file of heaptap's, found in the same places; `built_in` is its folder in the build tree, seen
 * from this program's.  To be freed; NULL, without a message, when it isn't there. */
char *library_find_beside(const char *name, const char *built_in);

/* A path to it that can stand in LD_PRELOAD, where spaces and colons part libraries: if need be that of
 * a link, in a folder of the user's own below the temporary one.  Takes `library`, gives what is to be
 * freed; NULL, with a message, where there can be no link. */
char *library_preloadable(char *library);

/* A value of LD_PRELOAD with `library` before `others`, NULL for none; to be freed, NULL without memory. */
char *library_preload(const char *library, const char *others);

#endif
