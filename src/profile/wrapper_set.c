#include "profile/wrapper_set.h"
#include "base/path.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t wrappers_hash(const struct heaptap_location *location)
{
    const char *file = location->file ? location->file : "";
    file = path_file(file);
    return XXH3_64bits_withSeed(location->function, strlen(location->function),
                                XXH3_64bits(file, strlen(file)));
}

bool wrappers_have(const struct wrappers *wrappers, const struct heaptap_location *location)
{
    return wrappers && wrappers->by_name.count > 0 && location &&
           map_find(&wrappers->by_name, wrappers_hash(location));
}

bool wrappers_join(struct wrappers *wrappers, const struct wrappers *from)
{
    bool fresh, done = true;
    for (size_t i = 0; done && from->by_name.slots && i <= from->by_name.mask; i++)
        if (from->by_name.slots[i].used)
            done = map_put(&wrappers->by_name, from->by_name.slots[i].key, 1, &fresh);
    return done;
}

void wrappers_release(struct wrappers *wrappers)
{
    map_release(&wrappers->by_name);
    *wrappers = (struct wrappers){0};
}
