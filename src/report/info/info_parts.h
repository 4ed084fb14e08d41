/* What the two halves of the report `info` share: for programs (info.c), for people (info_facts.c). */
#ifndef REPORT_INFO_INFO_PARTS_H
#define REPORT_INFO_INFO_PARTS_H

#include "report/info/info.h"

enum { INFO_DOMAINS = 1 << 16, INFO_BUILD_ID_BYTES = 2 * HEAPTAP_BUILD_ID_MAX + 1 };

struct info_domain {
    unsigned number;
    const struct domain_summary *figures;
    const struct heaptap_metadata
        *thread; /* that the domain is, by the metadata; NULL where they don't say */
};

/* The next domain that has events, from `number` on; false when there is none. */
bool info_next_domain(const struct info *info, unsigned number, struct info_domain *domain);

/* The first record of a kind from `*at` on, which then stands after it; NULL for none. */
const struct heaptap_metadata *info_next_record(const struct info *info, size_t *at,
                                                enum heaptap_metadata_kind kind);

/* The record of the recording's end before the program's; NULL for none. */
const struct heaptap_metadata *info_stop(const struct info *info);

/* What a number of samples stands for. */
static inline double info_bytes(const struct info *info, double samples)
{
    return estimate_bytes(&info->summary->estimate, samples);
}

/* A function of a column: what it finds in a row, which is `of`. */
#define INFO_GETTER(type, name, expression)                                                        \
    ANSWER_GET(get_##name, const type *of = row, const struct info *info = context, expression)

static inline struct answer_value info_count(uint64_t number)
{
    return answer_number((double)number);
}

static inline struct answer_section info_section(const struct info *info,
                                                 const struct answer_table *table)
{
    return (struct answer_section){
        .table = table, .context = info, .sample_bytes = info_bytes(info, 1)};
}

/* 95 % bounds of the peak. */
struct estimate_range info_peak_range(const struct info *info);

/* info_facts.c: all that people read but for tables. */
void info_say(struct answer *answer, const struct info *info);

/* info_metadata.c: domains and what the trace says besides its events. */
void info_put_domains(struct answer *answer, const struct info *info);
void info_put_metadata(struct answer *answer, const struct info *info);
extern const struct answer_table info_domains_table, info_processes_table, info_properties_table,
    info_modules_table, info_threads_table, info_types_table, info_drops_table, info_stops_table;

/* info_figures.c: the figures as one table. */
void info_put_figures(struct answer *answer, const struct info *info);
extern const struct answer_table info_figures_table;

#endif
