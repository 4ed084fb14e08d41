/* A model (profile/model.h) of a pprof profile. */
#ifndef IMPORT_PPROF_MODEL_H
#define IMPORT_PPROF_MODEL_H

#include "import/pprof.h"
#include "profile/model.h"

/* The model keeps nothing of `pprof`.  NULL when there is no memory. */
struct model *pprof_model(const struct pprof *pprof);

#endif
