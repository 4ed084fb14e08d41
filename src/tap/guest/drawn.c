/* A heap whose blocks are drawn: what the engine is asked, and the tracker that it
 * tells.
 *
 * A block of s bytes of which n were drawn at rate r stands for n / r bytes, and for n / (r s)
 * blocks.  (Of a block of no bytes one trial is made, which is told as
 * one sample: it stands for 1 / r blocks and no bytes.)
 *
 * The record of a block is made before the engine is asked about it, and goes with the question as
 * its tag; a block that is not drawn gives it back.  While a collection is under way the engine
 * answers at its end only: until then such records wait, with their address in the filter. */
#include <string.h>

#include "tap/engine/rate.h"
#include "tap/engine/state.h"
#include "tap/guest/state.h"
#include "tap/inside/fail.h"
#include "tap/inside/pages.h"

enum { CHUNK_BYTES = 65536, FILTER_SLOTS = 1 << 20, FILTER_MOST = 255 };

struct drawn_chunk {
    struct drawn_chunk *next;
    struct drawn records[];
};

static struct drawn *drawn_new(struct heaptap_guest_state *state)
{
    if (!state->spare) {
        struct drawn_chunk *chunk = pages_map(CHUNK_BYTES);
        if (!chunk)
            return NULL;
        chunk->next = state->chunks;
        state->chunks = chunk;
        for (size_t i = 0; i < (CHUNK_BYTES - sizeof *chunk) / sizeof chunk->records[0]; i++) {
            chunk->records[i].next = state->spare;
            state->spare = &chunk->records[i];
        }
    }
    struct drawn *drawn = state->spare;
    state->spare = drawn->next;
    return drawn;
}

static void drawn_free(struct heaptap_guest_state *state, struct drawn *drawn)
{
    drawn->next = state->spare;
    state->spare = drawn;
}

/* ---- The filter ------------------------------------------------------------------------- */

/* A slot that was full once stays so: it can't be told any more when it is empty. */
static void filter_note(struct heaptap_guest *guest, uint64_t address)
{
    uint8_t *slot = &guest->filter[heaptap_guest_slot(guest, address)];
    *slot += *slot < FILTER_MOST;
}

static void filter_forget(struct heaptap_guest *guest, uint64_t address)
{
    uint8_t *slot = &guest->filter[heaptap_guest_slot(guest, address)];
    *slot -= *slot < FILTER_MOST;
}

void drawn_watch(struct heaptap_guest_state *state, uint64_t address, bool watch)
{
    if (watch)
        filter_note(state->guest, address);
    else
        filter_forget(state->guest, address);
}

/* ---- Callbacks ------------------------------------------------------------------------- */

static void *tell_alloc(struct heaptap_guest_state *state, const struct heaptap_thread *thread,
                        const struct heaptap_sample *sample, bool minor)
{
    struct drawn *drawn = (struct drawn *)(uintptr_t)sample->tag;
    uint32_t halvings = engine_halvings(thread);
    double a_draw = state->bytes_a_draw * (double)(UINT64_C(1) << halvings);
    double bytes = (double)sample->n_samples * a_draw;
    double blocks = bytes / (double)(sample->size + !sample->size);
    drawn->told = true;
    drawn->bytes = sample->size ? (uint64_t)(bytes + 0.5) : 0;
    drawn->weight = (uint64_t)(blocks * GUEST_WEIGHT_ONE + 0.5);
    drawn->samples = sample->size ? sample->n_samples : 0;
    row_add(state, drawn->row, drawn->bytes, drawn->weight, drawn->samples, drawn->resized);
    drawn->birth = state->report.header->clock;
    state->report.rows[drawn->row].birth_sum += weighted(drawn->weight, drawn->birth);
    if (state->trace)
        drawn->id =
            trace_alloc(state, sample->size, sample->n_samples, halvings, drawn->row, minor);
    guest_budget_count(drawn->id, state->trace != NULL, halvings, sample->n_samples);
    return drawn;
}

static void *tell_alloc_minor(void *context, struct heaptap_thread *thread,
                              const struct heaptap_sample *sample)
{
    return tell_alloc(context, thread, sample, true);
}

static void *tell_alloc_major(void *context, struct heaptap_thread *thread,
                              const struct heaptap_sample *sample)
{
    return tell_alloc(context, thread, sample, false);
}

static void *tell_promote(void *context, struct heaptap_thread *thread, void *block)
{
    struct heaptap_guest_state *state = context;
    struct drawn *drawn = block;
    row_promote(state, drawn->row, drawn->bytes, drawn->weight);
    if (state->trace)
        trace_promote(state, drawn->id);
    return drawn;
}

static void tell_dealloc(void *context, struct heaptap_thread *thread, void *block)
{
    struct heaptap_guest_state *state = context;
    struct drawn *drawn = block;
    row_remove(state, drawn->row, drawn->bytes, drawn->weight, drawn->birth,
               state->leaving ? ROW_LEFT : ROW_FREED);
    if (state->trace)
        trace_collect(state, drawn->id);
    filter_forget(state->guest, drawn->address);
    drawn_free(state, drawn);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static void give_back(struct heaptap_guest_state *state, struct drawn *drawn)
{
    filter_forget(state->guest, drawn->address);
    drawn_free(state, drawn);
}

void drawn_ask(struct heaptap_guest_state *state, uint64_t address, uint64_t bytes, uint32_t row,
               bool minor, bool resized)
{
    struct drawn *drawn = address ? drawn_new(state) : NULL;
    struct heaptap_block block = {.address = drawn ? address : 0,
                                  .words = bytes + !bytes,
                                  .size = bytes,
                                  .tag = (uint64_t)(uintptr_t)drawn,
                                  .minor = minor};
    if (drawn) {
        *drawn = (struct drawn){.address = address, .row = row, .resized = resized};
        heaptap_guest_free(state->guest, (const void *)(uintptr_t)address);
        filter_note(state->guest, address);
    } else if (address) {
        state->report.header->lost_samples += (uint64_t)((double)bytes * state->rate);
    }
    heaptap_thread_allocated(&state->engine, &state->guest->thread, &block);
    if (drawn && !drawn->told) {
        if (state->collecting) {
            drawn->next = state->waiting;
            state->waiting = drawn;
        } else {
            give_back(state, drawn);
        }
    }
    guest_budget_look();
}

struct drawn *drawn_forget(struct heaptap_guest_state *state, uint64_t address,
                           struct heaptap_forgotten *forgotten)
{
    if (!heaptap_thread_forget(&state->engine, &state->guest->thread, address, forgotten))
        return NULL;
    const struct heaptap_tracked *tracked = forgotten->tracked;
    return tracked->told & TOLD_ALLOC ? tracked->metadata : NULL;
}

void drawn_move(struct heaptap_guest_state *state, uint64_t from, uint64_t to, bool promoted)
{
    struct heaptap_guest *guest = state->guest;
    struct heaptap_forgotten forgotten;
    struct drawn *drawn = drawn_forget(state, from, &forgotten);
    if (!forgotten.tracked)
        return;
    heaptap_thread_forget_undo(&state->engine, &guest->thread, &forgotten);
    for (struct drawn *it = state->waiting; !drawn && it; it = it->next)
        if (it->address == from)
            drawn = it;
    if (drawn) {
        filter_note(guest, to);
        filter_forget(guest, from);
        drawn->address = to;
    }
    heaptap_thread_moved(&state->engine, &guest->thread, from, to, promoted);
}

void drawn_collected(struct heaptap_guest_state *state)
{
    heaptap_thread_gc_end(&state->engine, &state->guest->thread);
    while (state->waiting) {
        struct drawn *drawn = state->waiting;
        state->waiting = drawn->next;
        if (!drawn->told)
            give_back(state, drawn);
    }
}

/* ---- Life -------------------------------------------------------------------------------- */

enum heaptap_status drawn_start(struct heaptap_guest_state *state, struct heaptap_error *error)
{
    struct heaptap_guest *guest = state->guest;
    struct heaptap_engine_options options = {.seed = state->seed, .tell_first = true};
    struct heaptap_tracker tracker = {
        .alloc_minor = tell_alloc_minor,
        .alloc_major = tell_alloc_major,
        .promote = tell_promote,
        .dealloc_minor = tell_dealloc,
        .dealloc_major = tell_dealloc,
        .context = state,
    };
    enum heaptap_status status = heaptap_engine_init(&state->engine, &options, error);
    if (status != HEAPTAP_OK)
        return status;
    guest->filter = pages_map(FILTER_SLOTS);
    guest->filter_mask = FILTER_SLOTS - 1;
    if (!guest->filter) {
        heaptap_engine_release(&state->engine);
        return fail(error, HEAPTAP_NO_MEMORY, "out of memory");
    }
    status = heaptap_engine_start(&state->engine, &guest->thread, state->rate, 0, &tracker, error);
    if (status != HEAPTAP_OK)
        drawn_stop(state);
    else
        engine_set_halvings(&state->engine, guest_budget_halvings());
    return status;
}

void drawn_stop(struct heaptap_guest_state *state)
{
    heaptap_engine_release(&state->engine);
    pages_unmap(state->guest->filter, FILTER_SLOTS);
    state->guest->filter = NULL;
    memset(&state->engine, 0, sizeof state->engine);
    while (state->chunks) {
        struct drawn_chunk *chunk = state->chunks;
        state->chunks = chunk->next;
        pages_unmap(chunk, CHUNK_BYTES);
    }
    state->spare = state->waiting = NULL;
}
