#include "symbol/known_code.h"

#include <stdlib.h>

#include "base/array.h"

void known_codes_release(struct known_codes *known)
{
    map_release(&known->by_hash);
    free(known->items);
    *known = (struct known_codes){0};
}

static uint64_t hash_of(const struct code_place *place)
{
    uint64_t hash = map_mix(place->file, place->map_offset);
    return map_mix(map_mix(hash, place->map_size), place->from_address);
}

static bool is_same(const struct code_place *a, const struct code_place *b)
{
    return a->file == b->file && a->map_offset == b->map_offset && a->map_size == b->map_size &&
           a->from_address == b->from_address;
}

const struct symbol_answer *known_codes_find(const struct known_codes *known,
                                             const struct code_place *place)
{
    const uint32_t *first = map_find(&known->by_hash, hash_of(place));
    for (uint32_t i = first ? *first : KNOWN_CODE_NONE; i != KNOWN_CODE_NONE;
         i = known->items[i].next)
        if (is_same(&known->items[i].place, place))
            return &known->items[i].answer;
    return NULL;
}

bool known_codes_put(struct known_codes *known, const struct code_place *place,
                     struct symbol_answer answer)
{
    bool fresh;
    if (known_codes_find(known, place))
        return true;
    if (!ARRAY_RESERVE(&known->items, &known->capacity, known->count + 1))
        return false;
    uint32_t number = (uint32_t)known->count;
    uint32_t *latest = map_put(&known->by_hash, hash_of(place), number, &fresh);
    if (!latest)
        return false;
    known->items[known->count++] =
        (struct known_code){*place, answer, fresh ? KNOWN_CODE_NONE : *latest};
    *latest = number;
    return true;
}
