#include "tap/record/event.h"

#include "tap/engine/rate.h"
#include "tap/record/gate.h"
#include "tap/record/holders_due.h"
#include "tap/record/requests.h"
#include "tap/record/state.h"
#include "tap/trace/writer.h"

struct stream *event_enter(bool *lent)
{
    struct stream *stream = record_self.stream;
    *lent = false;
    if (__builtin_expect(!gate_is_there(), 0))
        return NULL;
    if (__builtin_expect(!stream, 0)) {
        if (streams_closed())
            return NULL; /* no system call may be made any more */
        stream = stream_take();
        *lent = record_self.retired;
        if (!*lent)
            record_self.stream = stream;
    }
    return stream && stream_enter(stream) ? stream : NULL;
}

void event_leave(struct stream *stream, bool lent, int64_t now_us)
{
    const struct settings *settings = &recorder.settings;
    if (__builtin_expect(holders_due_is_asked(), 0)) {
        holders_due_look(now_us);
        stream->deadline_us = now_us + HOLDERS_LOOK_US;
    }
    stream_leave(stream, now_us);
    if (lent)
        stream_give_back(stream);
    if (settings->duration_us && (uint64_t)(now_us - recorder.start_us) >= settings->duration_us)
        requests_add(REQUEST_STOP);
    if (settings->max_bytes && atomic_load_explicit(&recorder.output.full, memory_order_relaxed))
        requests_add(REQUEST_STOP);
}

bool event_alloc(uint64_t size, uint64_t samples, const struct unwind_start *start, uint64_t *id)
{
    bool lent;
    struct stream *stream = event_enter(&lent);
    if (!stream) {
        __atomic_fetch_add(&recorder.dropped, samples, __ATOMIC_RELAXED);
        return false;
    }
    if (budget_is_on(&recorder.budget))
        stream_set_halvings(stream, engine_halvings(&record_self.engine));
    int64_t now_us = clock_thread_now(&stream->clock);
    *id = stream_alloc(stream, now_us, size, samples, start);
    event_leave(stream, lent, now_us);
    return true;
}

void event_end(uint64_t id)
{
    bool lent;
    struct stream *stream = event_enter(&lent);
    if (!stream)
        return;
    int64_t now_us = clock_thread_now(&stream->clock);
    if (__builtin_expect(recorder.profile != NULL, 0))
        heaptap_pprof_collect(recorder.profile, now_us, id);
    else
        heaptap_domain_collect(stream->domain, now_us, id);
    event_leave(stream, lent, now_us);
}
