/* Leaving out of a profile what no sample refers to. */
#ifndef PROFILE_LIST_UNUSED_H
#define PROFILE_LIST_UNUSED_H

#include "profile/profile_file.h"

/* Removes the locations that are in no stack; frames are numbered anew.  False when there is no
 * memory. */
bool profile_drop_unused(struct model *model);

#endif
