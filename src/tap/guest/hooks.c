/* The hooks of an embedder that have something to record. */
#include "tap/guest/state.h"

/* ---- Every block ------------------------------------------------------------------------- */

/* The block in a slot ends. */
static void end_slot(struct heaptap_guest_state *state, struct block_slot *slot, uint64_t address)
{
    uint64_t note = slot->note;
    slot->note = 0;
    row_remove(state, note_row(note), note_bytes(note), GUEST_WEIGHT_ONE, slot_birth(slot),
               ROW_FREED);
    if (state->trace)
        trace_collect(state, *blocks_id(&state->blocks, address));
}

/* Books a block and keeps it under its address. */
static void keep(struct heaptap_guest_state *state, uint64_t address, uint64_t bytes, uint32_t row,
                 bool minor, bool resized)
{
    struct block_slot *slot = blocks_slot(&state->blocks, address);
    if (__builtin_expect(!slot, 0))
        slot = blocks_make_slot(&state->blocks, address);
    if (slot && __builtin_expect(slot->note != 0, 0))
        end_slot(state, slot, address);
    row_add(state, row, bytes, GUEST_WEIGHT_ONE, bytes, resized);
    if (__builtin_expect(!slot, 0)) {
        state->report.header->lost_samples += bytes;
        return;
    }
    uint64_t birth = state->report.header->clock;
    slot->note = note_make(row, bytes, minor);
    slot->birth = birth | (resized ? BIRTH_RESIZED : 0);
    state->report.rows[row].birth_sum += birth;
    if (state->trace)
        *blocks_id(&state->blocks, address) =
            trace_alloc(state, bytes, bytes + !bytes, 0, row, minor);
}

/* ---- Allocation and end ------------------------------------------------------------------ */

void heaptap_guest_allocated(struct heaptap_guest *guest, struct heaptap_guest_thread *self,
                             const struct heaptap_guest_block *block)
{
    if (!guest || !block)
        return;
    struct heaptap_guest_state *state = guest->state;
    if (!state) {
        guest->thread.countdown = UINT64_MAX;
        return;
    }
    uint32_t row =
        block->address ? row_find(state, self, block->type, block->location, block->hint) : 0;
    if (!state->every)
        drawn_ask(state, block->address, block->bytes, row, block->minor, false);
    else if (block->address)
        keep(state, block->address, block->bytes, row, block->minor, false);
}

void heaptap_guest_freed(struct heaptap_guest *guest, uint64_t address)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    if (!state)
        return;
    if (!state->every) {
        heaptap_thread_freed(&state->engine, &guest->thread, address);
        return;
    }
    struct block_slot *slot = blocks_slot(&state->blocks, address);
    if (slot && slot->note)
        end_slot(state, slot, address);
    else if (address)
        state->report.header->unknown_frees++;
}

/* ---- Resizing ---------------------------------------------------------------------------- */

/* Takes the old block out; returns its type. */
static uint32_t begin_every(struct heaptap_guest_state *state, struct heaptap_guest_resize *resize)
{
    struct block_slot *slot = blocks_slot(&state->blocks, resize->address);
    if (!resize->address || !slot || !slot->note)
        return HEAPTAP_GUEST_UNKNOWN;
    resize->known = true;
    resize->note[0] = slot->note;
    resize->note[1] = slot->birth;
    resize->note[2] = state->trace ? *blocks_id(&state->blocks, resize->address) : 0;
    resize->minor = slot->note & NOTE_MINOR;
    slot->note = 0;
    return state->report.rows[note_row(resize->note[0])].type;
}

static uint32_t begin_drawn(struct heaptap_guest_state *state, struct heaptap_guest_resize *resize)
{
    const struct drawn *drawn = drawn_forget(state, resize->address, &resize->forgotten);
    resize->known = resize->forgotten.tracked != NULL;
    return drawn ? state->report.rows[drawn->row].type : HEAPTAP_GUEST_UNKNOWN;
}

void heaptap_guest_resize_begun(struct heaptap_guest *guest, struct heaptap_guest_thread *self,
                                struct heaptap_guest_resize *resize, uint32_t type,
                                uint32_t location, const void *hint)
{
    if (!guest || !resize)
        return;
    struct heaptap_guest_state *state = guest->state;
    resize->known = resize->minor = false;
    resize->forgotten.tracked = NULL;
    if (!state) {
        if (resize->drawn)
            guest->thread.countdown = UINT64_MAX;
        resize->active = false;
        return;
    }
    uint32_t old_type = state->every ? begin_every(state, resize) : begin_drawn(state, resize);
    if (type == HEAPTAP_GUEST_SAME)
        type = old_type;
    resize->row = resize->drawn ? row_find(state, self, type, location, hint) : 0;
}

void heaptap_guest_resize_committed(struct heaptap_guest *guest,
                                    struct heaptap_guest_resize *resize, uint64_t address)
{
    if (!guest || !resize)
        return;
    struct heaptap_guest_state *state = guest->state;
    bool resized = resize->address != 0;
    if (!state)
        return;
    if (state->every) {
        if (resize->known) {
            row_remove(state, note_row(resize->note[0]), note_bytes(resize->note[0]),
                       GUEST_WEIGHT_ONE, resize->note[1] & ~BIRTH_RESIZED, ROW_LEFT);
            if (state->trace)
                trace_collect(state, resize->note[2]);
        }
        if (address)
            keep(state, address, resize->bytes, resize->row, resize->minor, resized);
        return;
    }
    state->leaving = true;
    heaptap_thread_forget_keep(&state->engine, &guest->thread, &resize->forgotten);
    state->leaving = false;
    if (resize->drawn)
        drawn_ask(state, address, resize->bytes, resize->row, resize->minor, resized);
}

void heaptap_guest_resize_undone(struct heaptap_guest *guest, struct heaptap_guest_resize *resize)
{
    if (!guest || !resize)
        return;
    struct heaptap_guest_state *state = guest->state;
    if (!state)
        return;
    if (!state->every) {
        heaptap_thread_forget_undo(&state->engine, &guest->thread, &resize->forgotten);
        if (resize->drawn) /* the engine waits for a block; there is none */
            drawn_ask(state, 0, resize->bytes, 0, false, false);
    } else if (resize->known) {
        *blocks_slot(&state->blocks, resize->address) =
            (struct block_slot){resize->note[0], resize->note[1]};
        if (state->trace)
            *blocks_id(&state->blocks, resize->address) = resize->note[2];
    }
}

/* ---- Types ------------------------------------------------------------------------------- */

static uint32_t row_of_type(struct heaptap_guest_state *state, uint32_t row, uint32_t type)
{
    return report_row(&state->report, state->report.rows[row].site, type);
}

static void retype_drawn(struct heaptap_guest_state *state, struct drawn *drawn, uint32_t type)
{
    uint32_t to = row_of_type(state, drawn->row, type);
    if (drawn->row != to)
        row_transfer(state, drawn->row, to, drawn->bytes, drawn->weight, drawn->samples,
                     drawn->birth, drawn->resized);
    drawn->row = to;
}

void heaptap_guest_retype(struct heaptap_guest *guest, uint64_t address, uint32_t type)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    struct heaptap_forgotten forgotten;
    if (!state)
        return;
    if (state->every) {
        struct block_slot *slot = blocks_slot(&state->blocks, address);
        if (!slot || !slot->note)
            return;
        uint32_t from = note_row(slot->note), to = row_of_type(state, from, type);
        uint64_t bytes = note_bytes(slot->note);
        if (from != to)
            row_transfer(state, from, to, bytes, GUEST_WEIGHT_ONE, bytes, slot_birth(slot),
                         slot->birth & BIRTH_RESIZED);
        slot->note = note_make(to, bytes, slot->note & NOTE_MINOR);
    } else {
        struct drawn *drawn = drawn_forget(state, address, &forgotten);
        if (drawn)
            retype_drawn(state, drawn, type);
        heaptap_thread_forget_undo(&state->engine, &guest->thread, &forgotten);
    }
}

/* ---- Collectors --------------------------------------------------------------------------- */

static void arrive(struct heaptap_guest_state *state, uint64_t to, const struct block_slot *from,
                   uint64_t id)
{
    struct block_slot *slot = blocks_make_slot(&state->blocks, to);
    if (!slot) {
        state->report.header->lost_samples += note_bytes(from->note);
        return;
    }
    if (slot->note)
        end_slot(state, slot, to);
    *slot = *from;
    if (state->trace)
        *blocks_id(&state->blocks, to) = id;
}

void heaptap_guest_moved(struct heaptap_guest *guest, uint64_t from, uint64_t to, bool promoted)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    if (!state)
        return;
    if (!state->every) {
        drawn_move(state, from, to, promoted);
        return;
    }
    struct block_slot *slot = blocks_slot(&state->blocks, from), moved;
    if (!slot || !slot->note)
        return;
    moved = *slot;
    slot->note = 0;
    uint64_t id = state->trace ? *blocks_id(&state->blocks, from) : 0;
    if (promoted && moved.note & NOTE_MINOR) {
        moved.note &= ~NOTE_MINOR;
        row_promote(state, note_row(moved.note), note_bytes(moved.note), GUEST_WEIGHT_ONE);
        if (state->trace)
            trace_promote(state, id);
    }
    if (!state->collecting)
        arrive(state, to, &moved, id);
    else if (!blocks_add_move(&state->blocks, to, &moved, id))
        state->report.header->lost_samples += note_bytes(moved.note);
}

void heaptap_guest_gc_begin(struct heaptap_guest *guest)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    if (!state)
        return;
    state->report.header->collections++;
    state->collected_before = state->collected_at;
    state->collected_at = state->report.header->clock;
    state->collecting = state->collected = true;
    if (!state->every)
        heaptap_thread_gc_begin(&state->engine, &guest->thread);
}

void heaptap_guest_gc_end(struct heaptap_guest *guest)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    if (!state)
        return;
    state->collecting = false;
    if (!state->every)
        drawn_collected(state);
    for (size_t i = 0; i < state->blocks.moves_used; i++)
        arrive(state, state->blocks.moves[i].to, &state->blocks.moves[i].slot,
               state->blocks.moves[i].id);
    state->blocks.moves_used = 0;
}

void heaptap_guest_region_reset(struct heaptap_guest *guest, const void *low, const void *high)
{
    struct heaptap_guest_state *state = guest_state_of(guest);
    uint64_t at = (uint64_t)(uintptr_t)low, end = (uint64_t)(uintptr_t)high;
    struct block_slot *slot;
    if (!state)
        return;
    if (!state->every)
        heaptap_thread_region_reset(&state->engine, &guest->thread, at, end);
    else
        while ((slot = blocks_next(&state->blocks, &at, end)))
            end_slot(state, slot, at++);
}
