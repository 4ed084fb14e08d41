#include "tap/record/thread_layout.h"

#include <dlfcn.h>

/* How glibc tells of a field. */
struct told {
    uint32_t bits, count, offset;
};

/* 0 where the field isn't told, or isn't one of `bits`. */
static uint32_t offset_of(const char *name, uint32_t bits)
{
    const struct told *told = dlsym(RTLD_DEFAULT, name);
    return told && told->bits == bits && told->count == 1 ? told->offset : 0;
}

/* Of the fields that aren't told, each is next to one that is: `struct pthread *joinid; void *result; struct sched_param schedparam;`
 * and `bool report_events; bool user_stack;`. */
struct thread_layout thread_layout_find(void)
{
    struct thread_layout layout = {.id = offset_of("_thread_db_pthread_tid", 32)};
    uint32_t events = layout.id ? offset_of("_thread_db_pthread_report_events", 8) : 0;
    uint32_t priority = events ? offset_of("_thread_db_pthread_schedparam_sched_priority", 32) : 0;
    if (!priority)
        return (struct thread_layout){0};
    layout.is_given = events + 1;
    layout.result = priority - sizeof(void *);
    layout.joiner = layout.result - sizeof(void *);
    return layout;
}
