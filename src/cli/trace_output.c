#include "cli/trace_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/affix.h"
#include "base/array.h"
#include "cli/cli.h"
#include "answer/json.h"
#include "cli/output_file.h"
#include "spec/trace_format.h"

/* A domain of the trace that is read: the codes of its stack. */
struct stack_codes {
    uint64_t *codes; /* caller first */
    size_t capacity;
    uint32_t valid; /* leading codes that the stack last seen shares with the one last written */
};

/* A domain of the trace that is written. */
struct target {
    struct heaptap_domain *domain; /* NULL until it is used */
    int32_t stack_source;          /* domain read from which its last stack came; -1 for none */
};

struct trace_output {
    bool keep_order;        /* see struct trace_output_options */
    const char *path;       /* borrowed */
    const char *input_path; /* borrowed */
    struct output_file file;
    struct output *compressor;
    struct heaptap_writer *writer;
    int64_t start_us;              /* of the written trace, since the epoch */
    struct heaptap_reader *reader; /* whose frames are meant; borrowed */
    struct stack_codes *stacks;    /* by domain read */
    struct trace_output_names names;
    struct target *targets; /* by domain written */
    struct target *last; /* written to last: the others hold nothing back, so file order is kept */
    bool out_of_memory;  /* something is missing */
    bool json;           /* see struct trace_output_options */
    struct heaptap_trace_info info;
    uint64_t allocations, promotions, collections; /* written */
    int64_t last_us;    /* of the latest event that was written, since the start */
    bool announces_end; /* spec/trace_format.h */
};

enum { DOMAINS = 1 << 16 };

/* ---- Files -------------------------------------------------------------------------- */

static enum output_encoding encoding_of_name(const char *path)
{
    if (ends_alike(path, ".gz"))
        return OUTPUT_GZIP;
    if (ends_alike(path, ".zst"))
        return OUTPUT_ZSTD;
    return OUTPUT_PLAIN;
}

static int say_errno(const char *path, int code)
{
    return output_file_fail(path, "a trace", code);
}

static void release(struct trace_output *output)
{
    for (unsigned i = 0; i < DOMAINS; i++) {
        if (output->stacks)
            free(output->stacks[i].codes);
        if (output->targets)
            heaptap_domain_free(output->targets[i].domain);
    }
    heaptap_writer_free(output->writer);
    output_free(output->compressor);
    output_file_release(&output->file);
    free(output->stacks);
    free(output->targets);
    free(output);
}

/* ---- Names -------------------------------------------------------------------------- */

static uint64_t code_of_frame(void *context, uint32_t frame)
{
    const struct trace_output *output = context;
    return heaptap_reader_frame_code(output->reader, frame);
}

static size_t describe_code(void *context, uint64_t code, struct heaptap_location *locations,
                            size_t max)
{
    const struct trace_output *output = context;
    uint32_t frame;
    size_t count = 0;
    if (!heaptap_reader_find_frame(output->reader, code, &frame))
        return 0;
    const struct heaptap_location *known =
        heaptap_reader_frame_locations(output->reader, frame, &count);
    count = count < max ? count : max;
    if (count > 0)
        memcpy(locations, known, count * sizeof *locations);
    return count;
}

/* ---- Opening ------------------------------------------------------------------------ */

static bool start_writer(struct trace_output *output, int encoding,
                         const struct heaptap_trace_info *info, struct heaptap_error *error)
{
    enum output_encoding chosen = encoding == OUTPUT_BY_NAME ? encoding_of_name(output->path)
                                                             : (enum output_encoding)encoding;
    if (output_new(&output->compressor, output->file.fd, chosen, error) != HEAPTAP_OK)
        return false;
    struct heaptap_writer_options options = {
        .sink = output_sink(output->compressor),
        .describe = output->names.describe,
        .describe_context = output->names.context,
    };
    output->start_us = info->start_us;
    return heaptap_writer_new(&output->writer, info, &options, error) == HEAPTAP_OK;
}

bool trace_output_open(struct trace_output **result, const struct trace_output_options *options,
                       struct trace_input *input, int *exit_status)
{
    struct heaptap_error error = {.status = HEAPTAP_NO_MEMORY, .message = "out of memory"};
    struct trace_output *output = calloc(1, sizeof *output);
    *result = NULL;
    if (!output) {
        *exit_status = cli_fail(options->path, &error);
        return false;
    }
    output->path = options->path;
    output->input_path = input->path;
    output->keep_order = options->keep_order;
    output->json = options->json;
    output->info = options->info;
    output->reader = input->reader;
    input->copied = true;
    output->names = options->names
                        ? *options->names
                        : (struct trace_output_names){code_of_frame, describe_code, output};
    output->stacks = calloc(DOMAINS, sizeof *output->stacks);
    output->targets = calloc(DOMAINS, sizeof *output->targets);
    int code = output_file_open_over(&output->file, output->path);
    bool started = false;
    if (code)
        *exit_status = say_errno(output->path, code);
    else if (!output->stacks || !output->targets ||
             !start_writer(output, options->encoding, &options->info, &error))
        *exit_status = error.status == HEAPTAP_SYSTEM ? say_errno(output->path, error.system_errno)
                                                      : cli_fail(output->path, &error);
    else
        started = true;
    if (!started) {
        release(output);
        return false;
    }
    *result = output;
    return true;
}

/* ---- Events ------------------------------------------------------------------------- */

static void note_time(struct trace_output *output, int64_t time_us)
{
    if (time_us > output->last_us)
        output->last_us = time_us;
}

static void put_mark(struct heaptap_domain *domain, const char *text)
{
    const struct heaptap_metadata mark = metadata_stop_mark(text);
    heaptap_domain_metadata(domain, &mark, 1);
}

static struct heaptap_domain *domain_of(struct trace_output *output, uint16_t number)
{
    struct target *target = &output->targets[number];
    if (output->keep_order && output->last && output->last != target)
        heaptap_domain_flush(output->last->domain);
    if (!target->domain) {
        target->stack_source = -1;
        if (heaptap_domain_new(&target->domain, output->writer, number, NULL) != HEAPTAP_OK)
            output->out_of_memory = true;
    }
    output->last = target->domain ? target : NULL;
    if (target->domain && !output->announces_end) {
        output->announces_end = true;
        put_mark(target->domain, STOP_END_FOLLOWS);
    }
    return target->domain;
}

void trace_output_flush(struct trace_output *output, uint16_t number)
{
    if (output->targets[number].domain)
        heaptap_domain_flush(output->targets[number].domain);
}

void trace_output_see(struct trace_output *output, const struct heaptap_event *event)
{
    struct stack_codes *stack = &output->stacks[event->domain];
    if (event->kind == HEAPTAP_ALLOC && event->stack_shared < stack->valid)
        stack->valid = event->stack_shared;
}

/* Brings stack->codes up to the event's stack; false when there is no memory. */
static bool fill_codes(struct trace_output *output, struct stack_codes *stack,
                       const struct heaptap_event *event)
{
    if (!ARRAY_RESERVE(&stack->codes, &stack->capacity, event->stack_length))
        return false;
    for (uint32_t i = stack->valid; i < event->stack_length; i++)
        stack->codes[i] = output->names.code(output->names.context, event->stack[i]);
    stack->valid = event->stack_length;
    return true;
}

uint64_t trace_output_alloc(struct trace_output *output, uint16_t number, uint64_t id,
                            const struct heaptap_event *event, bool with_stack)
{
    struct heaptap_domain *domain = domain_of(output, number);
    struct stack_codes *stack = &output->stacks[event->domain];
    struct target *target = &output->targets[number];
    struct heaptap_allocation allocation = {
        .source = event->source,
        .length = event->length,
        .samples = event->samples,
        .direction = HEAPTAP_CALLER_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    if (with_stack) {
        bool follows = target->stack_source == event->domain;
        allocation.shared = follows ? (int64_t)stack->valid : HEAPTAP_SHARED_UNKNOWN;
        target->stack_source = event->domain;
        if (!fill_codes(output, stack, event))
            output->out_of_memory = true;
        allocation.stack = stack->codes;
        allocation.stack_length = output->out_of_memory ? 0 : event->stack_length;
    }
    if (!domain)
        return 0;
    output->allocations++;
    note_time(output, event->time_us);
    int64_t time_us = output->start_us + event->time_us;
    if (id == TRACE_OUTPUT_NEXT_ID)
        return heaptap_domain_alloc(domain, time_us, &allocation);
    heaptap_domain_alloc_as(domain, time_us, id, &allocation);
    return id;
}

/* What befalls a block that is there. */
static void pass_on(struct trace_output *output, uint16_t number, uint64_t id, int64_t time_us,
                    void (*tell)(struct heaptap_domain *domain, int64_t time_us, uint64_t id),
                    uint64_t *told)
{
    struct heaptap_domain *domain = domain_of(output, number);
    *told += domain != NULL;
    note_time(output, time_us);
    if (domain)
        tell(domain, output->start_us + time_us, id);
}

void trace_output_promote(struct trace_output *output, uint16_t number, uint64_t id,
                          int64_t time_us)
{
    pass_on(output, number, id, time_us, heaptap_domain_promote, &output->promotions);
}

void trace_output_collect(struct trace_output *output, uint16_t number, uint64_t id,
                          int64_t time_us)
{
    pass_on(output, number, id, time_us, heaptap_domain_collect, &output->collections);
}

void trace_output_metadata(struct trace_output *output, const struct heaptap_metadata *records,
                           size_t count)
{
    struct heaptap_domain *domain = count > 0 ? domain_of(output, 0) : NULL;
    if (domain) {
        heaptap_domain_flush(domain);
        heaptap_domain_metadata(domain, records, count);
    }
}

void trace_output_copy(struct trace_output *output, const struct heaptap_event *event,
                       bool with_stack)
{
    trace_output_see(output, event);
    if (event->kind == HEAPTAP_ALLOC)
        trace_output_alloc(output, event->domain, event->id, event, with_stack);
    else if (event->kind == HEAPTAP_PROMOTE)
        trace_output_promote(output, event->domain, event->id, event->time_us);
    else
        trace_output_collect(output, event->domain, event->id, event->time_us);
}

int64_t trace_output_copy_all(struct trace_output *output, struct trace_input *input)
{
    struct heaptap_event event;
    int64_t latest_us = 0;
    while (trace_input_next(input, &event)) {
        trace_output_copy(output, &event, true);
        latest_us = event.time_us > latest_us ? event.time_us : latest_us;
    }
    return latest_us;
}

void trace_output_ended(struct trace_output *output, uint64_t time_us)
{
    const struct heaptap_metadata ended = {.kind = HEAPTAP_ENDED, .name = "", .number = time_us};
    trace_output_metadata(output, &ended, 1);
}

void trace_output_copy_metadata(struct trace_output *output, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    trace_output_metadata(output, records, count);
}

int64_t trace_output_last_us(const struct trace_output *output)
{
    return output->last_us;
}

void trace_output_stopped(struct trace_output *output, const char *reason, int64_t at_us)
{
    const struct heaptap_metadata stop = {
        .kind = HEAPTAP_STOPPED, .name = reason, .number = (uint64_t)at_us};
    trace_output_metadata(output, &stop, 1);
}

void trace_output_cut(struct trace_output *output)
{
    trace_output_stopped(output, "the trace that this was made of is cut or damaged",
                         output->last_us);
}

/* ---- Closing ------------------------------------------------------------------------ */

void trace_output_out_of_memory(struct trace_output *output)
{
    output->out_of_memory = true;
}

/* Writes what is held back, and that it is the end; 0 or an errno. */
static int finish(struct trace_output *output)
{
    struct heaptap_domain *any = NULL;
    for (unsigned i = 0; i < DOMAINS; i++)
        if (output->targets[i].domain) {
            any = output->targets[i].domain;
            heaptap_domain_flush(any);
        }
    if (any) {
        put_mark(any, STOP_END);
        heaptap_domain_flush(any);
    }
    int code = heaptap_writer_errno(output->writer);
    if (!code)
        code = output_finish(output->compressor);
    return !code && output->out_of_memory ? ENOMEM : code;
}

/* What is in the file at `path` now. */
static void print_json(const struct trace_output *output)
{
    struct json json;
    struct stat stat_now;
    json_init(&json, stdout);
    json_begin_object(&json);
    json_put_string(&json, "output", output->path);
    if (stat(output->path, &stat_now) == 0)
        json_put_uint(&json, "bytes", (uint64_t)stat_now.st_size);
    json_put_uint(&json, "version", output->info.version);
    json_put_double(&json, "sample_rate", output->info.sample_rate);
    json_put_uint(&json, "allocations", output->allocations);
    json_put_uint(&json, "promotions", output->promotions);
    json_put_uint(&json, "collections", output->collections);
    json_end(&json);
}

bool trace_output_close(struct trace_output *output, int *exit_status)
{
    bool damaged = *exit_status == CLI_BAD_INPUT;
    if (damaged)
        trace_output_cut(output);
    int code = finish(output);
    bool kept = !code && damaged && output_file_replaces(&output->file, output->input_path);
    if (kept)
        cli_warn(
            "%s: is damaged, so it stays as it is; name another file for the part before the damage",
            output->path);
    else if (!code)
        code = output_file_commit(&output->file);
    if (code)
        *exit_status = say_errno(output->path, code);
    else if (damaged && !kept)
        cli_warn("%s: has the part before that",
                 strcmp(output->path, "-") == 0 ? "standard output" : output->path);
    if (!code && !kept && output->json)
        print_json(output);
    release(output);
    return code == 0;
}
