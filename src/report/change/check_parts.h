/* What the files of report/change/check.h share. */
#ifndef REPORT_CHANGE_CHECK_PARTS_H
#define REPORT_CHANGE_CHECK_PARTS_H

#include "report/change/check.h"

/* A figure of the measure, in `text` of UNITS_TEXT_BYTES. */
const char *check_amount(char *text, enum budget_measure measure, double value);

/* How many sites there is something to say of. */
size_t check_telling_sites(const struct outcome *outcome);

/* Puts it as a finding, whose sentence is `line`, which ends with a newline. */
void check_find(struct answer *answer, const struct outcome *outcome, struct text *line);

#endif
