/* From an allocation to its row. */
#include "tap/guest/state.h"

/* The node of the stack under way: only what is not resolved yet is looked up. */
static uint32_t node_of_calls(struct heaptap_guest_state *state, struct heaptap_guest_thread *self)
{
    if (!self || !self->depth)
        return 0;
    if (self->owner != state->guest) {
        self->owner = state->guest;
        self->resolved = 0;
    }
    uint32_t at = self->resolved < self->depth ? self->resolved : self->depth;
    uint32_t node = at ? self->nodes[at - 1] : 0;
    for (; at < self->depth; at++)
        self->nodes[at] = node = report_node(&state->report, node, self->locations[at]);
    if (self->resolved < self->depth)
        self->resolved = self->depth;
    return node;
}

uint32_t row_find(struct heaptap_guest_state *state, struct heaptap_guest_thread *self,
                  uint32_t type, uint32_t location, const void *hint)
{
    if (location == HEAPTAP_GUEST_ASK) {
        const struct heaptap_guest_options *options = &state->options;
        location = options->locate ? options->locate(options->context, state->guest, self, hint)
                                   : HEAPTAP_GUEST_UNKNOWN;
    }
    uint32_t site = location;
    if (state->stacks)
        site = report_node(&state->report, node_of_calls(state, self), location);
    if (site != state->last_site || type != state->last_type) {
        state->last_row = report_row(&state->report, site, type);
        state->last_site = site;
        state->last_type = type;
    }
    return state->last_row;
}

void row_transfer(struct heaptap_guest_state *state, uint32_t from, uint32_t to, uint64_t bytes,
                  uint64_t weight, uint64_t samples, uint64_t birth, bool resized)
{
    struct guest_row *old = &state->report.rows[from], *new = &state->report.rows[to];
    bool was_peak = old->live_bytes == old->peak_bytes;
    old->samples -= samples;
    *(resized ? &old->resized : &old->allocated) -= weight;
    old->bytes -= bytes;
    old->live_bytes -= bytes;
    if (was_peak) /* no other block is to blame for it */
        old->peak_bytes = old->live_bytes;
    old->birth_sum -= weighted(weight, birth);
    new->samples += samples;
    *(resized ? &new->resized : &new->allocated) += weight;
    new->bytes += bytes;
    new->live_bytes += bytes;
    if (new->live_bytes > new->peak_bytes)
        new->peak_bytes = new->live_bytes;
    new->birth_sum += weighted(weight, birth);
}
