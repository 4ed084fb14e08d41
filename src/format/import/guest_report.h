/* The report that a watched heap leaves (spec/guest_report.h), read into a profile. */
#ifndef FORMAT_IMPORT_GUEST_REPORT_H
#define FORMAT_IMPORT_GUEST_REPORT_H

#include "heaptap/status.h"
#include "profile/guest_profile.h"

/* Of a report: enough to sort them by. */
struct guest_report_identity {
    uint64_t pid;
    uint32_t heap;
    int64_t start_us;
    char executable[1024];
};

/* Has the program begun to write the report?  Not yet where it is just being made, or the program ended then. */
bool guest_report_has_begun(const char *path);

enum heaptap_status guest_report_identify(const char *path, struct guest_report_identity *identity,
                                          struct heaptap_error *error);

/* Adds a heap to an initialised profile of its process.  The heap may still be in use: what it
 * writes meanwhile may or may not be seen.  HEAPTAP_BAD_INPUT where the file is not a report, or
 * contradicts itself. */
enum heaptap_status guest_report_read(struct guest_profile *profile, const char *path,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
