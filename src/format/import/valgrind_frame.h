/* A frame as valgrind's tools write it: "0x109150: main (t.c:5)", "0x4846828: malloc (in /usr/libexec/...)". */
#ifndef FORMAT_IMPORT_VALGRIND_FRAME_H
#define FORMAT_IMPORT_VALGRIND_FRAME_H

#include "profile/list/profile_builder.h"

/* Gives a location, which has no lines yet, the address, function, file and line of `text`, which is cut into pieces.  False
 * when there is no memory. */
bool valgrind_frame_add(struct profile_builder *builder, uint32_t location, char *text);

#endif
