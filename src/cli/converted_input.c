#include "cli/converted_input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/symbolize/symbolize.h"

/* A raw recording's addresses get their names; what is missing is told by the frames themselves. */
static void look_up(const char *name)
{
    struct symbolize_options how = {.quiet = true, .encoding = -1};
    (void)symbolize_file(name, &how);
}

static bool convert(struct trace_input *input, struct input *file, const struct file_format *format,
                    int fd, const char *name)
{
    struct heaptap_error error;
    struct file_conversion outcome;
    struct heaptap_sink sink = heaptap_sink_fd(fd);
    enum heaptap_status status = format->convert(file, &sink, &outcome, &error);
    if (status != HEAPTAP_OK)
        input->exit_status = cli_fail(trace_input_subject(input), &error);
    if (status != HEAPTAP_OK && (status != HEAPTAP_BAD_INPUT || outcome.allocations == 0))
        return false;
    if (outcome.is_raw)
        look_up(name);
    return true;
}

bool converted_input_open(struct trace_input *input, struct input *file,
                          const struct file_format *format,
                          const struct heaptap_reader_options *options)
{
    char name[PATH_MAX];
    struct heaptap_error error;
    int fd = temporary_named(name);
    if (fd < 0) {
        cli_warn("a temporary file: %s", strerror(errno));
        input->exit_status = CLI_FAILED;
        return false;
    }
    bool done = convert(input, file, format, fd, name);
    close(fd);
    fd = done ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    unlink(name);
    if (!done)
        return false;
    if (heaptap_reader_open_fd(&input->reader, fd, options, &error) == HEAPTAP_OK)
        return true;
    input->exit_status = cli_fail(trace_input_subject(input), &error);
    return false;
}
