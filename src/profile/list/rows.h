/* The samples that a file lists become rows of a model (profile/model.h). */
#ifndef PROFILE_LIST_ROWS_H
#define PROFILE_LIST_ROWS_H

#include "profile/profile_file.h"

/* Frames that say the same become one, stacks lose what the file says is to be dropped, and the list is freed.  False when there is no
 * memory; the model is then only fit to be freed. */
bool profile_to_rows(struct model *model);

#endif
