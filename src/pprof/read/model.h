/* A model (profile/model.h) of a pprof profile. */
#ifndef PPROF_READ_MODEL_H
#define PPROF_READ_MODEL_H

#include "pprof/read/profile.h"
#include "profile/model.h"

/* The model keeps nothing of `pprof`.  NULL when there is no memory. */
struct model *pprof_model(const struct pprof *pprof);

#endif
