#include "tap/record/state.h"

#include <unistd.h>

#include "tap/inside/confined.h"

struct recorder recorder;
__thread struct record_self record_self;

bool recorder_is_owner(void)
{
    return confined_on() || getpid() == recorder.pid;
}

uint64_t recorder_drops(void)
{
    struct heaptap_engine_counts counts;
    heaptap_engine_read_counts(&recorder.engine, &counts);
    return counts.dropped_samples + __atomic_load_n(&recorder.dropped, __ATOMIC_RELAXED);
}
