#include <heaptap/guest.h>
#include <stdlib.h>

static struct heaptap_guest heap;        /* zeroed: a heap that is not watched */
static struct heaptap_guest_thread self; /* zeroed: a call stack, empty */

int main(void)
{
    struct heaptap_guest_options options = {.script = "tiny.script"};
    heaptap_guest_start_if_requested(&heap, "Tiny", &options);
    uint32_t list = heaptap_guest_type(&heap, "list");
    uint32_t line3 = heaptap_guest_location(&heap, "tiny.script", "main", 3);
    uint32_t line4 = heaptap_guest_location(&heap, "tiny.script", "main", 4);

    for (int i = 0; i < 1000; i++) {
        void *p = malloc(32);
        heaptap_guest_alloc(&heap, &self, p, 32, list, line3);
        if (i % 2) {
            heaptap_guest_free(&heap, p);
            free(p);
        }
    }

    void *p = malloc(10);
    heaptap_guest_alloc(&heap, &self, p, 10, list, line3);
    struct heaptap_guest_resize resize;
    heaptap_guest_resize_begin(&heap, &self, &resize, p, 100, HEAPTAP_GUEST_SAME, line4, NULL);
    void *larger = realloc(p, 100);
    if (larger)
        heaptap_guest_resize_commit(&heap, &resize, larger);
    else
        heaptap_guest_resize_undo(&heap, &resize);
    heaptap_guest_stop(&heap);
}
