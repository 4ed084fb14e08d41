/* The file of a report: its sections, each mapped as far as it is used. */
#ifndef TAP_GUEST_REPORT_FILE_H
#define TAP_GUEST_REPORT_FILE_H

#include "tap/guest/report.h"

/* Makes the file of heap `number` of this process in `directory`, or where that is "" none but the memory, with the header's sizes and the records 0, and puts
 * what is mapped into `report`, which is zeros.  0 or an errno; then report_file_close is called, too. */
int report_file_create(struct report *report, const char *directory, uint32_t number);

void report_file_close(struct report *report);

/* The number of the first of `count` new records, zeros; 0 where there is no room. */
uint32_t report_file_add(struct report *report, int section, uint32_t count);

/* Gives a new report the records of a section of another.  False where there is no room. */
bool report_file_copy(struct report *to, const struct report *from, int section);

#endif
