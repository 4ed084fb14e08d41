/* Whose blocks they are is known before the first of them, the rest at the trace's end. */
#include "profile/model_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/property.h"
#include "base/text.h"
#include "profile/builds.h"
#include "profile/holders.h"
#include "profile/suppression.h"

/* ---- Before the first event ---------------------------------------------------------- */

void model_take_heap(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *record, *records = heaptap_reader_metadata(reader, &count);
    model->is_collected = model->estimate.header_words > 0;
    for (size_t i = 0; i < count; i++)
        model->is_guest |= records[i].kind == HEAPTAP_TYPE;
    for (size_t at = 0; (record = property_next(records, count, &at, "language"));) {
        model->is_guest = true;
        model->is_collected |= !begins_with(record->value, "Python");
    }
}

bool model_take_processes(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind != HEAPTAP_PROCESS)
            continue;
        if (!ARRAY_RESERVE(&model->processes, &model->process_capacity, model->process_count + 1))
            return false;
        model->processes[model->process_count++] =
            (struct model_process){model_text(model, records[i].name), records[i].domain,
                                   records[i].begin_us, records[i].end_us};
    }
    return true;
}

/* ---- At the end ---------------------------------------------------------------------- */

bool model_know_domain(struct model *model, size_t domain)
{
    if (!ARRAY_RESERVE(&model->domains, &model->domain_capacity, domain + 1))
        return false;
    while (model->domain_count <= domain)
        model->domains[model->domain_count++] = (struct model_domain){
            "", 0, model->info.executable, model->info.pid, MODEL_NEVER, UINT64_MAX};
    return true;
}

static bool take_thread(struct model *model, const struct heaptap_metadata *record)
{
    const char *name = model_text(model, record->name);
    if (!name || !model_know_domain(model, record->domain))
        return false;
    model->domains[record->domain].name = name;
    model->domains[record->domain].thread = record->number;
    return true;
}

/* Of several: its domains are those up to the next's first, of which the record comes later. */
static bool take_process(struct model *model, const struct heaptap_metadata *record)
{
    const char *program = model_text(model, record->name);
    for (size_t i = record->domain; program && i < model->domain_count; i++) {
        model->domains[i].program = program;
        model->domains[i].pid = record->number;
    }
    return program;
}

/* A type's id is a code: the frame of that code, where it stands innermost, says that the block is
 * of the type. */
static bool take_type(struct model *model, const struct heaptap_metadata *record,
                      const struct heaptap_reader *reader)
{
    uint32_t frame;
    bool is_used = heaptap_reader_find_frame(reader, record->number, &frame);
    return model_add_type(model, is_used ? frame : MODEL_NONE, record->name);
}

static bool take_test(struct model *model, const struct heaptap_metadata *record)
{
    const char *name = model_text(model, record->name), *limits = model_text(model, record->value);
    if (!name || !limits ||
        !ARRAY_RESERVE(&model->tests, &model->test_capacity, model->test_count + 1))
        return false;
    model->tests[model->test_count++] =
        (struct model_test){name, limits, record->begin_us, record->end_us};
    return true;
}

static bool take_records(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = records[i].kind == HEAPTAP_THREAD    ? take_thread(model, &records[i])
               : records[i].kind == HEAPTAP_TYPE    ? take_type(model, &records[i], reader)
               : records[i].kind == HEAPTAP_TEST    ? take_test(model, &records[i])
               : records[i].kind == HEAPTAP_PROCESS ? take_process(model, &records[i])
                                                    : true;
    return done;
}

/* All of them as one expression. */
static bool take_suppressions(struct model *model, const struct heaptap_metadata *records,
                              size_t count)
{
    struct text regex = {0};
    const struct heaptap_metadata *record;
    for (size_t at = 0; (record = property_next(records, count, &at, "suppression"));) {
        text_put_string(&regex, model->suppression_count++ > 0 ? "|" : "");
        suppression_put_regex(&regex, record->value);
    }
    text_put_char(&regex, 0);
    if (model->suppression_count > 0 && !regex.failed)
        model->suppressed = model_text(model, regex.bytes);
    bool done = !regex.failed && (model->suppressed || model->suppression_count == 0);
    text_release(&regex);
    return done;
}

/* Before the frames, which look for theirs. */
static bool take_modules(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (records[i].kind == HEAPTAP_MODULE)
            done = model_take_module(model, &records[i]) != MODEL_NONE;
    return done;
}

static bool take_frames(struct model *model, const struct heaptap_reader *reader)
{
    uint32_t frames = heaptap_reader_frame_count(reader);
    for (uint32_t i = 0; i < frames; i++) {
        size_t count;
        uint64_t code = heaptap_reader_frame_code(reader, i);
        const struct heaptap_location *locations =
            heaptap_reader_frame_locations(reader, i, &count);
        if (model_add_frame(model, code, model_module_of(model, code), locations, count) ==
            MODEL_NONE)
            return false;
    }
    return true;
}

/* The least of all processes, which an address space is not shared by. */
static void take_limit(struct model *model, const struct heaptap_metadata *record)
{
    static const char *const kinds[] = {"cgroup", "machine", "address-space"};
    const char *space = strchr(record->value, ' ');
    double bytes = space ? strtod(space, NULL) : 0;
    size_t size = space ? (size_t)(space - record->value) : 0,
           count = sizeof kinds / sizeof *kinds - (model->process_count > 1);
    for (size_t i = 0; bytes > 0 && bytes < 0x1p62 && i < count; i++)
        if (strlen(kinds[i]) == size && memcmp(kinds[i], record->value, size) == 0 &&
            (model->memory_limit == 0 || bytes < model->memory_limit)) {
            model->memory_limit = bytes;
            model->memory_limit_of = kinds[i];
        }
}

static void take_limits(struct model *model, const struct heaptap_metadata *records, size_t count)
{
    const struct heaptap_metadata *record;
    for (size_t at = 0; (record = property_next(records, count, &at, "memory-limit"));)
        take_limit(model, record);
}

bool model_take_metadata(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    model_take_heap(model, reader);
    take_limits(model, records, count);
    model->asked_holders = property_text(records, count, "holders");
    return take_modules(model, reader) && take_frames(model, reader) && builds_tell_apart(model) &&
           take_records(model, reader) && holders_take(model, reader) &&
           take_suppressions(model, records, count);
}
