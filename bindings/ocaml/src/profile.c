/* A pprof profile instead of a trace: what the callbacks tell is summed up by call stack, and
 * written when tracing ends; and now and then before, as a program that is killed never comes to
 * its end. */
#include "tap.h"

#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/unixsupport.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char *path;
    pid_t owner; /* forks leave the file alone */
} destination;

/* The first save, how far the others are apart, and how much of the time they may take at most. */
enum { SAVE_FIRST_US = 1000000, SAVE_INTERVAL_US = 10000000, SAVE_SHARE = 100 };

static _Atomic int64_t next_save_us; /* INT64_MAX while one is being written */

static int save(void)
{
    if (getpid() != destination.owner)
        return ECHILD;
    return heaptap_pprof_save(session.profile, clock_now(), destination.path);
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
    atomic_store(&next_save_us,
                 end_us + (pause_us > SAVE_INTERVAL_US ? pause_us : SAVE_INTERVAL_US));
}

static void forget(void)
{
    heaptap_pprof_free(session.profile);
    free(destination.path);
    session.profile = NULL;
    destination.path = NULL;
}

/* start path info rate: prepares a session that gathers a profile, and returns its number.  A
 * first, empty one is written, so that a path that can't be written to is told now. */
value heaptap_ocaml_profile_start(value path, value info, value rate)
{
    struct heaptap_error error;
    const struct heaptap_pprof_options options = {.describe = describe_code};
    struct heaptap_trace_info described = trace_info_val(info, 3);
    destination.path = strdup(String_val(path));
    destination.owner = getpid();
    session.profile = NULL;
    if (!destination.path ||
        heaptap_pprof_new(&session.profile, &described, &options, &error) != HEAPTAP_OK) {
        forget();
        caml_raise_out_of_memory();
    }
    int code = save();
    if (code) {
        forget();
        unix_error(code, "write", Nothing);
    }
    atomic_store(&next_save_us, described.start_us + SAVE_FIRST_US);
    return session_gather(session.profile, Double_val(rate), described.start_us);
}

/* Writes and frees the profile, after the session's end; the errno of a failure, or 0. */
value heaptap_ocaml_profile_finish(value unit)
{
    (void)unit;
    int code = save();
    forget();
    return Val_int(code == ECHILD ? 0 : code);
}
