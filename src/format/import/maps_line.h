/* Lines of /proc/PID/maps, which text profiles have at their end. */
#ifndef FORMAT_IMPORT_MAPS_LINE_H
#define FORMAT_IMPORT_MAPS_LINE_H

#include "profile/list/profile_builder.h"

/* Adds the executable segment of a line to a profile.  Others, and lines that are none, are left alone.
 * False when there is no memory. */
bool maps_line_add(struct profile_builder *builder, char *line);

#endif
