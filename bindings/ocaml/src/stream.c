/* Trace files and their streams. */
#include "tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "taught.h"

struct trace_stream *trace_stream_new(struct trace_file *file, uint16_t number, int *code)
{
    struct heaptap_error error;
    struct trace_stream *stream = malloc(sizeof *stream);
    *code = ENOMEM;
    if (!stream)
        return NULL;
    *stream = (struct trace_stream){.file = file, .number = number};
    enum heaptap_status status = heaptap_domain_new(&stream->domain, file->writer, number, &error);
    if (status == HEAPTAP_OK) {
        atomic_fetch_add(&file->streams, 1);
        return stream;
    }
    if (status == HEAPTAP_BAD_ARGUMENT || status == HEAPTAP_BAD_STATE)
        *code = EINVAL;
    free(stream);
    return NULL;
}

void trace_file_leave_to_parent(struct trace_file *file)
{
    if (file->owner == getpid())
        return;
    atomic_store(&file->code, ECHILD);
    growing_file_leave_to_parent(&file->memory, true);
}

static void trace_file_free(struct trace_file *file)
{
    heaptap_writer_free(file->writer);
    growing_file_trim(&file->memory);
    growing_file_close(&file->memory);
    free(file);
}

void trace_stream_free(struct trace_stream *stream)
{
    struct trace_file *file = stream->file;
    if (growing_file_is_open(&file->memory))
        trace_file_leave_to_parent(file);
    heaptap_domain_free(stream->domain);
    taught_free(stream->taught);
    free(stream);
    if (atomic_fetch_sub(&file->streams, 1) == 1)
        trace_file_free(file);
}
