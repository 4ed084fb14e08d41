#include "pprof/write/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/property.h"
#include "base/stop_reason.h"
#include "pprof/write/writing.h"

static const char unit_bytes[] = "bytes";

static const char *unit_of(const struct pprof_writing *writing, int type)
{
    return type == PPROF_LIFETIME ? pprof_time_units[writing->time_unit].name
           : pprof_is_bytes(type) ? unit_bytes
                                  : "count";
}

static bool add_types(struct pprof_writing *writing)
{
    struct model *model = writing->model;
    int count = writing->export->events ? PPROF_INUSE_SPACE + 1 : PPROF_VALUES;
    bool done = true;
    for (int i = 0; done && i < count; i++)
        done = model_add_value_type(writing->model, pprof_value_names[i], unit_of(writing, i));
    model->samples.default_type = PPROF_ALLOC_SPACE;
    model->file->period_type =
        (struct model_value_type){"space", names_copy(&model->names, unit_bytes)};
    return done && model->file->period_type.unit;
}

static void add_comment(struct pprof_writing *writing, const char *what, const char *text)
{
    char *comment;
    if (!text || !*text)
        return;
    bool done = asprintf(&comment, "%s%s", what, text) >= 0;
    if (done) {
        done = profile_add_comment(writing->model, comment);
        free(comment);
    }
    writing->encoding.failed |= !done;
}

static const char *command_of(const struct pprof_export *export)
{
    const char *command = property_text(export->metadata, export->metadata_count, "command");
    return command ? command : export->info->executable;
}

/* 0 where it is no time that a profile can have. */
static int64_t ns_of(int64_t time_us)
{
    int64_t time_ns;
    return !__builtin_mul_overflow(time_us, 1000, &time_ns) && time_ns > 0 ? time_ns : 0;
}

static void add_drops(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    uint64_t dropped = 0;
    char number[24];
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_DROPS)
            dropped += export->metadata[i].number;
    snprintf(number, sizeof number, "%" PRIu64, dropped);
    if (dropped > 0)
        add_comment(writing, PPROF_DROPPED, number);
}

/* What stands before a reason for which a recording stopped. */
static const char *early_of(const char *reason)
{
    return stop_is_of_file(reason) ? "" : PPROF_ENDED_EARLY;
}

static void add_rest(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    struct profile_file *file = writing->model->file;
    double period = round(export->groups->estimate.bytes_per_sample);
    file->time_ns = ns_of(export->info->start_us);
    file->duration_ns = ns_of(export->groups->last_us);
    file->period = period < 0x1p62 ? (int64_t)period : INT64_C(1) << 62;
    add_comment(writing, "context: ", export->info->context);
    add_comment(writing, "command: ", command_of(export));
    add_comment(writing, "filter: ", export->filter);
    if (export->with_host)
        add_comment(writing, "host: ", export->info->host);
    if (!export->complete)
        add_comment(writing, "", PPROF_CUT);
    add_drops(writing);
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_STOPPED)
            add_comment(writing, early_of(export->metadata[i].name), export->metadata[i].name);
}

/* Begins the file; where the trace has not been read yet, it is read now. */
static int begin(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    if (!export->events)
        pprof_samples_choose_unit(writing);
    if (!add_types(writing))
        return ENOMEM;
    pprof_encode_types(&writing->encoding);
    return export->events ? export->read(export->read_context, writing) : 0;
}

static void put_everything(struct pprof_writing *writing)
{
    pprof_samples_put(writing);
    writing->encoding.failed |= !pprof_places_add(writing);
    pprof_encode_places(&writing->encoding);
    if (writing->export->events)
        pprof_chunks_put_last(writing);
    add_rest(writing);
    pprof_encode_rest(&writing->encoding);
}

int pprof_export_write(const struct pprof_export *export, struct heaptap_sink sink)
{
    struct pprof_writing writing = {.export = export, .model = profile_new()};
    if (!writing.model)
        return ENOMEM;
    pprof_encode_begin(&writing.encoding, writing.model, sink);
    int code = begin(&writing);
    if (code == 0 && pprof_places_number(&writing))
        put_everything(&writing);
    else
        writing.encoding.failed = true;
    int finished = pprof_encode_end(&writing.encoding);
    model_free(writing.model);
    free(writing.through);
    free(writing.location_ids);
    free(writing.locations);
    return code ? code : finished;
}
