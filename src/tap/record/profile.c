#include "tap/record/profile.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tap/inside/clock.h"
#include "tap/inside/environment.h"
#include "tap/inside/kernel.h"
#include "tap/inside/notes.h"
#include "tap/inside/say.h"
#include "tap/inside/text.h"
#include "tap/gather/halve.h"
#include "tap/gather/keep.h"
#include "tap/gather/kept.h"
#include "tap/native/modules.h"
#include "tap/record/state.h"

enum { SAVE_INTERVAL_US = 10000000, SAVE_SHARE = 100, PATIENCE_US = 500000, KEPT = 8 };

static atomic_flag saving;
static _Atomic int64_t next_save_us,
    soonest_us; /* when it is to be saved again, and when it may be */
static uint64_t drops_told;
static uint64_t intervals; /* files of them */
static bool forked_once;   /* atomic */
static bool is_beside;     /* what is kept */

/* The reason that a profile has for its end as long as what follows it is in memory alone. */
static const char unsaved[] = "what came then was in the process's memory alone";
static bool is_unsaved; /* that reason is given */

bool profile_is_asked(const char *name)
{
    size_t size = strlen(name);
    return (size > 3 && strcmp(name + size - 3, ".pb") == 0) ||
           (size > 6 && strcmp(name + size - 6, ".pb.gz") == 0);
}

static uint32_t locate(void *context, uint64_t code, uint64_t *address)
{
    return modules_locate(recorder.profile, code, address, clock_now());
}

static int64_t interval_us(void)
{
    uint64_t every_us = recorder.settings.every_us;
    return every_us ? (int64_t)every_us : SAVE_INTERVAL_US;
}

/* ".NAME" and `ending` beside the output, or in heaptap's folder. */
static bool kept_name(char name[PATH_MAX], const char *ending)
{
    const char *path = recorder.output.name, *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash + 1 - path) : 0;
    struct text text;
    text_init(&text, name, PATH_MAX);
    if (is_beside) {
        text_add_bytes(&text, path, size);
    } else {
        text_add(&text, recorder.settings.keep);
        text_add(&text, "/");
    }
    text_add(&text, ".");
    text_add(&text, path + size);
    text_add(&text, ending);
    return !text.cut;
}

/* So that whoever finds what is kept knows for which profile.  0 or an errno. */
static int link_kept(void)
{
    char name[PATH_MAX];
    if (is_beside)
        return 0;
    if (!kept_name(name, KEPT_LINK_ENDING))
        return ENAMETOOLONG;
    kernel_unlink(name);
    return kernel_errno(
        kernel_call(SYS_symlinkat, (long)recorder.output.name, AT_FDCWD, (long)name, 0, 0, 0));
}

/* Makes recorder.profile; it is NULL then if there is no memory.  Returns why it is not kept, where that is asked for: an errno;
 * else 0. */
static int make(const struct heaptap_trace_info *info, bool beside)
{
    char name[PATH_MAX];
    bool is_asked = recorder.settings.keep;
    is_beside = beside;
    bool has_name = is_asked && kept_name(name, KEPT_ENDING);
    struct heaptap_pprof_options options = {.locate = locate,
                                            .max_frames = recorder.settings.callstack_size + 1,
                                            .intervals = recorder.settings.every_us > 0,
                                            .keep = has_name ? name : NULL};
    heaptap_pprof_free(recorder.profile); /* of the process that this one is a fork of, too */
    if (heaptap_pprof_new(&recorder.profile, info, &options, NULL) != HEAPTAP_OK)
        return 0;
    if (!has_name)
        return is_asked ? ENAMETOOLONG : 0;
    int code = keep_failure(recorder.profile);
    return code ? code : link_kept();
}

static void tell_unkept(int code, int code_beside)
{
    static const char lost[] =
        "; if a signal ends the process, what was recorded since its profile was last written is lost";
    const char *name = recorder.settings.every_us > 0 ? "intervals" : recorder.output.name;
    if (code)
        say(recorder.settings.keep, ": ", say_errno(code), "; ", name, ": ", say_errno(code_beside),
            lost, NULL);
    else
        say(name, ": ", say_errno(code_beside), lost, NULL);
}

/* In heaptap's folder; where that has no room, beside the profile; else in memory alone, which is said. */
static void make_kept(const struct heaptap_trace_info *info)
{
    const char *keep = recorder.settings.keep;
    bool beside = !keep || strcmp(keep, SETTING_KEEP_BESIDE) == 0;
    int code = beside ? 0 : make(info, false);
    if (code)
        profile_remove();
    int code_beside = beside || code ? make(info, true) : 0;
    is_unsaved = code_beside && recorder.profile && !recorder.settings.every_us;
    if (is_unsaved)
        heaptap_pprof_stop(recorder.profile, unsaved);
    if (code_beside)
        tell_unkept(code, code_beside);
}

bool profile_begin(const struct heaptap_trace_info *info)
{
    make_kept(info);
    atomic_flag_clear(&saving);
    atomic_store(&next_save_us, info->start_us + interval_us());
    drops_told = intervals = 0;
    __atomic_store_n(&forked_once, false, __ATOMIC_RELAXED);
    if (!recorder.profile)
        return false;
    keep_recording(recorder.profile, notes_listener());
    if (budget_is_on(&recorder.budget))
        pprof_will_renew(recorder.profile);
    return true;
}

void profile_remove(void)
{
    char name[PATH_MAX];
    if (!recorder.profile || !heaptap_pprof_is_kept(recorder.profile))
        return;
    if (kept_name(name, KEPT_ENDING))
        kernel_unlink(name);
    if (kept_name(name, KEPT_LINK_ENDING))
        kernel_unlink(name);
}

/* The name of the file of an interval; false where it is too long. */
static bool interval_name(char name[PATH_MAX], uint64_t number)
{
    struct text text;
    text_init(&text, name, PATH_MAX);
    text_add(&text, recorder.output.name);
    text_add(&text, ".");
    text_add_number(&text, number);
    return !text.cut;
}

/* With `saving` held, which guards the names, too: they would be much for a small stack.  0 or an
 * errno: what it would have said is in the next one then. */
static int save_interval(int64_t now_us)
{
    static char name[PATH_MAX], oldest[PATH_MAX];
    int code = interval_name(name, intervals + 1)
                   ? heaptap_pprof_save(recorder.profile, now_us, name)
                   : ENAMETOOLONG;
    if (code)
        return code;
    intervals++;
    if (budget_is_on(&recorder.budget))
        budget_saved(true);
    if (intervals > KEPT && interval_name(oldest, intervals - KEPT))
        unlink(oldest); /* which is gone already, if somebody takes them */
    return 0;
}

/* When a file is written. */
enum moment {
    MEANWHILE,
    AT_A_TURN, /* at the start, or a fork: the process goes on, perhaps, but this file is written in any case */
    AT_LAST
};

/* 0 or an errno: the last file stays then. */
static int save(enum moment moment)
{
    int code = 0;
    uint64_t drops = recorder_drops();
    int64_t begin_us = clock_now();
    bool is_interval = recorder.settings.every_us > 0;
    modules_add(recorder.profile);
    heaptap_pprof_drop(recorder.profile, drops - drops_told);
    heaptap_pprof_alive(recorder.profile, begin_us);
    drops_told = drops;
    if (!is_interval) {
        keep_goes_on(recorder.profile, moment != AT_LAST);
        code = heaptap_pprof_save(recorder.profile, begin_us, recorder.output.name);
        if (budget_is_on(&recorder.budget))
            budget_saved(false);
    } else if (moment == MEANWHILE || heaptap_pprof_changed(recorder.profile)) {
        code = save_interval(begin_us);
    }
    int64_t end_us = clock_now(), pause_us = SAVE_SHARE * (end_us - begin_us);
    int64_t from_us = is_interval ? begin_us : end_us;
    atomic_store(&soonest_us, end_us + pause_us);
    atomic_store(&next_save_us, from_us + (pause_us > interval_us() ? pause_us : interval_us()));
    return code;
}

/* Without the signals that writing may bring, and the program's handlers, which may come here. */
static int save_quietly(enum moment moment)
{
    int code = 0;
    struct kernel_quiet quiet;
    int64_t until_us = clock_now() + PATIENCE_US;
    if (confined_on())
        return 0; /* what is kept is saved by heaptap */
    kernel_quiet_begin(&quiet);
    while (atomic_flag_test_and_set_explicit(&saving, memory_order_acquire)) {
        if (moment == MEANWHILE || clock_now() > until_us) {
            kernel_quiet_end(&quiet);
            return 0;
        }
        kernel_yield();
    }
    code = save(moment);
    atomic_flag_clear_explicit(&saving, memory_order_release);
    kernel_quiet_end(&quiet);
    return code;
}

int profile_save_first(void)
{
    int code = save_quietly(AT_A_TURN);
    bool no_room = code == ENOSPC || code == EFBIG || code == EDQUOT;
    return no_room && !heaptap_pprof_is_kept(recorder.profile) ? code : 0;
}

/* What is kept heaptap saves, or tells why it can't. */
static void save_and_tell(enum moment moment)
{
    int code = save_quietly(moment);
    if (!code || moment == MEANWHILE || heaptap_pprof_is_kept(recorder.profile))
        return;
    if (recorder.settings.every_us > 0)
        say_loss("the profile of the last interval can't be written: ", say_errno(code), NULL);
    else
        say_loss(recorder.output.name, ": ", say_errno(code),
                 "; the profile lacks what was recorded since it was last written", NULL);
}

void profile_save(bool at_last)
{
    if (at_last && is_unsaved)
        profile_stop(NULL);
    save_and_tell(at_last ? AT_LAST : MEANWHILE);
}

void profile_stop(const char *reason)
{
    is_unsaved = false;
    heaptap_pprof_stop(recorder.profile, reason);
}

bool profile_hold(void)
{
    return !atomic_flag_test_and_set_explicit(&saving, memory_order_acquire);
}

void profile_let_go(void)
{
    atomic_flag_clear_explicit(&saving, memory_order_release);
}

void profile_save_forking(void)
{
    if (!recorder.settings.every_us || !__atomic_exchange_n(&forked_once, true, __ATOMIC_RELAXED))
        save_and_tell(AT_A_TURN);
}

void profile_save_soon(void)
{
    int64_t soonest = atomic_load(&soonest_us), next = atomic_load(&next_save_us);
    if (recorder.settings.every_us > 0)
        return; /* heaptap takes them when they are due */
    if (clock_now() >= soonest)
        profile_save(false);
    else if (soonest < next)
        atomic_store(&next_save_us, soonest);
}

void profile_save_sometimes(int64_t now_us)
{
    heaptap_pprof_alive(recorder.profile, now_us);
    if (now_us >= atomic_load_explicit(&next_save_us, memory_order_relaxed))
        profile_save(false);
}
