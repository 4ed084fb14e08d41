#include "pprof/write/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/write/writing.h"

const char pprof_unit_bytes[] = "bytes";
static const char unit_count[] = "count", type_space[] = "space";

static void put_type_fields(struct pprof_writing *writing, const char *name, const char *unit)
{
    pprof_writing_string(writing, TYPE_NAME, name);
    pprof_writing_string(writing, TYPE_UNIT, unit);
}

void pprof_writing_period_type(struct pprof_writing *writing)
{
    put_type_fields(writing, type_space, pprof_unit_bytes);
}

static const char *unit_of(const struct pprof_writing *writing, int type)
{
    return type == PPROF_LIFETIME ? pprof_time_units[writing->time_unit].name
           : pprof_is_bytes(type) ? pprof_unit_bytes
                                  : unit_count;
}

static void put_types(struct pprof_writing *writing)
{
    for (int i = 0; i < writing->value_count; i++) {
        protobuf_begin(&writing->out, PROFILE_SAMPLE_TYPE);
        put_type_fields(writing, pprof_value_names[i], unit_of(writing, i));
        protobuf_end(&writing->out);
    }
}

static void put_comment(struct pprof_writing *writing, const char *what, const char *text)
{
    char *comment;
    if (!text || !*text)
        return;
    int size = asprintf(&comment, "%s%s", what, text);
    if (size < 0) {
        writing->failed = true;
        return;
    }
    pprof_writing_string(writing, PROFILE_COMMENT,
                         pprof_strings_make(&writing->strings, comment, (size_t)size));
    free(comment);
}

static const char *command_of(const struct pprof_export *export)
{
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_PROPERTY &&
            strcmp(export->metadata[i].name, "command") == 0)
            return export->metadata[i].value;
    return export->info->executable;
}

static void put_time(struct pprof_writing *writing, unsigned field, int64_t time_us)
{
    int64_t time_ns;
    if (!__builtin_mul_overflow(time_us, 1000, &time_ns) && time_ns > 0)
        protobuf_number(&writing->out, field, (uint64_t)time_ns);
}

static void put_period(struct pprof_writing *writing)
{
    double period = round(writing->export->groups->estimate.bytes_per_sample);
    if (writing->export->events) {
        pprof_chunks_put_last(writing);
    } else {
        protobuf_begin(&writing->out, PROFILE_PERIOD_TYPE);
        pprof_writing_period_type(writing);
        protobuf_end(&writing->out);
    }
    protobuf_number(&writing->out, PROFILE_PERIOD, period < 0x1p62 ? (uint64_t)period : 1ULL << 62);
}

static void put_drops(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    uint64_t dropped = 0;
    char number[24];
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_DROPS)
            dropped += export->metadata[i].number;
    snprintf(number, sizeof number, "%" PRIu64, dropped);
    if (dropped > 0)
        put_comment(writing, PPROF_DROPPED, number);
}

static void put_rest(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    put_time(writing, PROFILE_TIME, export->info->start_us);
    put_time(writing, PROFILE_DURATION, export->groups->last_us);
    put_period(writing);
    put_comment(writing, "context: ", export->info->context);
    put_comment(writing, "command: ", command_of(export));
    put_comment(writing, "filter: ", export->filter);
    if (export->with_host)
        put_comment(writing, "host: ", export->info->host);
    if (!export->complete)
        put_comment(writing, "", PPROF_CUT);
    put_drops(writing);
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_STOPPED)
            put_comment(writing, PPROF_ENDED_EARLY, export->metadata[i].name);
    pprof_writing_string(writing, PROFILE_DEFAULT_TYPE, pprof_value_names[PPROF_ALLOC_SPACE]);
}

/* Begins the file; where the trace has not been read yet, it is read now. */
static int begin(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    if (!export->events) {
        writing->value_count = PPROF_VALUES;
        pprof_samples_choose_unit(writing);
        put_types(writing);
        return 0;
    }
    writing->value_count = PPROF_INUSE_SPACE + 1;
    put_types(writing);
    return export->read(export->read_context, writing);
}

static void put_everything(struct pprof_writing *writing)
{
    pprof_samples_put(writing);
    pprof_places_put(writing);
    put_rest(writing);
    pprof_strings_put_all(&writing->strings, &writing->out);
    writing->failed |= writing->strings.failed;
}

static void release(struct pprof_writing *writing)
{
    symbols_release(&writing->functions);
    pprof_strings_release(&writing->strings);
    free(writing->through);
    free(writing->location_ids);
    free(writing->locations);
    free(writing->mappings);
}

int pprof_export_write(const struct pprof_export *export, struct heaptap_sink sink)
{
    struct pprof_writing writing = {.export = export};
    protobuf_init(&writing.out, sink);
    symbols_init(&writing.functions, GRAIN_FUNCTION);
    int code = begin(&writing);
    if (code == 0 && pprof_places_number(&writing))
        put_everything(&writing);
    else
        writing.failed = true;
    int finished = protobuf_finish(&writing.out);
    code = code ? code : finished;
    release(&writing);
    return writing.failed && code == 0 ? ENOMEM : code;
}
