/* The end of a recording, by the process or before it, and what is written to say so. */
#include "tap/record/recorder.h"

#include <errno.h>
#include <string.h>

#include "spec/trace_format.h"
#include "tap/engine/state.h"
#include "tap/gather/keep.h"
#include "tap/inside/clock.h"
#include "tap/inside/confined.h"
#include "tap/inside/environment.h"
#include "tap/inside/kernel.h"
#include "tap/inside/own_resident.h"
#include "tap/inside/say.h"
#include "tap/inside/text.h"
#include "tap/record/event.h"
#include "tap/record/profile.h"
#include "tap/record/real.h"
#include "tap/record/recorder_parts.h"
#include "tap/record/shadow.h"
#include "tap/record/stream.h"
#include "tap/trace/stop_room.h"

/* A signal handler that allocates would find the stream half written: signals are held. */
static void write_last(const struct heaptap_metadata *record, int64_t now_us)
{
    struct kernel_signals signals;
    bool lent;
    kernel_hold_signals(&signals);
    struct stream *stream = event_enter(&lent);
    if (stream) {
        heaptap_domain_metadata(stream->domain, record, 1);
        event_leave(stream, lent, now_us);
    }
    kernel_release_signals(&signals);
}

static void write_drops(void)
{
    struct heaptap_metadata drops = {
        .kind = HEAPTAP_DROPS, .name = "no memory", .number = recorder_drops()};
    if (!recorder.profile && drops.number) /* a profile tells them itself */
        write_last(&drops, clock_now());
}

/* When the process ended, which may be long after its last event: what it held is free from then on. */
static void write_ended(void)
{
    int64_t now_us = clock_now();
    char text[OWN_RESIDENT_TEXT_BYTES];
    struct heaptap_metadata ended = {
        .kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)(now_us - recorder.start_us)};
    if (recorder.profile || confined_on() || streams_interrupted())
        return;
    const struct heaptap_metadata own = own_resident_property(RECORDER_RESIDENT_PROPERTY, text);
    const struct heaptap_metadata end = metadata_stop_mark(STOP_END);
    write_last(&own, now_us);
    write_last(&ended, now_us);
    if (recorder.output.is_stream) /* where the beginning has announced it */
        write_last(&end, now_us);
}

/* Says in the file why the recording ended, now; with NULL, that it has not. */
static void put_reason(const char *reason)
{
    int64_t time_us = reason ? clock_now() - recorder.start_us : -1;
    if (recorder.profile)
        profile_stop(reason);
    output_put_stop(&recorder.output, time_us, reason ? reason : STOP_ROOM);
}

/* The file in which it all lies however the process ends; NULL for none. */
static struct growing_file *file_in_place(void)
{
    if (recorder.profile)
        return keep_file(recorder.profile);
    return output_is_in_place(&recorder.output) ? &recorder.output.file : NULL;
}

/* In place it goes on in memory; the trace has no need of a last word then. */
static bool confine_in_place(void)
{
    enum { EXACT_BYTES = 32 << 20, SAMPLED_BYTES = 2 << 20 };
    struct growing_file *file = file_in_place();
    if (!file || !clock_needs_no_kernel())
        return false;
    if (recorder.profile)
        profile_save(true); /* what is gathered from now on, heaptap saves */
    return streams_confine(file, recorder.exact ? EXACT_BYTES : SAMPLED_BYTES);
}

bool recorder_confine_begin(void)
{
    if (recorder_phase() != RECORDER_ON || !recorder_is_owner() || confined_on())
        return false;
    if (confine_in_place())
        return true;
    put_reason("the program restricted its own system calls");
    write_drops();
    streams_flush(STREAMS_CLOSE);
    return true;
}

/* What can't go on in memory has ended: its streams stay closed. */
void recorder_confine_end(bool begun, bool confined)
{
    int saved_errno = errno;
    if (confined && (begun || recorder_phase() != RECORDER_ON))
        environment_unfollow();
    if (begun && confined_on()) {
        if (!confined)
            streams_unconfine(file_in_place());
    } else if (begun && confined) {
        recorder_set_phase(RECORDER_OFF);
    } else if (begun) {
        streams_reopen();
        put_reason(NULL);
    }
    errno = saved_errno;
}

static void flush(enum streams_then then)
{
    if (recorder_phase() == RECORDER_ON && !output_is_in_place(&recorder.output) &&
        recorder_is_owner())
        streams_flush(then);
}

void recorder_flush(void)
{
    flush(STREAMS_GO_ON);
}

void recorder_flush_forking(void)
{
    flush(STREAMS_FORK);
}

void recorder_end_soon(void)
{
    if (recorder_phase() != RECORDER_ON || !recorder_is_owner())
        return;
    write_drops();
    write_ended();
    streams_flush(STREAMS_EACH_EVENT);
}

void recorder_leave(void)
{
    if (recorder_phase() == RECORDER_ON && recorder_is_owner())
        write_ended();
    recorder_flush();
}

void recorder_end(void)
{
    if (recorder_phase() != RECORDER_ON || !recorder_is_owner())
        return;
    write_ended();
    streams_flush(STREAMS_END);
}

void recorder_stop_engine(void)
{
    if (!heaptap_engine_started(&recorder.engine))
        return;
    enum heaptap_status ignored = heaptap_engine_stop(&recorder.engine, &record_self.engine, NULL);
    (void)ignored;
}

static const char *why_stopped(void)
{
    if (atomic_load(&recorder.output.full))
        return "the size limit was reached";
    if (recorder.gave_way)
        return "the program needed the memory that recording took";
    if (atomic_load(&recorder.output.failed) && confined_on())
        return "no room kept for after system calls were restricted";
    if (atomic_load(&recorder.output.failed))
        return say_errno(recorder.output.failure);
    return "the time limit was reached";
}

void recorder_stop(void)
{
    uint32_t on = RECORDER_ON;
    if (!__atomic_compare_exchange_n(&recorder.phase, &on, RECORDER_OFF, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return;
    const char *reason = why_stopped();
    int64_t time_us = clock_now() - recorder.start_us;
    write_drops();
    if (recorder.profile)
        profile_stop(reason);
    streams_flush(STREAMS_CLOSE);
    output_put_stop(&recorder.output, time_us, reason);
    recorder.exact = false;
    recorder_stop_engine();
    if (atomic_load(&recorder.output.full) || recorder.gave_way)
        say(recorder.settings.every_us ? "intervals" : recorder.output.name, ": ", reason,
            "; the recording ends here", NULL);
}

/* ---- Giving way ----------------------------------------------------------------- */

bool recorder_is_on(void)
{
    return recorder_phase() == RECORDER_ON;
}

/* Where that can't be told, it isn't. */
static bool is_only_thread(void)
{
    enum { LINKS = 3 }; /* of a folder with one in it */
    struct stat status;
    return kernel_stat("/proc/self/task", &status) == 0 && status.st_nlink == LINKS;
}

static bool is_at_rest(void)
{
    return record_self.inside == RECORD_OUTSIDE && !record_self.moving && !record_self.starting &&
           !streams_interrupted() && !engine_is_inside(&record_self.engine);
}

static void give_back(void)
{
    shadow_end();
    streams_release();
    record_self.stream = NULL;
    heaptap_engine_release(&recorder.engine);
    record_self.engine = (struct heaptap_thread){.countdown = UINT64_MAX};
    record_self.quick = NULL;
    real_arena_tell();
    growing_file_close(&recorder.output.file);
    heaptap_pprof_free(recorder.profile); /* what is kept stays in its file */
    recorder.profile = NULL;
}

bool recorder_give_way(void)
{
    struct kernel_signals signals;
    if (!recorder_is_on() || !recorder_is_owner() || confined_on() || !is_at_rest() ||
        !is_only_thread())
        return false;
    kernel_hold_signals(&signals);
    recorder.gave_way = true;
    recorder_stop();
    give_back();
    kernel_release_signals(&signals);
    return true;
}
