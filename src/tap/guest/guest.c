/* A heap's life: from its start, through forks, to its end.
 *
 * Nothing is to be done at the end: the report is in its file all the time, and so is a trace that is
 * written in place.  Others, as into a pipe, have a packet in hand, which is written when the process
 * exits; of one that is killed it is lost. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/coin.h"
#include "tap/engine/rate.h"
#include "tap/guest/state.h"
#include "tap/inside/clock.h"
#include "tap/inside/executable.h"
#include "tap/inside/fail.h"
#include "tap/inside/own_pages.h"
#include "tap/inside/pages.h"
#include "tap/inside/text.h"

struct heaptap_guest_state *guest_states;

enum { BYTES_PER_WORD = 8 };

static char lock_taken;        /* atomic: the list, and what the process has once */
static uint32_t heaps_started; /* in this process */
static bool watching_forks;

static void lock(void)
{
    while (__atomic_test_and_set(&lock_taken, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_clear(&lock_taken, __ATOMIC_RELEASE);
}

/* ---- The report's header ---------------------------------------------------------------- */

static void copy_text(char *to, size_t size, const char *from)
{
    struct text text;
    text_init(&text, to, size);
    text_add(&text, from ? from : "");
}

static void fill_header(struct heaptap_guest_state *state, const char *language, const char *script,
                        const char *trace, bool fork)
{
    struct guest_report_header *header = state->report.header;
    header->heap = state->number;
    header->pid = (uint64_t)getpid();
    header->parent_pid = (uint64_t)getppid();
    header->start_us = clock_read(CLOCK_REALTIME);
    header->rate = state->rate;
    header->flags = (state->stacks ? GUEST_HAS_STACKS : 0) | (state->fast ? GUEST_IS_FAST : 0) |
                    (fork ? GUEST_IS_FORK : 0);
    copy_text(header->language, sizeof header->language, language);
    copy_text(header->script, sizeof header->script, script);
    copy_text(header->trace, sizeof header->trace, trace);
    executable_path(header->executable, sizeof header->executable);
    memcpy(header->magic, GUEST_REPORT_MAGIC, sizeof GUEST_REPORT_MAGIC);
}

/* ---- Starting ----------------------------------------------------------------------------- */

static void at_fork_in_child(void);

/* Every hook of a heap whose every block is recorded comes to us. */
static void open_gates(struct heaptap_guest *guest)
{
    static uint8_t full = 1;
    guest->filter = &full;
    guest->filter_mask = 0;
    guest->thread.countdown = 0;
}

static enum heaptap_status start_recording(struct heaptap_guest_state *state,
                                           struct heaptap_error *error)
{
    if (!state->every)
        return drawn_start(state, error);
    if (!blocks_init(&state->blocks, state->options.alignment == 16 ? 4 : 3, state->trace != NULL))
        return fail(error, HEAPTAP_NO_MEMORY, "out of memory");
    open_gates(state->guest);
    return HEAPTAP_OK;
}

static void stop_recording(struct heaptap_guest_state *state)
{
    if (state->every)
        blocks_release(&state->blocks);
    else
        drawn_stop(state);
    state->guest->filter = NULL;
    memset(&state->guest->thread, 0, sizeof state->guest->thread);
}

static struct heaptap_guest_state *state_new(struct heaptap_guest *guest,
                                             const struct heaptap_guest_options *options,
                                             const struct heaptap_guest_request *request)
{
    struct heaptap_guest_state *state = pages_map(sizeof *state);
    if (!state)
        return NULL;
    state->guest = guest;
    if (options)
        state->options = *options;
    state->every = !(request->rate > 0 && request->rate < 1) && !guest_has_budget();
    state->rate = state->every || guest_has_budget() ? 1 : request->rate / BYTES_PER_WORD;
    state->seed = request->seed;
    state->bytes_a_draw = 1 / state->rate;
    state->stacks = request->stacks;
    state->fast = request->fast;
    state->last_site = state->last_type = UINT32_MAX;
    state->number = heaps_started;
    copy_text(state->directory, sizeof state->directory, request->directory);
    return state;
}

static void put_note(struct heaptap_guest_state *state, const char *sentence)
{
    struct guest_report_header *header = state->report.header;
    copy_text(header->note[header->notes % GUEST_NOTES], GUEST_NOTE_BYTES, sentence);
    header->notes++;
}

/* A report is worth having also where the trace can't be written. */
static enum heaptap_status join_trace(struct heaptap_guest_state *state, const char *trace,
                                      struct heaptap_error *error)
{
    enum heaptap_status status = trace ? trace_join(state, trace, error) : HEAPTAP_OK;
    bool can_do_without = state->directory[0] && status != HEAPTAP_NO_MEMORY;
    if (status == HEAPTAP_OK || !can_do_without)
        return status;
    state->report.header->trace[0] = 0;
    if (state->number == 0)
        put_note(state, "there is no trace: it can't be written");
    return HEAPTAP_OK;
}

/* Opens the report and, if asked for, the trace, and begins. */
static enum heaptap_status state_open(struct heaptap_guest_state *state, const char *language,
                                      const char *trace, struct heaptap_error *error)
{
    int failure = report_create(&state->report, state->directory, state->number);
    if (failure)
        return fail_errno(error, HEAPTAP_SYSTEM, failure, "the results can't be written");
    fill_header(state, language, state->options.script, trace, false);
    if (!guest_states)
        guest_budget_begin(0);
    state->next = guest_states;
    guest_states = state;
    enum heaptap_status status = join_trace(state, trace, error);
    if (status == HEAPTAP_OK) {
        status = start_recording(state, error);
        if (status != HEAPTAP_OK && state->trace)
            trace_leave(state);
    }
    if (status != HEAPTAP_OK) {
        guest_states = state->next;
        report_close(&state->report);
    }
    return status;
}

enum heaptap_status heaptap_guest_start(struct heaptap_guest *guest, const char *language,
                                        const struct heaptap_guest_options *options,
                                        const struct heaptap_guest_request *request,
                                        struct heaptap_error *error)
{
    if (!guest || !language || !request)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "there is no heap, language or request");
    if (guest->state)
        return fail(error, HEAPTAP_BAD_STATE, "the heap is watched already");
    if (!(request->directory || request->trace) || !(request->rate >= 0 && request->rate <= 1))
        return fail(error, HEAPTAP_BAD_ARGUMENT,
                    "a directory for the results, or a trace, and a rate in [0, 1] are needed");
    int saved_errno = errno;
    lock();
    (void)own_pages_note(OWN_PAGES_TOLD); /* what isn't noted isn't told */
    memset(guest, 0, sizeof *guest);
    const char *trace = request->trace ? trace_claim(request->directory, request->trace) : NULL;
    struct heaptap_guest_state *state = state_new(guest, options, request);
    enum heaptap_status status = state ? state_open(state, language, trace, error)
                                       : fail(error, HEAPTAP_NO_MEMORY, "out of memory");
    if (status == HEAPTAP_OK) {
        heaps_started++;
        guest->state = state;
        if (!watching_forks)
            watching_forks = pthread_atfork(NULL, NULL, at_fork_in_child) == 0;
    } else {
        pages_unmap(state, sizeof *state);
    }
    unlock();
    errno = saved_errno;
    return status;
}

/* Leaves the reason where `heaptap memtracer` finds it. */
static void tell_failure(const char *directory, const char *reason)
{
    char path[GUEST_PATH_BYTES];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, directory);
    text_add(&text, "/");
    text_add_number(&text, (uint64_t)getpid());
    text_add(&text, GUEST_FAILURE_SUFFIX);
    int fd = text.cut ? -1 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    ssize_t ignored = write(fd, reason, strlen(reason));
    (void)ignored;
    close(fd);
}

bool heaptap_guest_start_if_requested(struct heaptap_guest *guest, const char *language,
                                      const struct heaptap_guest_options *options)
{
    if (!guest || !language)
        return false;
    struct heaptap_guest_request request;
    struct heaptap_error error;
    if (!heaptap_guest_read_request(&request))
        return false;
    int saved_errno = errno;
    enum heaptap_status status = heaptap_guest_start(guest, language, options, &request, &error);
    if (status != HEAPTAP_OK)
        tell_failure(request.directory, error.message);
    errno = saved_errno;
    return status == HEAPTAP_OK;
}

void guest_tell_failure(const char *reason)
{
    struct heaptap_guest_request request;
    if (heaptap_guest_read_request(&request))
        tell_failure(request.directory, reason);
}

/* ---- Ending ------------------------------------------------------------------------------- */

void heaptap_guest_stop(struct heaptap_guest *guest)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    if (!state)
        return;
    lock();
    struct heaptap_guest_state **at = &guest_states;
    stop_recording(state);
    if (state->trace)
        trace_leave(state);
    while (*at != state)
        at = &(*at)->next;
    *at = state->next;
    state->report.header->flags |= GUEST_IS_STOPPED;
    report_close(&state->report);
    pages_unmap(state, sizeof *state);
    memset(guest, 0, sizeof *guest);
    unlock();
}

void guest_set_halvings(uint32_t halvings)
{
    lock();
    for (struct heaptap_guest_state *state = guest_states; state; state = state->next) {
        if (!state->every && state->engine.state)
            engine_set_halvings(&state->engine, halvings);
        state->report.header->rate = coin_rate(state->rate, halvings);
    }
    unlock();
}

static void mark_start(struct report *report)
{
    uint32_t count = report->header->sections[GUEST_ROWS].used;
    report->header->start_live_bytes = report->header->live_bytes;
    for (uint32_t i = 0; i < count; i++) {
        report->rows[i].start_allocated = report->rows[i].allocated;
        report->rows[i].start_bytes = report->rows[i].bytes;
    }
}

void guest_program_begins(void)
{
    lock();
    for (struct heaptap_guest_state *state = guest_states; state; state = state->next)
        mark_start(&state->report);
    unlock();
}

/* Other threads may still be at it; what they write is then their own affair, as the process is going. */
void guest_ends(void)
{
    bool is_told = false;
    if (!trace_is_ours())
        return;
    int saved_errno = errno;
    lock();
    for (struct heaptap_guest_state *state = guest_states; state; state = state->next) {
        if (state->trace && !is_told)
            trace_ended(state);
        is_told |= state->trace != NULL;
        trace_flush(state);
    }
    unlock();
    errno = saved_errno;
}

__attribute__((destructor)) static void at_exit(void)
{
    guest_ends();
}

/* ---- Forks -------------------------------------------------------------------------------- */

/* The heap of a child begins anew; where it can't, it is not watched. */
static bool divide(struct heaptap_guest_state *state)
{
    char language[GUEST_LANGUAGE_BYTES], script[GUEST_PATH_BYTES];
    copy_text(language, sizeof language, state->report.header->language);
    copy_text(script, sizeof script, state->report.header->script);
    bool has_trace = state->report.header->trace[0];
    stop_recording(state);
    if (!state->directory[0])
        return false;
    const char *trace = has_trace ? trace_claim(state->directory, NULL) : NULL;
    state->last_site = state->last_type = UINT32_MAX;
    state->collecting = state->collected = false;
    state->collected_at = state->collected_before = 0;
    state->seed += state->seed != 0;
    if (report_divide(&state->report, state->directory, state->number) != 0)
        return false;
    fill_header(state, language, script, trace, true);
    return join_trace(state, trace, NULL) == HEAPTAP_OK &&
           start_recording(state, NULL) == HEAPTAP_OK;
}

static void at_fork_in_child(void)
{
    int saved_errno = errno;
    unlock(); /* whoever had it is not here */
    trace_forget();
    guest_budget_begin(0);
    struct heaptap_guest_state **at = &guest_states;
    while (*at) {
        struct heaptap_guest_state *state = *at;
        struct heaptap_guest *guest = state->guest;
        if (divide(state)) {
            at = &state->next;
            if (state->options.forked)
                state->options.forked(state->options.context, guest);
            continue;
        }
        *at = state->next;
        if (state->trace)
            trace_leave(state);
        if (state->report.header)
            report_close(&state->report);
        const struct heaptap_guest_options options = state->options;
        memset(guest, 0, sizeof *guest);
        pages_unmap(state, sizeof *state);
        if (options.forked)
            options.forked(options.context, guest);
    }
    errno = saved_errno;
}

/* ---- What is known of a heap ---------------------------------------------------------------- */

bool heaptap_guest_wants_stacks(const struct heaptap_guest *guest)
{
    const struct heaptap_guest_state *state = guest_state_of(guest);
    return state && state->stacks;
}

bool heaptap_guest_is_exact(const struct heaptap_guest *guest)
{
    const struct heaptap_guest_state *state = guest_state_of(guest);
    return state && state->rate >= 1;
}

bool heaptap_guest_is_fast(const struct heaptap_guest *guest)
{
    const struct heaptap_guest_state *state = guest_state_of(guest);
    return state && state->fast;
}

void heaptap_guest_set_script(struct heaptap_guest *guest, const char *script)
{
    if (!guest || !script)
        return;
    if (guest->state)
        copy_text(guest->state->report.header->script, GUEST_PATH_BYTES, script);
}

void heaptap_guest_set_before(struct heaptap_guest *guest, uint64_t blocks, uint64_t bytes)
{
    if (!guest || !guest->state)
        return;
    guest->state->report.header->before_blocks = blocks;
    guest->state->report.header->before_bytes = bytes;
}

void heaptap_guest_note(struct heaptap_guest *guest, const char *sentence)
{
    if (!guest || !sentence)
        return;
    if (guest->state)
        put_note(guest->state, sentence);
}

uint32_t heaptap_guest_location(struct heaptap_guest *guest, const char *file, const char *function,
                                uint32_t line)
{
    if (!guest || !file)
        return HEAPTAP_GUEST_UNKNOWN;
    return guest->state ? report_location(&guest->state->report, file, function, line) : 0;
}

uint32_t heaptap_guest_type(struct heaptap_guest *guest, const char *name)
{
    if (!guest || !name)
        return HEAPTAP_GUEST_UNKNOWN;
    return guest->state ? report_type(&guest->state->report, name) : 0;
}
