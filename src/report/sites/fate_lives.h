/* The lives of each site's blocks, which verdicts rest on (report/sites/fates.h). */
#ifndef REPORT_SITES_FATE_LIVES_H
#define REPORT_SITES_FATE_LIVES_H

#include "profile/lives.h"
#include "report/sites/fates.h"

/* Does a collector find the dead?  Of a guest language; of OCaml, the trace says what a collection has looked at. */
bool fate_has_collector(const struct model *model);

/* Adds them, in bytes, by site, and fills `fates->outliving`.  False when there is no memory. */
bool fate_lives_gather(struct lives *lives, struct fates *fates, const struct matcher *matcher);

#endif
