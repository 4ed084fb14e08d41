/* The arrays of a guest thread's call stack. */
#include <string.h>

#include "heaptap/guest.h"
#include "tap/inside/pages.h"

enum { FIRST_CAPACITY = 512, MOST_CALLS = 1 << 20 };

static bool grow(struct heaptap_guest_thread *self)
{
    uint32_t capacity = self->capacity ? 2 * self->capacity : FIRST_CAPACITY;
    if (capacity > MOST_CALLS)
        return false;
    uint32_t *both = pages_map(2 * (size_t)capacity * sizeof *both);
    if (!both)
        return false;
    if (self->capacity) {
        memcpy(both, self->locations, self->capacity * sizeof *both);
        memcpy(both + capacity, self->nodes, self->capacity * sizeof *both);
        pages_unmap(self->locations, 2 * (size_t)self->capacity * sizeof *both);
    }
    self->locations = both;
    self->nodes = both + capacity;
    self->capacity = capacity;
    return true;
}

void heaptap_guest_push_slow(struct heaptap_guest_thread *self, uint32_t location)
{
    if (!self)
        return;
    if (self->excess == 0 && grow(self))
        heaptap_guest_push(self, location);
    else
        self->excess++;
}

void heaptap_guest_thread_release(struct heaptap_guest_thread *self)
{
    if (!self)
        return;
    pages_unmap(self->locations, 2 * (size_t)self->capacity * sizeof *self->locations);
    memset(self, 0, sizeof *self);
}
