/* What a pprof profile holds, for people and as JSON. */
#ifndef CLI_PPROF_INFO_H
#define CLI_PPROF_INFO_H

#include "pprof/read/profile.h"

struct pprof_info {
    const struct pprof *pprof;
    const char *name;        /* of the file, as it is to be shown */
    uint64_t stored_bytes;   /* of the file */
    const char *compression; /* "none", "gzip" or "zstd" */
    const char *filter;      /* "" for none */
    const double *filtered;  /* with a filter: what it leaves of each type's total */
    size_t rows;             /* with a filter: how many samples pass, those of one stack and set of
                                labels being one */
};

/* Print on standard output. */
void pprof_info_print_text(const struct pprof_info *info);
void pprof_info_print_json(const struct pprof_info *info);

#endif
