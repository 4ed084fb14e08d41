#include "fleet/site_matching.h"

#include <string.h>

#include "base/map.h"

#define NO_NUMBER UINT32_MAX
enum { BOTH_SIDES = 3, SIDE_BITS = 2, PARTS_MOST = 16 };

struct matching {
    const struct store_sites *sides;
    uint32_t *const *numbers; /* NO_NUMBER: not yet */
    uint32_t count;
    struct names names; /* of both: equal texts are one pointer */
    struct map
        keys; /* function and end of the path -> the sides that have it, and 1 more than its number */
};

/* The last parts of a path, the file's name being one; 0 for all of it. */
static const char *end_of(const char *path, unsigned parts)
{
    const char *at = path + strlen(path);
    while (parts > 0 && at > path) {
        at--;
        if (*at == '/' && --parts == 0)
            return at + 1;
    }
    return path;
}

/* ---- Keys ---------------------------------------------------------------------------- */

static const char *intern(struct matching *matching, const char *text)
{
    return names_copy(&matching->names, text);
}

/* What is known of a site's function and the end of its path; NULL when there is no memory. */
static uint32_t *known_of(struct matching *matching, unsigned parts, const struct store_site *site)
{
    const char *function = intern(matching, site->function);
    const char *file = intern(matching, end_of(site->file, parts));
    bool fresh;
    if (!function || !file)
        return NULL;
    uint64_t key =
        (uint64_t)(uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)file;
    return map_put(&matching->keys, key, 0, &fresh);
}

static void number_it(struct matching *matching, uint32_t *known, uint32_t *number)
{
    if ((*known & BOTH_SIDES) != BOTH_SIDES)
        return;
    if (*known == BOTH_SIDES)
        *known |= ++matching->count << SIDE_BITS;
    *number = (*known >> SIDE_BITS) - 1;
}

/* Numbers the sites that are on both sides by the end of their paths. */
static bool match(struct matching *matching, unsigned parts)
{
    bool done = true;
    for (int round = 0; round < 2; round++)
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; done && i < matching->sides[side].count; i++) {
                uint32_t *number = &matching->numbers[side][i], *known;
                if (*number != NO_NUMBER)
                    continue;
                if (!(known = known_of(matching, parts, &matching->sides[side].items[i])))
                    done = false;
                else if (round == 0)
                    *known |= 1u << side;
                else
                    number_it(matching, known, number);
            }
    map_release(&matching->keys);
    matching->keys = (struct map){0};
    return done;
}

/* ---- All ----------------------------------------------------------------------------- */

bool site_matching(const struct store_sites sides[2], uint32_t *const numbers[2], uint32_t *count)
{
    struct matching matching = {.sides = sides, .numbers = numbers};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side].count; i++)
            numbers[side][i] = NO_NUMBER;
    bool done = match(&matching, 0);
    for (unsigned parts = PARTS_MOST; done && parts > 0; parts--)
        done = match(&matching, parts);
    for (int side = 0; done && side < 2; side++)
        for (size_t i = 0; i < sides[side].count; i++)
            if (numbers[side][i] == NO_NUMBER)
                numbers[side][i] = matching.count++;
    names_release(&matching.names);
    *count = matching.count;
    return done;
}
