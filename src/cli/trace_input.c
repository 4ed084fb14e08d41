#include "cli/trace_input.h"

#include <string.h>

#include "base/path.h"
#include "base/stop_reason.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/input_files.h"
#include "cli/lack.h"
#include "cli/store_input.h"

const char *trace_input_subject(const struct trace_input *input)
{
    return strcmp(input->path, "-") == 0 ? "standard input" : input->path;
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
    if (status == HEAPTAP_END || input->exit_status != CLI_DONE) /* that has been said */
        return;
    input->exit_status =
        input->is_known ? CLI_BAD_INPUT : cli_fail(trace_input_subject(input), &input->error);
}

/* "3 events earlier than ...": `what` is the noun, in the singular. */
static void tell(const struct trace_input *input, unsigned long long count, const char *what,
                 const char *more)
{
    if (count > 0 && !input->quiet)
        cli_warn("%s: note: %llu %s%s %s", trace_input_subject(input), count, what,
                 count == 1 ? "" : "s", more);
}

/* The first of its kind; NULL for none. */
static const struct heaptap_metadata *find_record(const struct trace_input *input,
                                                  enum heaptap_metadata_kind kind)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(input->reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind)
            return &records[i];
    return NULL;
}

const struct heaptap_metadata *trace_input_stop(const struct trace_input *input)
{
    return find_record(input, HEAPTAP_STOPPED);
}

/* Was the file written to while it was read?  Another one in its place does no harm. */
static bool has_changed(const struct trace_input *input)
{
    struct stat now;
    return S_ISREG(input->opened.st_mode) && input_status(input->path, &now) &&
           now.st_dev == input->opened.st_dev && now.st_ino == input->opened.st_ino &&
           now.st_size != input->opened.st_size;
}

static bool lacks_a_part(const struct trace_input *input)
{
    return input->leaves_out || has_changed(input) || trace_input_stop(input) ||
           find_record(input, HEAPTAP_DROPS) ||
           heaptap_reader_notes(input->reader)->foreign_packets > 0;
}

bool trace_input_has_all(const struct trace_input *input)
{
    bool lacks = input->reader ? lacks_a_part(input) : input->lacks_a_part;
    return input->exit_status == CLI_DONE && !lacks;
}

bool trace_input_is_whole(const struct trace_input *input)
{
    return trace_input_has_all(input) && !lack_said();
}

static void tell_stop(struct trace_input *input)
{
    const struct heaptap_metadata *stop = trace_input_stop(input);
    char when[UNITS_TEXT_BYTES];
    input->lacks_a_part = lacks_a_part(input);
    if (has_changed(input) && !input->quiet)
        cli_warn(
            "%s: note: it was written to while it was read: figures are of neither what it was nor what it is",
            trace_input_subject(input));
    if (!stop || input->quiet || input->copied)
        return;
    units_duration(when, (double)stop->number * 1e-6);
    if (input->growth == TRACE_GROWS)
        cli_warn("%s: note: it is still being written; this is what it had after %s",
                 trace_input_subject(input), when);
    else if (stop_is_of_file(stop->name))
        cli_warn("%s: note: %s", trace_input_subject(input), stop->name);
    else
        cli_warn("%s: note: recording ended early, after %s: %s", trace_input_subject(input), when,
                 stop->name);
}

void trace_input_close(struct trace_input *input)
{
    if (!input->reader)
        return;
    const struct heaptap_reader_notes *notes = heaptap_reader_notes(input->reader);
    tell_stop(input);
    tell(input, notes->foreign_packets, "packet", "of another process (forked?) skipped");
    tell(input, notes->clock_steps, "event", "earlier than the one before: the clock stepped back");
    tell(input, notes->location_conflicts, "code",
         "described twice, differently; the first description is used");
    tell(input, notes->empty_gaps, "empty gap", "between packets: the writer was killed?");
    if (notes->damaged_locations > 0 && !input->quiet)
        cli_warn("%s: note: %llu packet%s of names damaged, the first at byte %llu; some names are "
                 "missing",
                 trace_input_subject(input), (unsigned long long)notes->damaged_locations,
                 notes->damaged_locations == 1 ? "" : "s",
                 (unsigned long long)notes->damaged_location_offset);
    heaptap_reader_close(input->reader);
    input->reader = NULL;
}

const char *trace_input_name(const struct trace_input *input)
{
    if (strcmp(input->path, "-") == 0)
        return "standard input";
    return path_file(input->path);
}
