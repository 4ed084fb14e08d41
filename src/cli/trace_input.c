#include "cli/trace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/converted_input.h"
#include "import/file_format.h"
#include "trace/read/reader.h"

static enum heaptap_status open_file(struct input **file, const char *path,
                                     struct heaptap_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_system(error, "cannot open") : input_open_fd(file, fd, error);
}

const char *trace_input_subject(const struct trace_input *input)
{
    return strcmp(input->path, "-") == 0 ? "standard input" : input->path;
}

static bool fail_open(struct trace_input *input, const struct heaptap_error *error)
{
    input->exit_status = cli_fail(trace_input_subject(input), error);
    return false;
}

static enum heaptap_status open_and_look(struct input **file, const struct file_format **format,
                                         const char *path, struct heaptap_error *error)
{
    enum heaptap_status status = open_file(file, path, error);
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
    return reader_open_input(&input->reader, file, options, &error) == HEAPTAP_OK ||
           fail_open(input, &error);
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

bool trace_input_open_fd(struct trace_input *input, const char *path, int fd,
                         const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    *input = (struct trace_input){.path = path};
    if (heaptap_reader_open_fd(&input->reader, fd, options, &error) == HEAPTAP_OK)
        return true;
    input->exit_status = cli_fail(path, &error);
    return false;
}

void trace_input_end(struct trace_input *input, enum heaptap_status status)
{
    if (status != HEAPTAP_END)
        input->exit_status = cli_fail(trace_input_subject(input), &input->error);
}

static void tell(const struct trace_input *input, unsigned long long count, const char *what)
{
    if (count > 0 && !input->quiet)
        cli_warn("%s: note: %llu %s", trace_input_subject(input), count, what);
}

const struct heaptap_metadata *trace_input_stop(const struct trace_input *input)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(input->reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_STOPPED)
            return &records[i];
    return NULL;
}

bool trace_input_is_whole(const struct trace_input *input)
{
    bool stopped = input->reader ? trace_input_stop(input) != NULL : input->ended_early;
    return input->exit_status == CLI_DONE && !stopped;
}

static void tell_stop(struct trace_input *input)
{
    const struct heaptap_metadata *stop = trace_input_stop(input);
    char when[UNITS_TEXT_BYTES];
    input->ended_early = stop != NULL;
    if (stop && !input->quiet && !input->copied)
        cli_warn("%s: note: recording ended early, after %s: %s", trace_input_subject(input),
                 units_duration(when, (double)stop->number * 1e-6), stop->name);
}

void trace_input_close(struct trace_input *input)
{
    if (!input->reader)
        return;
    const struct heaptap_reader_notes *notes = heaptap_reader_notes(input->reader);
    tell_stop(input);
    tell(input, notes->foreign_packets, "packets of another process (forked?) skipped");
    tell(input, notes->clock_steps, "events earlier than the one before: the clock stepped back");
    tell(input, notes->location_conflicts,
         "codes described twice, differently; the first description is used");
    tell(input, notes->empty_gaps, "empty gaps between packets: the writer was killed?");
    if (notes->damaged_locations > 0 && !input->quiet)
        cli_warn("%s: note: %llu packets of names damaged, the first at byte %llu; some names are "
                 "missing",
                 trace_input_subject(input), (unsigned long long)notes->damaged_locations,
                 (unsigned long long)notes->damaged_location_offset);
    heaptap_reader_close(input->reader);
    input->reader = NULL;
}

const char *trace_input_name(const struct trace_input *input)
{
    if (strcmp(input->path, "-") == 0)
        return "standard input";
    const char *slash = strrchr(input->path, '/');
    return slash ? slash + 1 : input->path;
}
