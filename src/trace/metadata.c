#include "trace/reader.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/trace_format.h"
#include "trace/get.h"

/* A record's fields, taken one after another; `ok` falls where they end too early. */
struct fields {
    const uint8_t *at, *end;
    bool ok;
};

static const uint8_t *take(struct fields *fields, size_t size)
{
    static const uint8_t nothing[HEAPTAP_BUILD_ID_MAX];
    fields->ok = fields->ok && (size_t)(fields->end - fields->at) >= size;
    if (!fields->ok)
        return nothing;
    fields->at += size;
    return fields->at - size;
}

static const char *take_text(struct fields *fields, struct names *names)
{
    const uint8_t *stop =
        fields->at < fields->end ? memchr(fields->at, 0, (size_t)(fields->end - fields->at)) : NULL;
    fields->ok = fields->ok && stop;
    if (!fields->ok)
        return NULL;
    const char *text = names_intern(names, (const char *)fields->at, (size_t)(stop - fields->at));
    fields->at = stop + 1;
    fields->ok = text;
    return text;
}

static void take_module(struct fields *fields, struct names *names, struct heaptap_metadata *record)
{
    record->address = get_64(take(fields, 8));
    record->size_bytes = get_64(take(fields, 8));
    record->file_offset = get_64(take(fields, 8));
    record->loaded_us = (int64_t)get_64(take(fields, 8));
    record->unloaded_us = (int64_t)get_64(take(fields, 8));
    record->build_id_size = *take(fields, 1);
    fields->ok = fields->ok && record->build_id_size <= HEAPTAP_BUILD_ID_MAX;
    if (fields->ok)
        memcpy(record->build_id, take(fields, record->build_id_size), record->build_id_size);
    record->name = take_text(fields, names);
    if (fields->ok && fields->end - fields->at >= 8) /* what earlier recorders did not write */
        record->number = get_64(take(fields, 8));
}

/* False for a kind that isn't known. */
static bool take_record(struct fields *fields, struct names *names, struct heaptap_metadata *record)
{
    switch (record->kind) {
    case HEAPTAP_PROPERTY:
    case HEAPTAP_HOLDERS:
        record->name = take_text(fields, names);
        record->value = take_text(fields, names);
        return true;
    case HEAPTAP_MODULE:
        take_module(fields, names, record);
        return true;
    case HEAPTAP_THREAD:
    case HEAPTAP_DROPS:
        record->domain = get_16(take(fields, 2));
        record->number = get_64(take(fields, 8));
        break;
    case HEAPTAP_TYPE:
    case HEAPTAP_STOPPED:
    case HEAPTAP_ENDED:
        record->number = get_64(take(fields, 8));
        break;
    case HEAPTAP_TEST:
        record->begin_us = (int64_t)get_64(take(fields, 8));
        record->end_us = (int64_t)get_64(take(fields, 8));
        record->name = take_text(fields, names);
        record->value = take_text(fields, names);
        return true;
    default:
        return false;
    }
    record->name = take_text(fields, names);
    return true;
}

/* A recorder keeps room for what it might have to say where the file can't grow any more; else that says whether an end is to follow. */
static bool is_room(const struct heaptap_metadata *record)
{
    return record->kind == HEAPTAP_STOPPED && record->number == UINT64_MAX;
}

/* False for any other record. */
static bool take_room(struct heaptap_reader *reader, const struct heaptap_metadata *record)
{
    if (!is_room(record))
        return false;
    reader->expects_end |= strcmp(record->name, STOP_END_FOLLOWS) == 0;
    reader->has_end |= strcmp(record->name, STOP_END) == 0;
    return true;
}

enum heaptap_status reader_check_end(const struct heaptap_reader *reader, uint64_t offset,
                                     struct heaptap_error *error)
{
    return reader->expects_end && !reader->has_end
               ? error_at(error, offset, "the trace ends here, before the end that it announces")
               : HEAPTAP_OK;
}

/* A module that is unloaded has its record again, with the time of that, which takes the first one's place. */
static bool replaces_module(struct heaptap_reader *reader, const struct heaptap_metadata *record)
{
    if (record->kind != HEAPTAP_MODULE || record->unloaded_us < 0)
        return false;
    for (size_t i = reader->metadata_count; i-- > 0;) {
        struct heaptap_metadata *known = &reader->metadata[i];
        if (known->kind == HEAPTAP_MODULE && known->address == record->address &&
            known->number == record->number && known->loaded_us == record->loaded_us &&
            known->unloaded_us < 0 && strcmp(known->name, record->name) == 0) {
            *known = *record;
            return true;
        }
    }
    return false;
}

enum heaptap_status reader_take_metadata(struct heaptap_reader *reader, const uint8_t *at,
                                         const uint8_t *end, struct heaptap_error *error)
{
    while (end - at >= FORMAT_RECORD_HEADER_BYTES) {
        size_t size = get_32(at + 1);
        struct heaptap_metadata record = {.kind = (enum heaptap_metadata_kind)at[0]};
        at += FORMAT_RECORD_HEADER_BYTES;
        if ((size_t)(end - at) < size)
            break;
        struct fields fields = {at, at + size, true};
        at += size;
        if (record.kind == METADATA_HALVINGS) {
            thinning_begin(&reader->thinning, &reader->info);
            continue;
        }
        if (!take_record(&fields, &reader->frames.names, &record) || !fields.ok)
            continue;
        reader->has_records = true;
        if (take_room(reader, &record) || replaces_module(reader, &record))
            continue;
        if (!ARRAY_RESERVE(&reader->metadata, &reader->metadata_capacity,
                           reader->metadata_count + 1))
            return error_no_memory(error);
        reader->metadata[reader->metadata_count++] = record;
    }
    return HEAPTAP_OK;
}
