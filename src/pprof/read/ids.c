/* Ids of most profiles are 1, 2, ... in the order of what bears them: then they need no map. */
#include "pprof/read/decoding.h"

#include "base/error.h"

static const char *const kind_names[] = {"mapping", "function", "location"};

static size_t count_of(const struct model *model, enum pprof_kind kind)
{
    return kind == PPROF_MAPPING    ? model->module_count
           : kind == PPROF_FUNCTION ? model->file->function_count
                                    : model->frame_count;
}

enum heaptap_status pprof_note_id(struct pprof_decoding *decoding, enum pprof_kind kind,
                                  uint64_t offset)
{
    struct map *ids = &decoding->ids[kind];
    size_t index = count_of(decoding->model, kind) - 1;
    uint64_t id = decoding->id;
    bool fresh;
    decoding->id = 0;
    if (id == 0)
        return error_at(decoding->error, offset, "a %s has the id 0, which is reserved",
                        kind_names[kind]);
    if (decoding->in_order[kind] && id == index + 1)
        return HEAPTAP_OK;
    for (size_t i = 0; decoding->in_order[kind] && i < index; i++)
        if (!map_put(ids, i + 1, (uint32_t)i, &fresh))
            return error_no_memory(decoding->error);
    decoding->in_order[kind] = false;
    if (!map_put(ids, id, (uint32_t)index, &fresh))
        return error_no_memory(decoding->error);
    if (!fresh)
        return error_at(decoding->error, offset, "a second %s has the id %llu", kind_names[kind],
                        (unsigned long long)id);
    return HEAPTAP_OK;
}

enum heaptap_status pprof_index_of(struct pprof_decoding *decoding, enum pprof_kind kind,
                                   uint64_t id, uint64_t offset, uint32_t *index)
{
    if (decoding->in_order[kind] && id - 1 < count_of(decoding->model, kind)) {
        *index = (uint32_t)(id - 1);
        return HEAPTAP_OK;
    }
    const uint32_t *found = decoding->in_order[kind] ? NULL : map_find(&decoding->ids[kind], id);
    if (!found)
        return error_at(decoding->error, offset, "there is no %s with the id %llu",
                        kind_names[kind], (unsigned long long)id);
    *index = *found;
    return HEAPTAP_OK;
}
