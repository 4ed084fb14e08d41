/* A pprof profile instead of a trace: what the callbacks tell is summed up by call stack, and
 * written when tracing ends; and now and then before.  Or a profile of each interval, in a file of
 * its own: NAME.1.pb.gz, NAME.2.pb.gz, ...
 *
 * A program that is killed never comes to its end.  So the sums lie in a hidden file, .NAME.pb.gz.sums,
 * from which any command of heaptap that opens the profile, or one of the intervals, saves the rest. */
#include "tap.h"

#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/unixsupport.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap/gather/keep.h"
#include "tap/gather/kept.h"

static struct {
    char *path;         /* absolute */
    char *kept;         /* the file of the sums; NULL: they are in memory alone */
    int kept_fd;        /* locked; -1: none */
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
    keep_count_anew(session.profile);
    if (name && code == 0)
        unlink(name);
    free(name);
    return code;
}

/* ---- The sums ----------------------------------------------------------------------- */

/* ".NAME.sums" beside a file; malloc'ed.  NULL where the profile isn't one: a pipe, a device. */
static char *kept_name(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t room = strlen(path) + sizeof "." KEPT_ENDING;
    char *kept = stat(path, &status) == 0 && !S_ISREG(status.st_mode) ? NULL : malloc(room);
    if (kept)
        snprintf(kept, room, "%.*s.%s" KEPT_ENDING, (int)(name - path), path, name);
    return kept;
}

/* Locked for as long as this process lives, or no descriptor of it is closed; -1: another has it. */
static int lock(const char *kept)
{
    int fd = open(kept, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && lockf(fd, F_TLOCK, 0) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Another process of the same name keeps its own. */
static bool is_taken(const char *kept)
{
    int fd = lock(kept);
    bool is_there = access(kept, F_OK) == 0;
    if (fd >= 0)
        close(fd);
    return is_there && fd < 0;
}

static void choose_kept(void)
{
    destination.kept_fd = -1;
    destination.kept = kept_name(destination.path);
    if (destination.kept && is_taken(destination.kept)) {
        free(destination.kept);
        destination.kept = NULL;
    }
}

static void own_kept(void)
{
    if (!heaptap_pprof_is_kept(session.profile))
        return;
    destination.kept_fd = lock(destination.kept);
    if (destination.kept_fd >= 0)
        keep_is_locked(session.profile, destination.kept_fd);
}

/* `is_saved`: the file has done its duty. */
static void release_kept(bool is_saved)
{
    if (is_saved && getpid() == destination.owner && session.profile &&
        heaptap_pprof_is_kept(session.profile))
        unlink(destination.kept);
    if (destination.kept_fd >= 0)
        close(destination.kept_fd);
    free(destination.kept);
    destination.kept_fd = -1;
    destination.kept = NULL;
}

void profile_leave_to_parent(void)
{
    keep_leave_to_parent(session.profile);
}

/* ---- Saving ------------------------------------------------------------------------- */

/* By whichever domain comes first.  That it failed is told at the end, when it fails again. */
void profile_save_sometimes(int64_t now_us)
{
    int64_t due_us = atomic_load_explicit(&next_save_us, memory_order_relaxed);
    heaptap_pprof_alive(session.profile, now_us);
    if (now_us < due_us || !atomic_compare_exchange_strong(&next_save_us, &due_us, INT64_MAX))
        return;
    int64_t begin_us = clock_now();
    (void)!save();
    int64_t end_us = clock_now(), pause_us = SAVE_SHARE * (end_us - begin_us);
    int64_t usual_us = destination.every_us ? destination.every_us : SAVE_INTERVAL_US;
    int64_t from_us = destination.every_us ? begin_us : end_us;
    atomic_store(&next_save_us, from_us + (pause_us > usual_us ? pause_us : usual_us));
}

static void forget(bool is_saved)
{
    release_kept(is_saved);
    heaptap_pprof_free(session.profile);
    free(destination.path);
    session.profile = NULL;
    destination.path = NULL;
}

/* An absolute path, as the program may go to another folder; malloc'ed. */
static char *absolute(const char *path)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
    char *whole = folder ? malloc(strlen(folder) + strlen(path) + 2) : strdup(path);
    if (folder && whole)
        sprintf(whole, "%s/%s", folder, path);
    free(folder);
    return whole;
}

/* start path info rate every: prepares a session that gathers a profile, or, unless `every` is 0, one
 * each so many seconds, and returns its number. */
value heaptap_ocaml_profile_start(value path, value info, value rate, value every)
{
    struct heaptap_error error;
    struct heaptap_pprof_options options = {.describe = describe_code,
                                            .intervals = Double_val(every) > 0};
    struct heaptap_trace_info described = trace_info_val(info, 3);
    session.profile = NULL;
    destination.path = absolute(String_val(path));
    if (!destination.path)
        caml_raise_out_of_memory();
    choose_kept();
    options.keep = destination.kept;
    destination.owner = getpid();
    destination.every_us = (int64_t)(Double_val(every) * 1e6);
    destination.intervals = 0;
    if (heaptap_pprof_new(&session.profile, &described, &options, &error) != HEAPTAP_OK) {
        forget(true);
        caml_raise_out_of_memory();
    }
    own_kept();
    int code = try_to_save();
    if (code) {
        forget(true);
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
    forget(code == 0);
    return Val_int(code == ECHILD ? 0 : code);
}
