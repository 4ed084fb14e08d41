/* What the forms for findings share: places in the source as the tools that read them want them. */
#ifndef ANSWER_FINDINGS_H
#define ANSWER_FINDINGS_H

#include "answer/answer.h"

/* A file as it is called from the working folder: what is below that begins without it.  Points into `file`. */
const char *findings_path(const char *file);

/* The first of a finding's spots whose file is known; NULL for none. */
const struct answer_spot *findings_spot(const struct answer_finding *finding);

#endif
