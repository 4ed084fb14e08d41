#include "cli/trace_open.h"

#include "base/error.h"
#include "cli/cli.h"
#include "cli/converted_input.h"
#include "cli/record/kept.h"
#include "cli/store_input.h"
#include "cli/symbolize/at_end.h"
#include "import/file_format.h"
#include "trace/reader.h"

static bool fail_open(struct trace_input *input, const struct heaptap_error *error)
{
    input->exit_status = cli_fail(trace_input_subject(input), error);
    return false;
}

static enum heaptap_status open_and_look(struct input **file, const struct file_format **format,
                                         const char *path, struct heaptap_error *error)
{
    kept_save_own(path);
    enum heaptap_status status =
        store_input_is(path) ? store_input_open(file, path, error) : input_open(file, path, error);
    return status == HEAPTAP_OK ? file_format_find(format, *file, error) : status;
}

/* The reader of a trace, or of what can be made one; takes over `file`. */
static bool open_reader(struct trace_input *input, struct input *file,
                        const struct file_format *format,
                        const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    if (format && format->convert) {
        bool done = converted_input_open(input, file, format, options);
        input_close(file);
        return done;
    }
    if (reader_open_input(&input->reader, file, options, &error) != HEAPTAP_OK)
        return fail_open(input, &error);
    symbolize_at_end(input->reader);
    return true;
}

bool trace_input_open(struct trace_input *input, const char *path,
                      const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    const struct file_format *format;
    struct input *file = NULL;
    *input = (struct trace_input){.path = path};
    enum heaptap_status status = open_and_look(&file, &format, path, &error);
    if (status == HEAPTAP_OK && format && format->read)
        status = error_set(&error, HEAPTAP_SYSTEM,
                           "this is a %s profile; it has no single blocks and times, which this "
                           "command needs",
                           format->name);
    if (status == HEAPTAP_OK)
        return open_reader(input, file, format, options);
    input_close(file);
    return fail_open(input, &error);
}

bool trace_input_open_any(struct trace_input *input, const char *path,
                          const struct heaptap_reader_options *options, struct input **other)
{
    struct heaptap_error error;
    const struct file_format *format;
    struct input *file = NULL;
    *input = (struct trace_input){.path = path};
    *other = NULL;
    enum heaptap_status status = open_and_look(&file, &format, path, &error);
    if (status == HEAPTAP_OK && file_format_is_of_events(format))
        return open_reader(input, file, format, options);
    if (status == HEAPTAP_OK) {
        *other = file;
        return true;
    }
    input_close(file);
    return fail_open(input, &error);
}
