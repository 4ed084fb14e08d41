#include "profile/guest_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from)
{
    to->allocated += from->allocated;
    to->bytes += from->bytes;
    to->samples += from->samples;
    to->start_allocated += from->start_allocated;
    to->start_bytes += from->start_bytes;
    to->resized += from->resized;
    to->left += from->left;
    to->freed += from->freed;
    to->live += from->live;
    to->live_bytes += from->live_bytes;
    to->peak_bytes += from->peak_bytes;
    to->promoted += from->promoted;
    to->promoted_bytes += from->promoted_bytes;
    to->temporary += from->temporary;
    to->age_sum += from->age_sum;
    to->live_age_sum += from->live_age_sum;
}

static bool add_zero_records(struct guest_profile *profile)
{
    if (!ARRAY_RESERVE(&profile->sites, &profile->site_capacity, 1) ||
        !ARRAY_RESERVE(&profile->nodes, &profile->node_capacity, 1) ||
        !ARRAY_RESERVE(&profile->types, &profile->type_capacity, 1))
        return false;
    profile->sites[0] = (struct guest_site){0};
    profile->nodes[0] = (struct guest_stack){0};
    profile->types[0] = NULL;
    profile->site_count = profile->node_count = profile->type_count = 1;
    return true;
}

bool guest_profile_init(struct guest_profile *profile)
{
    *profile = (struct guest_profile){0};
    return add_zero_records(profile);
}

void guest_profile_release(struct guest_profile *profile)
{
    free(profile->heaps);
    free(profile->sites);
    free(profile->nodes);
    free(profile->types);
    free(profile->rows);
    free(profile->notes);
    names_release(&profile->names);
    map_release(&profile->by_node);
    map_release(&profile->by_site);
    *profile = (struct guest_profile){0};
}

const char *guest_profile_name(struct guest_profile *profile, const char *text)
{
    return text && *text ? names_intern(&profile->names, text, strlen(text)) : NULL;
}

static bool same_site(const struct guest_site *a, const struct guest_site *b)
{
    return a->file == b->file && a->function == b->function && a->line == b->line;
}

uint32_t guest_profile_site(struct guest_profile *profile, const char *file, const char *function,
                            uint32_t line)
{
    struct guest_site site = {guest_profile_name(profile, file),
                              guest_profile_name(profile, function), line};
    bool fresh;
    if (!site.file && !site.function && !site.line)
        return 0;
    uint64_t key =
        (uint64_t)(uintptr_t)site.file * 31 + (uint64_t)(uintptr_t)site.function * 17 + site.line;
    if (!ARRAY_RESERVE(&profile->sites, &profile->site_capacity, profile->site_count + 1))
        return UINT32_MAX;
    for (;; key = key * 0x9E3779B97F4A7C15u + 1) {
        uint32_t *found = map_put(&profile->by_site, key, (uint32_t)profile->site_count, &fresh);
        if (!found)
            return UINT32_MAX;
        if (fresh)
            profile->sites[profile->site_count++] = site;
        if (same_site(&profile->sites[*found], &site))
            return *found;
    }
}

uint32_t guest_profile_type(struct guest_profile *profile, const char *name)
{
    const char *interned = guest_profile_name(profile, name);
    if (!interned)
        return 0;
    for (size_t i = 1; i < profile->type_count; i++)
        if (profile->types[i] == interned)
            return (uint32_t)i;
    if (!ARRAY_RESERVE(&profile->types, &profile->type_capacity, profile->type_count + 1))
        return UINT32_MAX;
    profile->types[profile->type_count] = interned;
    return (uint32_t)profile->type_count++;
}

uint32_t guest_profile_stack(struct guest_profile *profile, uint32_t parent, uint32_t site)
{
    bool fresh;
    if (!ARRAY_RESERVE(&profile->nodes, &profile->node_capacity, profile->node_count + 1))
        return UINT32_MAX;
    uint32_t *found = map_put(&profile->by_node, (uint64_t)parent << 32 | site,
                              (uint32_t)profile->node_count, &fresh);
    if (!found)
        return UINT32_MAX;
    if (fresh)
        profile->nodes[profile->node_count++] = (struct guest_stack){parent, site};
    return *found;
}
