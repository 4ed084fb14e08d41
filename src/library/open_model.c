#include "library/open_model.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "format/import/file_format.h"
#include "profile/list/rows.h"
#include "profile/model_trace.h"
#include "trace/reader.h"

static const struct heaptap_reader_options true_order = {.order = HEAPTAP_TRUE_ORDER};

static enum heaptap_status read_profile(struct model **model, struct input *input,
                                        struct heaptap_error *error)
{
    enum heaptap_status status = file_format_read(model, input, error);
    input_close(input);
    if (status != HEAPTAP_OK || profile_to_rows(*model))
        return status;
    model_free(*model);
    *model = NULL;
    return error_no_memory(error);
}

static enum heaptap_status read_trace(struct model **model, struct heaptap_reader *reader,
                                      struct heaptap_error *error)
{
    enum heaptap_status status = model_read(model, reader, error);
    heaptap_reader_close(reader);
    return status;
}

/* By way of a trace in memory. */
static enum heaptap_status read_converted(struct model **model, struct input *input,
                                          const struct file_format *format,
                                          struct heaptap_error *error)
{
    struct file_conversion outcome;
    struct heaptap_reader *reader;
    struct heaptap_error damage;
    int fd = memfd_create("heaptap", MFD_CLOEXEC);
    struct heaptap_sink sink = heaptap_sink_fd(fd);
    enum heaptap_status status = fd < 0 ? error_system(&damage, "cannot get memory")
                                        : format->convert(input, &sink, &outcome, &damage);
    bool is_cut = status == HEAPTAP_BAD_INPUT && outcome.allocations > 0;
    input_close(input);
    if (status != HEAPTAP_OK && error)
        *error = damage;
    if (fd >= 0 && ((status != HEAPTAP_OK && !is_cut) || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return status;
    }
    if (fd < 0)
        return status;
    enum heaptap_status opened = heaptap_reader_open_fd(&reader, fd, &true_order, error);
    if (opened == HEAPTAP_OK)
        opened = read_trace(model, reader, error);
    if (opened == HEAPTAP_OK && is_cut && error)
        *error = damage;
    return opened == HEAPTAP_OK ? status : opened;
}

enum heaptap_status open_model(struct model **model, int fd, struct heaptap_error *error)
{
    struct input *input;
    struct heaptap_reader *reader;
    const struct file_format *format;
    *model = NULL;
    enum heaptap_status status = input_open_fd(&input, fd, error);
    if (status != HEAPTAP_OK)
        return status;
    status = file_format_find(&format, input, error);
    if (status != HEAPTAP_OK) {
        input_close(input);
        return status;
    }
    if (!file_format_is_of_events(format))
        return read_profile(model, input, error);
    if (format->convert)
        return read_converted(model, input, format, error);
    status = reader_open_input(&reader, input, &true_order, error);
    return status == HEAPTAP_OK ? read_trace(model, reader, error) : status;
}
