/* The model of whatever file it is, told by its first bytes. */
#ifndef LIBRARY_OPEN_MODEL_H
#define LIBRARY_OPEN_MODEL_H

#include "profile/model.h"

/* Takes over `fd`.  On HEAPTAP_BAD_INPUT `*model` may have what stands before the damage; on any
 * other failure it is NULL. */
enum heaptap_status open_model(struct model **model, int fd,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
