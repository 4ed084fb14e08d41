/* A model that doesn't say where it comes from, to be shown to strangers. */
#ifndef PROFILE_ANONYMOUS_H
#define PROFILE_ANONYMOUS_H

#include "profile/model.h"

/* Takes out the host, the numbers of processes and threads, what the recorder was told (context) and the runtime's parameters.  Absolute
 * paths become relative: to the folder that all of them share, or to a home folder; those of the system's own folders stay, as they are the same
 * on other machines.  To be called before anything is selected.  False when there is no memory. */
bool model_make_anonymous(struct model *model) HEAPTAP_MUST_CHECK;

#endif
