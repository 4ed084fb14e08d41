/* The items of a profile, of which there may be so many: what decodes each kind of them counts here. */
#include "base/error.h"
#include "pprof/read/decoding.h"

enum heaptap_status pprof_count_items(struct pprof_decoding *decoding, size_t more, uint64_t offset)
{
    decoding->items += more;
    return decoding->items <= decoding->bounds.items
               ? HEAPTAP_OK
               : error_at(
                     decoding->error, offset,
                     "the profile has more than %zu strings, functions, frames, values and labels",
                     decoding->bounds.items);
}
