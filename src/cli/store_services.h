/* The services of a store, read for the commands that show them. */
#ifndef CLI_STORE_SERVICES_H
#define CLI_STORE_SERVICES_H

#include "fleet/services.h"

/* Fills `services`, whose options, label, through and steps are set, from the store of question->path.  Returns an exit status, after
 * a message for a failure.  Release the services in any case. */
int store_services_read(struct services *services, const struct question *question);

#endif
