/* The folder that a client may look into. */
#ifndef AGENT_ROOT_H
#define AGENT_ROOT_H

#include <stdbool.h>

#include "heaptap/status.h"

/* The real path of the file that a client names, from the root on or in full: malloc'ed.  NULL with a sentence where it is
 * not there, or leads out of the root. */
char *root_file(const char *root, const char *name, struct heaptap_error *error);

/* The path of a new file of that name right in the root: malloc'ed.  NULL with a sentence where the name is more than a
 * name, or taken. */
char *root_new_file(const char *root, const char *name, struct heaptap_error *error);

/* Removes a recording right in the root that has no end, and those of the processes that its program started: NAME.ctf, NAME.PID.ctf,
 * NAME.PID-2.ctf. */
void root_remove_recording(const char *root, const char *name);

#endif
