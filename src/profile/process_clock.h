/* Times of a process by its own run, where several are read as one (heaptap_readers_join): from its beginning to its end, drawn out over the
 * whole run.  So what grows in it until it ends does so in the last step of a run (profile/lives.h), whenever it began. */
#ifndef PROFILE_PROCESS_CLOCK_H
#define PROFILE_PROCESS_CLOCK_H

#include "profile/model.h"

struct process_clock {
    int64_t begin_us; /* of the process, since the run's start */
    double run_us;    /* that it ran, 1 at least */
    double factor;    /* of its microseconds to the run's */
};

/* By a domain of the process.  Of a single process, the run's own clock. */
static inline struct process_clock process_clock_of(const struct model *model, uint32_t domain)
{
    struct process_clock clock = {0, model->end_us > 0 ? (double)model->end_us : 1, 1};
    size_t first = 0, count = model->process_count; /* asked for each row: a search by halves */
    while (count > 1) {
        size_t half = count / 2;
        bool is_behind = model->processes[first + half].first_domain <= domain;
        first += is_behind ? half : 0;
        count = is_behind ? count - half : half;
    }
    if (count == 0)
        return clock;
    const struct model_process *process = &model->processes[first];
    int64_t end_us = process->end_us < model->end_us ? process->end_us : model->end_us;
    int64_t run_us = end_us - process->begin_us;
    clock.begin_us = process->begin_us;
    clock.run_us = run_us > 0 ? (double)run_us : 1;
    clock.factor = (double)model->end_us / clock.run_us;
    return clock;
}

/* MODEL_NEVER stays. */
static inline int64_t process_clock_time(const struct process_clock *clock, int64_t time_us)
{
    if (time_us == MODEL_NEVER || (clock->begin_us == 0 && clock->factor == 1))
        return time_us;
    return (int64_t)((double)(time_us - clock->begin_us) * clock->factor);
}

#endif
