/* What a watched heap keeps.
 *
 * Two ways lead from a hook to a row.
 *
 * Every block (rate 1, no trace): the block's row and birth go into its shadow slot (blocks.h), and
 * come back at its end.  The engine has no part in it: nothing is drawn, nothing is told later. The
 * heap's countdown stays at 0 and its filter full, so that every hook comes here.
 *
 * Otherwise the engine draws and tracks, and its tracker (drawn.c) does the same to the rows, with
 * weights, and writes the trace. */
#ifndef GUEST_STATE_H
#define GUEST_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/blocks.h"
#include "guest/report.h"
#include "heaptap/guest.h"
#include "heaptap/trace.h"

struct drawn;

struct heaptap_guest_state {
    struct heaptap_guest_state *next; /* of all watched heaps in this process */
    struct heaptap_guest *guest;
    struct report report;
    struct blocks blocks; /* where every block is recorded */
    bool every;           /* they are */
    bool stacks;
    bool fast;
    bool collecting;     /* between gc_begin and gc_end */
    bool leaving;        /* what the engine tells as ended is being resized */
    uint32_t number;     /* of the heap in its process */
    double bytes_a_draw; /* 1 / rate */

    /* The row that was looked up last. */
    uint32_t last_site, last_type, last_row;

    struct drawn *spare;        /* free records of drawn blocks */
    struct drawn_chunk *chunks; /* where they come from */
    struct trace_stream *trace; /* NULL: no trace is written */
    struct heaptap_guest_options options;
    double rate;
    uint64_t seed;
    char directory[GUEST_PATH_BYTES];
};

/* ---- guest.c ------------------------------------------------------------------------- */

extern struct heaptap_guest_state *guest_states;

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
    if (age < GUEST_TEMPORARY_BYTES)
        row->temporary += weight;
}

/* A live block is another row's after all. */
void row_transfer(struct heaptap_guest_state *state, uint32_t from, uint32_t to, uint64_t bytes,
                  uint64_t weight, uint64_t samples, uint64_t birth);

static inline void row_promote(struct heaptap_guest_state *state, uint32_t number, uint64_t bytes,
                               uint64_t weight)
{
    state->report.rows[number].promoted += weight;
    state->report.rows[number].promoted_bytes += bytes;
}

/* ---- drawn.c: the tracker of the engine ------------------------------------------------- */

/* A block that the engine tracks. */
struct drawn {
    uint64_t bytes; /* that it counts for */
    uint64_t weight;
    uint64_t samples;
    uint64_t birth;
    uint64_t id; /* in the trace */
    uint32_t row;
    struct drawn *next; /* free */
};

/* In the tag of a block: it came by a resize; below it, its row. */
#define TAG_RESIZED ((uint64_t)1 << 32)

enum heaptap_status drawn_start(struct heaptap_guest_state *state, struct heaptap_error *error);
void drawn_stop(struct heaptap_guest_state *state);

/* ---- trace.c ----------------------------------------------------------------------------- */

/* The heap's stream in the trace of the process, which is opened for the first heap.  NULL path:
 * there is none. */
enum heaptap_status trace_join(struct heaptap_guest_state *state, const char *path,
                               struct heaptap_error *error);
void trace_leave(struct heaptap_guest_state *state);

uint64_t trace_alloc(struct heaptap_guest_state *state, const struct heaptap_sample *sample,
                     uint32_t row, bool minor);
void trace_promote(struct heaptap_guest_state *state, uint64_t id);
void trace_collect(struct heaptap_guest_state *state, uint64_t id);

/* In a fork's child, before its heaps join again: the parent's trace is the parent's. */
void trace_forget(void);

/* Writes what is gathered. */
void trace_flush(struct heaptap_guest_state *state);

#endif
