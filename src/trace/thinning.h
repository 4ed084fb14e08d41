/* Traces whose rate was halved while they were written (docs/trace-format.md, section 8.1): their blocks
 * as the last rate has them. */
#ifndef TRACE_THINNING_H
#define TRACE_THINNING_H

#include "base/id_table.h"
#include "heaptap/trace.h"

struct thinning {
    unsigned halvings; /* 0: nothing is to be left out */
    uint64_t salt;
    struct id_table dropped; /* blocks that are left out and whose end has not come */
};

/* The trace's rate is a power of one half; nothing is done where it is not. */
void thinning_begin(struct thinning *thinning, const struct heaptap_trace_info *info);
void thinning_release(struct thinning *thinning);

static inline bool thinning_is_on(const struct thinning *thinning)
{
    return __builtin_expect(thinning->halvings > 0, 0);
}

/* Gives an allocation the samples that are left of it; `*is_left`: the event is not to be left out.
 * False when there is no memory. */
bool thinning_apply(struct thinning *thinning, struct heaptap_event *event, bool *is_left);

#endif
