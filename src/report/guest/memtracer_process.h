/* What JSON has of each process besides its rows: the tables of it. */
#ifndef REPORT_GUEST_MEMTRACER_PROCESS_H
#define REPORT_GUEST_MEMTRACER_PROCESS_H

#include "report/guest/memtracer.h"

/* A process, and its rows put together: a row of the first two tables. */
struct memtracer_told {
    const struct guest_profile *profile;
    const struct memtracer_question *question;
    struct guest_table table;
};

/* Rows of the others are a struct guest_heap, and a pointer to a sentence. */
extern const struct answer_table memtracer_processes, memtracer_accounting, memtracer_heaps,
    memtracer_notes;

/* Samples a byte; below 1 the figures are estimates. */
static inline double memtracer_rate(const struct guest_profile *profile)
{
    return profile->heap_count > 0 ? profile->heaps[0].rate : 1;
}

static inline bool memtracer_is_sampled(const struct guest_profile *profile)
{
    return memtracer_rate(profile) < 1;
}

#endif
