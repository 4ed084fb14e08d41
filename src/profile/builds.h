/* Places that have no name are called by their file, `prog+0x1163`.  Where a recording has several builds of a file, as when
 * it was renewed meanwhile or several recordings are read as one, that is another place in each. */
#ifndef PROFILE_BUILDS_H
#define PROFILE_BUILDS_H

#include "profile/model.h"

/* Tells them apart, once all frames are there: `prog+0x1163 (build 1a2b3c4d)`.  False when there is no memory. */
bool builds_tell_apart(struct model *model);

#endif
