/* The rows of the report `services`, made of a store's profiles. */
#ifndef FLEET_SERVICES_H
#define FLEET_SERVICES_H

#include "report/change/services.h"
#include "store/store.h"

/* Fills `services`, whose options, store, label and through are set, with a row for each value of the label.  Release it in any
 * case. */
enum heaptap_status fleet_services_read(struct services *services, struct store *store,
                                        const struct store_selector *selector,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void fleet_services_release(struct services *services);

#endif
