/* A pprof profile instead of a trace: what the callbacks tell is summed up by call stack, and
 * written when tracing ends; and now and then before, as a program that is killed never comes to
 * its end.  Or a profile of each interval, in a file of its own: NAME.1.pb.gz, NAME.2.pb.gz, ... */
#include "tap.h"

#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/unixsupport.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char *path;
    pid_t owner;        /* forks leave the file alone */
    int64_t every_us;   /* of intervals; 0: one profile of the whole */
    uint64_t intervals; /* files of them */
} destination;

/* The first save, how far the others are apart, and how much of the time they may take at most. */
enum { SAVE_FIRST_US = 1000000, SAVE_INTERVAL_US = 10000000, SAVE_SHARE = 100 };

static _Atomic int64_t next_save_us; /* INT64_MAX while one is being written */

/* The name of the next interval's file; malloc'ed, NULL when there is no memory. */
static char *interval_name(void)
{
    static const char end[] = ".pb.gz";
    size_t size = strlen(destination.path) - (sizeof end - 1), room = size + 32;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s.%" PRIu64 "%s", (int)size, destination.path,
                 destination.intervals + 1, end);
    return name;
}

static int save_interval(void)
{
    char *name = interval_name();
    int code = name ? heaptap_pprof_save(session.profile, clock_now(), name) : ENOMEM;
    destination.intervals += code == 0; /* what it would have said is in the next one else */
    free(name);
    return code;
}

static int save(void)
{
    if (getpid() != destination.owner)
        return ECHILD;
    return destination.every_us
               ? save_interval()
               : heaptap_pprof_save(session.profile, clock_now(), destination.path);
}

/* An empty profile, so that a path that can't be written to is told now; that of no interval does not stay. */
static int try_to_save(void)
{
    char *name = destination.every_us ? interval_name() : NULL;
    int code = save();
    destination.intervals = 0;
    if (name && code == 0)
        unlink(name);
    free(name);
    return code;
}

/* By whichever domain comes first.  That it failed is told at the end, when it fails again. */
void profile_save_sometimes(int64_t now_us)
{
    int64_t due_us = atomic_load_explicit(&next_save_us, memory_order_relaxed);
    if (now_us < due_us || !atomic_compare_exchange_strong(&next_save_us, &due_us, INT64_MAX))
        return;
    int64_t begin_us = clock_now();
    (void)!save();
    int64_t end_us = clock_now(), pause_us = SAVE_SHARE * (end_us - begin_us);
    int64_t usual_us = destination.every_us ? destination.every_us : SAVE_INTERVAL_US;
    int64_t from_us = destination.every_us ? begin_us : end_us;
    atomic_store(&next_save_us, from_us + (pause_us > usual_us ? pause_us : usual_us));
}

static void forget(void)
{
    heaptap_pprof_free(session.profile);
    free(destination.path);
    session.profile = NULL;
    destination.path = NULL;
}

/* start path info rate every: prepares a session that gathers a profile, or, unless `every` is 0, one
 * each so many seconds, and returns its number. */
value heaptap_ocaml_profile_start(value path, value info, value rate, value every)
{
    struct heaptap_error error;
    const struct heaptap_pprof_options options = {.describe = describe_code,
                                                  .intervals = Double_val(every) > 0};
    struct heaptap_trace_info described = trace_info_val(info, 3);
    destination.path = strdup(String_val(path));
    destination.owner = getpid();
    destination.every_us = (int64_t)(Double_val(every) * 1e6);
    destination.intervals = 0;
    session.profile = NULL;
    if (!destination.path ||
        heaptap_pprof_new(&session.profile, &described, &options, &error) != HEAPTAP_OK) {
        forget();
        caml_raise_out_of_memory();
    }
    int code = try_to_save();
    if (code) {
        forget();
        unix_error(code, "write", Nothing);
    }
    atomic_store(&next_save_us, described.start_us +
                                    (destination.every_us ? destination.every_us : SAVE_FIRST_US));
    return session_gather(session.profile, Double_val(rate), described.start_us);
}

/* Writes and frees the profile, after the session's end; the errno of a failure, or 0. */
value heaptap_ocaml_profile_finish(value unit)
{
    (void)unit;
    bool is_told = destination.every_us && !heaptap_pprof_changed(session.profile);
    int code = is_told ? 0 : save();
    forget();
    return Val_int(code == ECHILD ? 0 : code);
}
