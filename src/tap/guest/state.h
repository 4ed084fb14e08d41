/* What a watched heap keeps.
 *
 * Two ways lead from a hook to a row.
 *
 * Every block (rate 1): the block's row and birth, and its id where a trace is written, go into its
 * shadow slot (blocks.h), and come back at its end.  The engine has no part in it: nothing is
 * drawn, nothing is told later. The heap's countdown stays at 0 and its filter is one full slot, so
 * that every hook comes here.
 *
 * Otherwise the engine draws and tracks, and its tracker (drawn.c) does the same to the rows, with
 * weights, and writes the trace.  The engine's own filter is small; ours, which the hooks look at
 * first, is kept beside it. */
#ifndef TAP_GUEST_STATE_H
#define TAP_GUEST_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tap/guest/blocks.h"
#include "tap/guest/report.h"
#include "heaptap/guest.h"
#include "heaptap/trace.h"

struct drawn;

struct heaptap_guest_state {
    struct heaptap_guest_state *next; /* of all watched heaps in this process */
    struct heaptap_guest *guest;
    struct heaptap_engine engine; /* where not every block is recorded */
    struct report report;
    struct blocks blocks; /* where every block is recorded */
    bool every;           /* they are */
    bool stacks;
    bool fast;
    bool collecting; /* between gc_begin and gc_end */
    bool collected;  /* there was a collection */
    uint64_t collected_at,
        collected_before; /* the clock when the last one began, and the one before it;
                                                0: none */
    bool leaving;         /* what the engine tells as ended is being resized */
    uint32_t number;      /* of the heap in its process */
    double rate;          /* samples a byte; with a budget, at first */
    double bytes_a_draw;  /* 1 / rate */

    /* The row that was looked up last. */
    uint32_t last_site, last_type, last_row;

    struct drawn *spare;        /* free records of drawn blocks */
    struct drawn_chunk *chunks; /* where they come from */
    struct trace_stream *trace; /* NULL: no trace is written */
    struct drawn *waiting;      /* during a collection: those that may not have been drawn */
    struct heaptap_guest_options options;
    uint64_t seed;
    char directory[GUEST_PATH_BYTES]; /* "": the report is in no file */
};

/* ---- request.c ----------------------------------------------------------------------- */

/* The whole number in a variable of the environment; 0 for none. */
uint64_t guest_number(const char *name);

/* Does `heaptap record` record this process by its adapter?  Other programs it records natively, also those that merely have an
 * interpreter in them. */
bool guest_is_of_record(void);

/* ---- guest.c ------------------------------------------------------------------------- */

/* The program itself begins: what the heaps of this process have allocated so far was for the start of its
 * interpreter. */
void guest_program_begins(void);

extern struct heaptap_guest_state *guest_states;

/* NULL where nothing is recorded. */
static inline struct heaptap_guest_state *guest_state_of(const struct heaptap_guest *guest)
{
    return guest ? guest->state : NULL;
}

/* From now on the rate of all heaps is that at which they began, halved so often. */
void guest_set_halvings(uint32_t halvings);

/* Leaves a sentence that says why this process could not be watched, if the environment asks for
 * it. */
void guest_tell_failure(const char *reason);

/* lost.c, of adapters: tells `heaptap record`, where that has started the process, that a heap is not watched because what it is to
 * leave can't be written.  `was_watched`: it is a fork of one that was; else that is looked at. */
void guest_tell_lost(bool was_watched);

/* Writes when this process ends, and what the traces have in hand: also for ends that run no destructor, and before
 * another program takes its place.  Where that fails, recording goes on. */
void guest_ends(void);

/* Whether every block is recorded and this is one of them. */
static inline bool guest_knows(const struct heaptap_guest *guest, uint64_t address)
{
    if (!guest->state || !guest->state->every)
        return false;
    const struct block_slot *slot = blocks_slot(&guest->state->blocks, address);
    return slot && slot->note & NOTE_PRESENT;
}

/* ---- ends.c, of preloaded adapters alone ------------------------------------------------ */

/* Called before the process ends or becomes another program, and then what traces have in hand is
 * written.  NULL: nothing else is to be done. */
extern void (*guest_before_end)(void);

/* ---- budget.c --------------------------------------------------------------------------- */

/* Is the rate 1 at first, and then what leaves so many blocks? */
bool guest_has_budget(void);

/* For a process's recording that begins, and again for its trace, whose coins have a salt. */
void guest_budget_begin(uint64_t salt);

/* How often the rate has been halved. */
uint32_t guest_budget_halvings(void);

/* Counts a block that was drawn after so many halvings; `id` is that in the trace, if there is one. */
void guest_budget_count(uint64_t id, bool is_in_trace, uint32_t halvings, uint64_t samples);

/* Halves the rate, where it is time to.  Not in the middle of the engine. */
void guest_budget_look(void);

/* ---- rows.c -------------------------------------------------------------------------- */

/* The row for a block that is allocated or resized here and now. */
uint32_t row_find(struct heaptap_guest_state *state, struct heaptap_guest_thread *self,
                  uint32_t type, uint32_t location, const void *hint);

/* A block of `bytes` bytes that counts for `weight` blocks came to be at `birth`, now. */
static inline void row_add(struct heaptap_guest_state *state, uint32_t number, uint64_t bytes,
                           uint64_t weight, uint64_t samples, bool resized)
{
    struct guest_report_header *header = state->report.header;
    struct guest_row *row = &state->report.rows[number];
    row->samples += samples;
    row->bytes += bytes;
    row->live_bytes += bytes;
    if (row->live_bytes > row->peak_bytes)
        row->peak_bytes = row->live_bytes;
    if (__builtin_expect(resized, 0)) {
        row->resized += weight;
    } else {
        row->allocated += weight;
        header->allocated += weight;
    }
    header->clock += bytes;
    header->live_bytes += bytes;
    if (header->live_bytes > header->peak_bytes)
        header->peak_bytes = header->live_bytes;
}

static inline uint64_t weighted(uint64_t weight, uint64_t value)
{
    return weight == GUEST_WEIGHT_ONE
               ? value
               : (uint64_t)((double)value * ((double)weight / GUEST_WEIGHT_ONE));
}

/* Has a block that ends now been found by the first collection since its birth?  No sooner could a
 * collector have told that it is not needed. */
static inline bool ends_at_first_collection(const struct heaptap_guest_state *state, uint64_t birth)
{
    return state->collected && birth >= state->collected_before &&
           (state->collecting || state->report.header->clock == state->collected_at);
}

enum row_end { ROW_FREED, ROW_LEFT };

/* The block's end, or its leave for another row. */
static inline void row_remove(struct heaptap_guest_state *state, uint32_t number, uint64_t bytes,
                              uint64_t weight, uint64_t birth, enum row_end end)
{
    struct guest_report_header *header = state->report.header;
    struct guest_row *row = &state->report.rows[number];
    row->live_bytes -= bytes;
    header->live_bytes -= bytes;
    row->birth_sum -= weighted(weight, birth);
    if (__builtin_expect(end == ROW_LEFT, 0)) {
        row->left += weight;
        return;
    }
    uint64_t age = header->clock - birth;
    row->freed += weight;
    row->age_sum += (double)age * ((double)weight / GUEST_WEIGHT_ONE);
    if (age < GUEST_TEMPORARY_BYTES || ends_at_first_collection(state, birth))
        row->temporary += weight;
}

/* A live block is another row's after all. */
void row_transfer(struct heaptap_guest_state *state, uint32_t from, uint32_t to, uint64_t bytes,
                  uint64_t weight, uint64_t samples, uint64_t birth, bool resized);

static inline void row_promote(struct heaptap_guest_state *state, uint32_t number, uint64_t bytes,
                               uint64_t weight)
{
    state->report.rows[number].promoted += weight;
    state->report.rows[number].promoted_bytes += bytes;
}

/* ---- drawn.c: the tracker of the engine ------------------------------------------------- */

/* A block that the engine tracks, or is asked about. */
struct drawn {
    uint64_t address;
    uint64_t bytes; /* that it counts for */
    uint64_t weight;
    uint64_t samples;
    uint64_t birth;
    uint64_t id; /* in the trace */
    uint32_t row;
    bool resized;       /* it came by a resize */
    bool told;          /* the engine tracks it */
    struct drawn *next; /* of the free ones, or of those waiting */
};

/* The engine is asked about a block for which the tick was true; address 0 for none after all. */
void drawn_ask(struct heaptap_guest_state *state, uint64_t address, uint64_t bytes, uint32_t row,
               bool minor, bool resized);

/* Takes a block out of the engine's table.  NULL if it isn't there, or its allocation is not yet
 * told, as during a collection: `forgotten` says which. */
struct drawn *drawn_forget(struct heaptap_guest_state *state, uint64_t address,
                           struct heaptap_forgotten *forgotten);

void drawn_move(struct heaptap_guest_state *state, uint64_t from, uint64_t to, bool promoted);
void drawn_collected(struct heaptap_guest_state *state);

enum heaptap_status drawn_start(struct heaptap_guest_state *state, struct heaptap_error *error);
/* Makes heaptap_guest_may_know true of an address for an adapter that wants to see what ends there,
 * or takes that back. */
void drawn_watch(struct heaptap_guest_state *state, uint64_t address, bool watch);

void drawn_stop(struct heaptap_guest_state *state);

/* ---- trace_name.c ------------------------------------------------------------------------ */

/* The name of the file for this process's trace.  The first process of a run has the one that was
 * asked for, all others their pid in it: t.ctf becomes t.123.ctf, and t.123.2.ctf after an exec.
 * `directory` is where they agree on that; NULL for a process that is the only one.  A NULL path: the one that was asked for before.
 *
 * In a run of `heaptap record`, whose pid HEAPTAP_GUEST_RECORD is, names are those that its recorder
 * gives: of a pattern (tap/inside/name_pattern.h), which the command's own process has as it is, and
 * t.123-2.ctf after an exec. */
const char *trace_claim(const char *directory, const char *path);

/* The path that was claimed last. */
const char *trace_path(void);

/* The process's next trace has a name of its own. */
void trace_unclaim(void);

/* The program, which patterns and traces name. */
const char *trace_executable(void);

/* False in the child of a vfork, whose memory is another process's. */
bool trace_is_ours(void);

/* ---- trace.c ----------------------------------------------------------------------------- */

/* Microseconds since the start of the process's trace. */
uint64_t trace_time_us(void);

/* The heap's stream in the trace of the process, which is opened for the first heap.  NULL path:
 * there is none. */
enum heaptap_status trace_join(struct heaptap_guest_state *state, const char *path,
                               struct heaptap_error *error);
void trace_leave(struct heaptap_guest_state *state);

/* A block of `bytes` bytes, of which `samples` were drawn after `halvings` of the rate; returns its id. */
uint64_t trace_alloc(struct heaptap_guest_state *state, uint64_t bytes, uint64_t samples,
                     uint32_t halvings, uint32_t row, bool minor);
void trace_promote(struct heaptap_guest_state *state, uint64_t id);
void trace_collect(struct heaptap_guest_state *state, uint64_t id);

/* Another rate for the trace, if there is one: 1, halved some times. */
void trace_set_rate(double rate);

/* In a fork's child, before its heaps join again: the parent's trace is the parent's. */
void trace_forget(void);

/* Says that the trace is that of a test, which ends now; limits as in heaptap/test.h. */
void trace_test(struct heaptap_guest_state *state, const char *name, const char *limits);

/* An interpreter takes its heap apart, of which no event tells; the program's run ended before, though a copy for a snapshot
 * may make this slow.  It has done so, and the process may go on; or it has not, as the heap is used again. */
void trace_closing(void);
void trace_closed(void);
void trace_goes_on(void);

/* Puts into the process's trace that the process ends now, or ended when its heap began to be taken apart.  Events may follow. */
void trace_ended(const struct heaptap_guest_state *state);

/* Writes what is gathered. */
void trace_flush(struct heaptap_guest_state *state);

#endif
