#include "cli/trace_input.h"

#include <string.h>

#include "cli/cli.h"

const char *trace_input_subject(const struct trace_input *input)
{
    return strcmp(input->path, "-") == 0 ? "standard input" : input->path;
}

bool trace_input_open(struct trace_input *input, const char *path,
                      const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    *input = (struct trace_input){.path = path};
    if (heaptap_reader_open(&input->reader, path, options, &error) == HEAPTAP_OK)
        return true;
    input->exit_status = cli_fail(trace_input_subject(input), &error);
    return false;
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

void trace_input_close(struct trace_input *input)
{
    if (!input->reader)
        return;
    const struct heaptap_reader_notes *notes = heaptap_reader_notes(input->reader);
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
