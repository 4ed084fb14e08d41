/* Paths of source files as compilers write them. */
#ifndef SYMBOL_SOURCE_PATH_H
#define SYMBOL_SOURCE_PATH_H

/* Takes `.`, `..` and empty parts out of a path, in place.  `..` drops the part before it: a
 * symbolic link may have led elsewhere, but the disk on which that was so is not at hand, and one
 * file under two spellings (gcc's and clang's of a header, say) would be two files in every report.
 */
void path_resolve_dots(char *path);

#endif
