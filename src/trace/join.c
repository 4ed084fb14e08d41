#include "trace/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/property.h"
#include "base/array.h"
#include "base/error.h"
#include "trace/join_state.h"

static void release(struct heaptap_reader *reader)
{
    struct join *join = reader->join;
    for (size_t i = 0; i < join->count; i++) {
        joined_part_release(&join->traces[i].part);
        id_table_release(&join->traces[i].alive);
        heaptap_reader_close(join->traces[i].reader);
    }
    for (unsigned i = 0; join->domains && i < join->domain_count; i++)
        free(join->domains[i].stack);
    joined_frames_release(&join->frames);
    free(join->domains);
    free(join->left);
    free(join->heap);
    free(join->traces);
    free(join);
}

/* ---- What is known of all ------------------------------------------------------------- */

static uint64_t stored_bytes(const struct heaptap_reader *reader)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < reader->join->count; i++)
        sum += heaptap_reader_stored_bytes(reader->join->traces[i].reader);
    return sum;
}

static const char *compression(const struct heaptap_reader *reader)
{
    return heaptap_reader_compression(reader->join->traces[0].reader);
}

/* ---- Opening -------------------------------------------------------------------------- */

static enum heaptap_status begin_again(struct heaptap_reader **reader,
                                       const struct heaptap_reader_options *options,
                                       struct heaptap_error *error)
{
    struct join *join = (*reader)->join;
    struct reader_ending ending = (*reader)->ending;
    struct heaptap_reader_options how = *options;
    size_t count = join->count;
    struct heaptap_reader **readers = calloc(count, sizeof *readers);
    const char **names = calloc(count, sizeof *names);
    enum heaptap_status status = readers && names ? HEAPTAP_OK : error_no_memory(error);
    how.order = HEAPTAP_TRUE_ORDER;
    for (size_t i = 0; status == HEAPTAP_OK && i < count; i++) {
        status = reader_begin_again(&join->traces[i].reader, &how, error);
        readers[i] = join->traces[i].reader;
        names[i] = join->traces[i].name;
    }
    for (size_t i = 0; status == HEAPTAP_OK && i < count; i++)
        join->traces[i].reader = NULL;
    heaptap_reader_close(*reader);
    *reader = NULL;
    if (status == HEAPTAP_OK)
        status = readers_join(reader, readers, names, count, error);
    if (status == HEAPTAP_OK)
        (*reader)->ending = ending;
    free(readers);
    free(names);
    return status;
}

static const struct reader_calls calls = {join_next, begin_again, stored_bytes, compression,
                                          release};

/* The trace that began first, which says what the joined one is; the lowest rate. */
static void take_info(struct heaptap_reader *joined)
{
    const struct join *join = joined->join;
    struct heaptap_trace_info *info = &joined->info;
    *info = join->traces[0].reader->info;
    double rate = info->sample_rate;
    for (size_t i = 1; i < join->count; i++) {
        const struct heaptap_trace_info *own = &join->traces[i].reader->info;
        if (own->sample_rate < rate)
            rate = own->sample_rate;
        if (own->start_us < info->start_us)
            *info = *own;
    }
    info->sample_rate = rate;
}

static enum heaptap_status check_words(const struct join *join, struct heaptap_error *error)
{
    const struct joined_trace *first = join->traces;
    for (size_t i = 1; i < join->count; i++)
        if (join->traces[i].reader->info.word_bits != first->reader->info.word_bits)
            return error_set(error, HEAPTAP_BAD_ARGUMENT,
                             "%.120s has words of %u bits, and %.120s of %u: they can't be read as "
                             "one",
                             first->name, first->reader->info.word_bits, join->traces[i].name,
                             join->traces[i].reader->info.word_bits);
    return HEAPTAP_OK;
}

/* One past the highest number of its domains, of those of its threads' records, too. */
static unsigned domain_end(const struct heaptap_reader *reader)
{
    unsigned end = reader->domain_end;
    for (size_t i = 0; i < reader->metadata_count; i++) {
        const struct heaptap_metadata *record = &reader->metadata[i];
        bool has_domain = record->kind == HEAPTAP_THREAD || record->kind == HEAPTAP_DROPS;
        if (has_domain && record->domain >= end)
            end = record->domain + 1u;
    }
    return end ? end : 1;
}

static bool has_property(const struct heaptap_reader *joined, const struct heaptap_metadata *record)
{
    const struct heaptap_metadata *known;
    for (size_t at = 0;
         (known = property_next(joined->metadata, joined->metadata_count, &at, record->name));)
        if (strcmp(known->value, record->value) == 0)
            return true;
    return false;
}

static bool add_record(struct heaptap_reader *joined, const struct heaptap_metadata *record)
{
    if (!ARRAY_RESERVE(&joined->metadata, &joined->metadata_capacity, joined->metadata_count + 1))
        return false;
    joined->metadata[joined->metadata_count++] = *record;
    return true;
}

/* Modules and ends have been taken, types will be.  Records of holders use the numbers and codes of their own trace. */
static bool take_record(struct heaptap_reader *joined, const struct joined_trace *trace,
                        const struct heaptap_metadata *record)
{
    struct heaptap_metadata own = *record;
    switch (record->kind) {
    case HEAPTAP_MODULE:
    case HEAPTAP_TYPE:
    case HEAPTAP_ENDED:
    case HEAPTAP_HOLDERS:
        return true;
    case HEAPTAP_PROPERTY:
        return has_property(joined, record) || add_record(joined, record);
    case HEAPTAP_THREAD:
    case HEAPTAP_DROPS:
        own.domain = (uint16_t)(own.domain + trace->first_domain);
        break;
    case HEAPTAP_STOPPED:
        own.number += (uint64_t)trace->later_us;
        break;
    default:
        own.begin_us += trace->later_us;
        own.end_us += trace->later_us;
    }
    return add_record(joined, &own);
}

/* The last that its recorder said. */
static int64_t exit_of(const struct joined_trace *trace)
{
    int64_t exit_us = INT64_MAX;
    for (size_t i = 0; i < trace->reader->metadata_count; i++)
        if (trace->reader->metadata[i].kind == HEAPTAP_ENDED)
            exit_us = trace->later_us + (int64_t)trace->reader->metadata[i].number;
    return exit_us;
}

static bool take_metadata(struct heaptap_reader *joined, struct joined_trace *trace)
{
    const struct heaptap_trace_info *info = &trace->reader->info;
    struct heaptap_metadata process = {.kind = HEAPTAP_PROCESS,
                                       .name = info->executable,
                                       .value = trace->name,
                                       .number = info->pid,
                                       .domain = (uint16_t)trace->first_domain,
                                       .begin_us = trace->later_us,
                                       .end_us = trace->exit_us};
    bool done = add_record(joined, &process) &&
                joined_part_add(&joined->join->frames, &trace->part, trace->later_us);
    for (size_t i = 0; done && i < trace->reader->metadata_count; i++)
        done = take_record(joined, trace, &trace->reader->metadata[i]);
    return done;
}

static enum heaptap_status take_traces(struct heaptap_reader *joined, struct heaptap_error *error)
{
    struct join *join = joined->join;
    int64_t ended_us = -1; /* the last of them */
    for (size_t i = 0; i < join->count; i++) {
        struct joined_trace *trace = &join->traces[i];
        trace->first_domain = join->domain_count;
        join->domain_count += domain_end(trace->reader);
        if (join->domain_count > DOMAIN_COUNT)
            return error_set(error, HEAPTAP_BAD_ARGUMENT,
                             "the traces have more than %d threads or domains: they can't be read "
                             "as one",
                             DOMAIN_COUNT);
        trace->later_us = trace->reader->info.start_us - joined->info.start_us;
        trace->kept = joined->info.sample_rate / trace->reader->info.sample_rate;
        trace->key_us = INT64_MIN;
        trace->exit_us = exit_of(trace);
        trace->part.reader = trace->reader;
        id_table_init(&trace->alive, sizeof(uint16_t));
        joined->walk.has_regions |= trace->reader->walk.has_regions;
        if (!take_metadata(joined, trace))
            return error_no_memory(error);
        ended_us =
            trace->exit_us != INT64_MAX && trace->exit_us > ended_us ? trace->exit_us : ended_us;
    }
    if (ended_us >= 0 &&
        !add_record(joined, &(struct heaptap_metadata){
                                .kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)ended_us}))
        return error_no_memory(error);
    join->domains = calloc(join->domain_count, sizeof *join->domains);
    if (!join->domains)
        return error_no_memory(error);
    for (unsigned i = 0; i < join->domain_count; i++)
        join->domains[i].shared = UINT32_MAX;
    return HEAPTAP_OK;
}

static enum heaptap_status set_up(struct heaptap_reader *joined, struct heaptap_error *error)
{
    struct join *join = joined->join;
    joined_frames_init(&join->frames, joined);
    take_info(joined);
    joined->options = join->traces[0].reader->options;
    joined->only = &joined->cursor;
    if (!frames_init(&joined->frames))
        return error_no_memory(error);
    enum heaptap_status status = check_words(join, error);
    if (status == HEAPTAP_OK)
        status = take_traces(joined, error);
    join_sum_notes(joined);
    return status;
}

/* A reader with nothing in it but the traces; NULL, with these closed, when there is no memory. */
static struct heaptap_reader *new_reader(struct heaptap_reader **readers, const char *const *names,
                                         size_t count)
{
    struct heaptap_reader *joined = calloc(1, sizeof *joined);
    struct join *join = calloc(1, sizeof *join);
    struct joined_trace *traces = calloc(count, sizeof *traces);
    struct joined_trace **heap = calloc(count, sizeof(struct joined_trace *));
    if (!joined || !join || !traces || !heap) {
        for (size_t i = 0; i < count; i++)
            heaptap_reader_close(readers[i]);
        free(joined);
        free(join);
        free(traces);
        free(heap);
        return NULL;
    }
    *join = (struct join){.traces = traces, .count = count, .heap = heap};
    for (size_t i = 0; i < count; i++) {
        traces[i].reader = readers[i];
        traces[i].name = names[i];
    }
    joined->calls = &calls;
    joined->join = join;
    return joined;
}

enum heaptap_status readers_join(struct heaptap_reader **joined, struct heaptap_reader **readers,
                                 const char *const *names, size_t count,
                                 struct heaptap_error *error)
{
    struct heaptap_reader *reader = new_reader(readers, names, count);
    *joined = NULL;
    if (!reader)
        return error_no_memory(error);
    enum heaptap_status status =
        count > TRACES_MAX ? error_set(error, HEAPTAP_BAD_ARGUMENT,
                                       "more than %d traces can't be read as one", TRACES_MAX)
                           : set_up(reader, error);
    if (status == HEAPTAP_OK)
        *joined = reader;
    else
        heaptap_reader_close(reader);
    return status;
}
