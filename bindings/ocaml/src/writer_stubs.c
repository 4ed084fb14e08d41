/* Trace.Writer. */
#include "tracer.h"

#include <caml/alloc.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/unixsupport.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "custom.h"
#include "taught.h"
#include "tap/inside/clock.h"
#include "tap/inside/kernel.h"
#include "tap/trace/writer.h"

/* ---- Where the bytes go ------------------------------------------------------------- */

static int write_packet(void *context, const void *data, size_t size)
{
    struct trace_file *file = context;
    int saved = errno, code = atomic_load(&file->code);
    if (!code && (code = kernel_write_quietly(file->fd, data, size)) != 0) {
        atomic_store(&file->code, code);
        session_file_failed(file);
    }
    errno = saved;
    return code;
}

/* No room in a file that is written in place. */
static void tell_full(void *context, int code)
{
    struct trace_file *file = context;
    int none = 0;
    atomic_compare_exchange_strong(&file->code, &none, code);
    session_file_failed(file);
}

/* ---- Trace.Writer.t ----------------------------------------------------------------- */

static struct trace_stream **stream_place(value writer)
{
    return Data_custom_val(writer);
}

/* A writer that nobody closed writes nothing: its descriptor may be another file's by now. */
static void finalize(value writer)
{
    struct trace_stream *stream = *stream_place(writer);
    if (!stream)
        return;
    atomic_store(&stream->file->code, EBADF);
    trace_stream_free(stream);
}

static struct custom_operations operations = CUSTOM_OPERATIONS("heaptap.trace.writer", finalize);

struct trace_stream *trace_stream_val(value writer)
{
    struct trace_stream *stream = *stream_place(writer);
    if (!stream)
        caml_invalid_argument("Trace.Writer: this writer is closed");
    return stream;
}

static value wrap(struct trace_stream *stream)
{
    value writer = caml_alloc_custom(&operations, sizeof stream, 0, 1);
    *stream_place(writer) = stream;
    return writer;
}

static void check(const struct trace_file *file)
{
    int code = atomic_load(&file->code);
    if (!code)
        code = heaptap_writer_errno(file->writer);
    if (code)
        unix_error(code, "write", Nothing);
}

/* In the order of Trace.Info.t. */
enum { RATE, WORD_BITS, EXECUTABLE, HOST, PARAMETERS, PID, DOMAIN, START, CONTEXT };

struct heaptap_trace_info trace_info_val(value info, unsigned version)
{
    value context = Field(info, CONTEXT);
    return (struct heaptap_trace_info){
        .version = version,
        .sample_rate = Double_val(Field(info, RATE)),
        .word_bits = (unsigned)Long_val(Field(info, WORD_BITS)),
        .executable = String_val(Field(info, EXECUTABLE)),
        .host = String_val(Field(info, HOST)),
        .runtime_params = String_val(Field(info, PARAMETERS)),
        .context = Is_block(context) ? String_val(Field(context, 0)) : "",
        .pid = (uint64_t)Int64_val(Field(info, PID)),
        .start_us = Int64_val(Field(info, START)),
        .initial_domain = (uint16_t)Long_val(Field(info, DOMAIN)),
    };
}

enum { MAX_FRAMES = 1 << 17 }; /* OCaml's stacks are deep; the pages are touched as needed */

/* Where `name` leads to the empty file, and it can be mapped, its packets are written in place. */
static enum heaptap_status begin(struct trace_file *file, const char *name,
                                 const struct heaptap_trace_info *info, bool any_process,
                                 struct heaptap_error *error)
{
    const struct heaptap_writer_options options = {.sink = {write_packet, file},
                                                   .describe = describe_code,
                                                   .max_frames = MAX_FRAMES,
                                                   .any_process = any_process};
    if (!*name || growing_file_open(&file->memory, file->fd, name, 0) != 0)
        return heaptap_writer_new(&file->writer, info, &options, error);
    growing_file_use_descriptor(&file->memory, file->fd);
    return writer_new_in_place(&file->writer, info, &options, &file->memory, tell_full, file,
                               error);
}

static struct trace_file *file_new(int fd, const char *name, const struct heaptap_trace_info *info,
                                   bool any_process, int *code)
{
    struct heaptap_error error;
    struct trace_file *file = calloc(1, sizeof *file);
    *code = ENOMEM;
    if (!file)
        return NULL;
    file->fd = fd;
    file->owner = getpid();
    file->start_us = info->start_us;
    if (begin(file, name, info, any_process, &error) == HEAPTAP_OK)
        return file;
    if (error.system_errno)
        *code = error.system_errno;
    growing_file_close(&file->memory);
    free(file);
    return NULL;
}

/* create fd name info version: a name: the writer is the calling process's alone, and writes in place
 * where it can; "": any process's, at the descriptor's place. */
value heaptap_ocaml_writer_create(value fd, value name, value info, value version)
{
    CAMLparam2(name, info);
    int code;
    struct trace_stream *stream = NULL;
    const struct heaptap_trace_info described = trace_info_val(info, (unsigned)Int_val(version));
    struct trace_file *file =
        file_new(Int_val(fd), String_val(name), &described, caml_string_length(name) == 0, &code);
    if (file)
        stream = trace_stream_new(file, (uint16_t)Long_val(Field(info, DOMAIN)), &code);
    if (!stream) {
        if (file)
            heaptap_writer_free(file->writer);
        if (file)
            growing_file_close(&file->memory);
        free(file);
        unix_error(code, "write", Nothing);
    }
    CAMLreturn(wrap(stream));
}

value heaptap_ocaml_writer_for_domain(value writer, value number)
{
    CAMLparam1(writer);
    int code;
    struct trace_stream *stream =
        trace_stream_new(trace_stream_val(writer)->file, (uint16_t)Long_val(number), &code);
    if (!stream)
        unix_error(code, "Trace.Writer.for_domain", Nothing);
    CAMLreturn(wrap(stream));
}

value heaptap_ocaml_writer_flush(value writer)
{
    struct trace_stream *stream = trace_stream_val(writer);
    heaptap_domain_flush(stream->domain);
    check(stream->file);
    return Val_unit;
}

/* Puts into the trace that its process ends now.  Nobody else is writing to it. */
value heaptap_ocaml_writer_ended(value writer)
{
    const struct trace_stream *stream = trace_stream_val(writer);
    const struct heaptap_metadata ended = {.kind = HEAPTAP_ENDED,
                                           .name = "",
                                           .number =
                                               (uint64_t)(clock_now() - stream->file->start_us)};
    heaptap_domain_metadata(stream->domain, &ended, 1);
    return Val_unit;
}

/* Flushes and frees, and returns the errno of the file's first failure. */
value heaptap_ocaml_writer_close(value writer)
{
    struct trace_stream *stream = *stream_place(writer);
    if (!stream)
        return Val_int(0);
    if (growing_file_is_open(&stream->file->memory))
        trace_file_leave_to_parent(stream->file);
    heaptap_domain_flush(stream->domain);
    int code = atomic_load(&stream->file->code);
    *stream_place(writer) = NULL;
    trace_stream_free(stream);
    return Val_int(code);
}

value heaptap_ocaml_raise_unix_error(value code)
{
    unix_error(Int_val(code), "write", Nothing);
    return Val_unit;
}

/* ---- Ids ---------------------------------------------------------------------------- */

static void take_chunk(struct heaptap_domain *domain, uint64_t ids)
{
    uint64_t id = atomic_fetch_add(&domain->writer->ids, ids);
    if (domain->next_id != id) {
        heaptap_domain_flush(domain);
        domain->first_id = domain->next_id = id;
    }
    domain->chunk_end_id = id + ids;
}

/* next_id writer ids_per_chunk: the id of the writer's next allocation. */
value heaptap_ocaml_writer_next_id(value writer, value ids_per_chunk)
{
    struct heaptap_domain *domain = trace_stream_val(writer)->domain;
    if (domain->next_id == domain->chunk_end_id)
        take_chunk(domain, (uint64_t)Long_val(ids_per_chunk));
    return Val_long(domain->next_id);
}

/* After an allocation under an id from outside: no other will get it. */
static void claim(struct heaptap_domain *domain, uint64_t id, uint64_t ids_per_chunk)
{
    if (id < domain->chunk_end_id && id + ids_per_chunk >= domain->chunk_end_id)
        return;
    domain->chunk_end_id = (id / ids_per_chunk + 1) * ids_per_chunk;
    uint64_t ids = atomic_load(&domain->writer->ids);
    while (ids < domain->chunk_end_id &&
           !atomic_compare_exchange_weak(&domain->writer->ids, &ids, domain->chunk_end_id))
        ;
}

/* ---- Events ------------------------------------------------------------------------- */

/* unknown writer callstack from: the first code from there on of which nothing was said, or -1. */
value heaptap_ocaml_writer_unknown(value writer, value callstack, value from)
{
    struct trace_stream *stream = trace_stream_val(writer);
    if (!stream->taught && !(stream->taught = taught_new()))
        caml_raise_out_of_memory();
    for (mlsize_t i = (mlsize_t)Long_val(from); i < Wosize_val(callstack); i++)
        if (!taught_knows(stream->taught, (uint64_t)Long_val(Field(callstack, i))))
            return Val_long(i);
    return Val_long(-1);
}

/* In the order of Trace.Location.t. */
enum { FILE_NAME, LINE, START_CHAR, END_CHAR, DEFINED_NAME };

/* Negative numbers become the largest, as memtrace has it. */
static uint32_t number_of(value number)
{
    intnat n = Long_val(number);
    return n < 0 || n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* teach writer code locations: a list, outermost first. */
value heaptap_ocaml_writer_teach(value writer, value code, value list)
{
    struct trace_stream *stream = trace_stream_val(writer);
    struct heaptap_location locations[HEAPTAP_LOCATIONS_MAX];
    size_t count = 0;
    for (; Is_block(list) && count < HEAPTAP_LOCATIONS_MAX; list = Field(list, 1)) {
        value it = Field(list, 0);
        locations[count++] = (struct heaptap_location){
            .file = String_val(Field(it, FILE_NAME)),
            .function = String_val(Field(it, DEFINED_NAME)),
            .line = number_of(Field(it, LINE)),
            .start_char = number_of(Field(it, START_CHAR)),
            .end_char = number_of(Field(it, END_CHAR)),
        };
    }
    if (!taught_add(stream->taught, (uint64_t)Long_val(code), locations, count))
        caml_raise_out_of_memory();
    return Val_unit;
}

static uint64_t put(struct trace_stream *stream, int64_t time_us, value id,
                    const struct heaptap_allocation *allocation)
{
    if (Long_val(id) < 0)
        return heaptap_domain_alloc(stream->domain, time_us, allocation);
    heaptap_domain_alloc_as(stream->domain, time_us, (uint64_t)Long_val(id), allocation);
    return (uint64_t)Long_val(id);
}

/* alloc writer time length samples source callstack id ids_per_chunk; id -1: the next one. */
value heaptap_ocaml_writer_alloc(value writer, value time, value length, value samples,
                                 value source, value callstack, value id, value ids_per_chunk)
{
    struct trace_stream *stream = trace_stream_val(writer);
    mlsize_t frames = Wosize_val(callstack);
    uint64_t *codes = malloc((frames + 1) * sizeof *codes);
    if (!codes)
        caml_raise_out_of_memory();
    for (mlsize_t i = 0; i < frames; i++)
        codes[i] = (uint64_t)Long_val(Field(callstack, i));
    const struct heaptap_allocation allocation = {
        .source = (enum heaptap_source)Int_val(source),
        .length = (uint64_t)Long_val(length),
        .samples = (uint64_t)Long_val(samples),
        .stack = codes,
        .stack_length = (uint32_t)frames,
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    describe_taught = stream->taught;
    uint64_t given = put(stream, Int64_val(time), id, &allocation);
    describe_taught = NULL;
    free(codes);
    if (Long_val(id) >= 0)
        claim(stream->domain, given, (uint64_t)Long_val(ids_per_chunk));
    check(stream->file);
    return Val_long(given);
}

value heaptap_ocaml_writer_alloc_byte(value *argv, int argn)
{
    (void)argn;
    return heaptap_ocaml_writer_alloc(argv[0], argv[1], argv[2], argv[3], argv[4], argv[5], argv[6],
                                      argv[7]);
}

/* alloc_raw writer time length samples source raw_backtrace drop: without its first `drop` slots.
 */
value heaptap_ocaml_writer_alloc_raw(value writer, value time, value length, value samples,
                                     value source, value callstack, value drop)
{
    struct trace_stream *stream = trace_stream_val(writer);
    mlsize_t frames = Wosize_val(callstack), dropped = (mlsize_t)Long_val(drop);
    if (dropped > frames)
        dropped = frames;
    const struct heaptap_allocation allocation = {
        .source = (enum heaptap_source)Int_val(source),
        .length = (uint64_t)Long_val(length),
        .samples = (uint64_t)Long_val(samples),
        .stack = callstack_codes(callstack) + dropped,
        .stack_length = (uint32_t)(frames - dropped),
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    uint64_t id = heaptap_domain_alloc(stream->domain, Int64_val(time), &allocation);
    check(stream->file);
    return Val_long(id);
}

value heaptap_ocaml_writer_alloc_raw_byte(value *argv, int argn)
{
    (void)argn;
    return heaptap_ocaml_writer_alloc_raw(argv[0], argv[1], argv[2], argv[3], argv[4], argv[5],
                                          argv[6]);
}

value heaptap_ocaml_writer_promote(value writer, value time, value id)
{
    struct trace_stream *stream = trace_stream_val(writer);
    heaptap_domain_promote(stream->domain, Int64_val(time), (uint64_t)Long_val(id));
    check(stream->file);
    return Val_unit;
}

value heaptap_ocaml_writer_collect(value writer, value time, value id)
{
    struct trace_stream *stream = trace_stream_val(writer);
    heaptap_domain_collect(stream->domain, Int64_val(time), (uint64_t)Long_val(id));
    check(stream->file);
    return Val_unit;
}
