/* The report `info` of a profile: what it holds, and the sums of its values. */
#ifndef REPORT_INFO_INFO_PROFILE_H
#define REPORT_INFO_INFO_PROFILE_H

#include "answer/answer.h"
#include "profile/matcher.h"
#include "profile/profile_file.h"

/* Everything but the totals is borrowed. */
struct info_profile {
    const struct model *model;
    const struct profile_file *file; /* of the model */
    const char *name;                /* of the file, as it is to be shown */
    uint64_t stored_bytes;           /* of the file */
    const char *compression;         /* "none", "gzip" or "zstd" */
    const char *filter;              /* "" for none */
    bool is_whole;                   /* all that the program did is in it, so far as it says */
    int64_t *totals;                 /* by type, of what passes */
    size_t
        passing; /* with a filter: how many samples pass, those of one stack and set of labels being one */
};

/* Sums up the values; `matcher`, of its rows, says which samples pass, NULL for all.  False when there is no memory;
 * then there is nothing to release. */
bool info_profile_sum(struct info_profile *info, const struct matcher *matcher);
void info_profile_release(struct info_profile *info);

void info_profile_put(struct answer *answer, const struct info_profile *info);

/* For info.c's list. */
extern const struct answer_table info_profile_table, info_values_table, info_samples_table,
    info_mappings_table, info_comments_table;

#endif
