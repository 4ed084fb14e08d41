/* The tracker of a heap whose blocks are drawn, or traced.
 *
 * A block of s bytes of which n were drawn at rate r stands for n / r bytes, and for n / (r s)
 * blocks; at rate 1 both are exact.  (Of a block of no bytes one trial is made, which is told as
 * one sample: it stands for 1 / r blocks and no bytes.) */
#include <string.h>

#include "engine/pages.h"
#include "guest/state.h"

enum { CHUNK_BYTES = 65536 };

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

/* ---- Callbacks ------------------------------------------------------------------------- */

static void *tell_alloc(struct heaptap_guest_state *state, const struct heaptap_sample *sample,
                        bool minor)
{
    uint32_t row = (uint32_t)sample->tag;
    double bytes = (double)sample->n_samples * state->bytes_a_draw;
    struct drawn *drawn = drawn_new(state);
    if (!drawn) {
        state->report.header->lost_samples += sample->n_samples;
        return NULL;
    }
    *drawn = (struct drawn){
        .bytes = sample->size ? (uint64_t)(bytes + 0.5) : 0,
        .weight =
            (uint64_t)(bytes / (double)(sample->size + !sample->size) * GUEST_WEIGHT_ONE + 0.5),
        .samples = sample->size ? sample->n_samples : 0,
        .row = row,
    };
    row_add(state, row, drawn->bytes, drawn->weight, drawn->samples, sample->tag & TAG_RESIZED);
    drawn->birth = state->report.header->clock;
    state->report.rows[row].birth_sum += weighted(drawn->weight, drawn->birth);
    if (state->trace)
        drawn->id = trace_alloc(state, sample, row, minor);
    return drawn;
}

static void *tell_alloc_minor(void *context, struct heaptap_thread *thread,
                              const struct heaptap_sample *sample)
{
    return tell_alloc(context, sample, true);
}

static void *tell_alloc_major(void *context, struct heaptap_thread *thread,
                              const struct heaptap_sample *sample)
{
    return tell_alloc(context, sample, false);
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
    drawn_free(state, drawn);
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
    enum heaptap_status status = heaptap_engine_init(&guest->engine, &options, error);
    if (status != HEAPTAP_OK)
        return status;
    status = heaptap_engine_start(&guest->engine, &guest->thread, state->rate, 0, &tracker, error);
    if (status != HEAPTAP_OK)
        heaptap_engine_release(&guest->engine);
    return status;
}

void drawn_stop(struct heaptap_guest_state *state)
{
    heaptap_engine_release(&state->guest->engine);
    memset(&state->guest->thread, 0, sizeof state->guest->thread);
    while (state->chunks) {
        struct drawn_chunk *chunk = state->chunks;
        state->chunks = chunk->next;
        pages_unmap(chunk, CHUNK_BYTES);
    }
    state->spare = NULL;
}
