/* Two passes over the trace, both in the order of the file.  The first collects the frames that are
 * still addresses, each once, with the time at which it was first met (modules come and go).  Then
 * the symbolizer answers them all at once.  The second pass copies events, block ids, stacks and
 * metadata, and describes those frames anew.  What is kept in memory grows with the distinct
 * frames, not with the events. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/symbolize/lookup.h"
#include "cli/symbolize/parts.h"
#include "cli/trace_output.h"

/* ---- The new trace ------------------------------------------------------------------ */

/* The second pass, as the output asks it for names. */
struct naming {
    const struct lookup *lookup;
    struct heaptap_reader *reader; /* reads the same bytes again, so frames have the same numbers */
};

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct naming *naming = context;
    return heaptap_reader_frame_code(naming->reader, frame);
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    const struct naming *naming = context;
    uint32_t frame;
    size_t count;
    if (!heaptap_reader_find_frame(naming->reader, code, &frame))
        return 0;
    const struct heaptap_location *known =
        lookup_locations(naming->lookup, naming->reader, frame, &count);
    count = count < max ? count : max;
    if (count > 0)
        memcpy(locations, known, count * sizeof *locations);
    return count;
}

static bool has_end(const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_ENDED || records[i].kind == HEAPTAP_STOPPED)
            return true;
    return false;
}

/* Where a program was killed; its latest event was at `latest_us`. */
static void add_end(struct trace_output *output, const struct heaptap_reader *reader,
                    int64_t ended_us, int64_t latest_us)
{
    int64_t start_us = heaptap_reader_info(reader)->start_us;
    int64_t end_us = ended_us == SYMBOLIZE_LAST_SEEN ? latest_us : ended_us - start_us;
    if (ended_us != 0 && end_us >= 0 && !has_end(reader))
        trace_output_ended(output, (uint64_t)end_us);
}

static int rewrite(const struct source *source, const char *path, int encoding,
                   const struct lookup *lookup, int64_t ended_us)
{
    struct trace_input input;
    struct trace_output *output;
    if (!source_read_trace(source, &input))
        return input.exit_status;
    struct naming naming = {lookup, input.reader};
    struct trace_output_names names = {code_of, describe, &naming};
    struct trace_output_options where = {
        .path = path,
        .encoding = encoding,
        .keep_order = true,
        .info = *heaptap_reader_info(input.reader),
        .names = &names,
    };
    if (where.info.version == 1)
        where.info.version = 3;
    if (trace_output_open(&output, &where, &input, &input.exit_status)) {
        int64_t latest_us = trace_output_copy_all(output, &input);
        trace_output_copy_metadata(output, input.reader);
        add_end(output, input.reader, ended_us, latest_us);
        trace_output_close(output, &input.exit_status);
    }
    trace_input_close(&input);
    return input.exit_status;
}

/* ---- In place ----------------------------------------------------------------------- */

static int encoding_of_file(const char *path)
{
    unsigned char magic[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, magic, sizeof magic) : 0;
    if (fd >= 0)
        close(fd);
    if (size >= 2 && memcmp(magic, "\x1f\x8b", 2) == 0)
        return OUTPUT_GZIP;
    if (size == 4 && memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0)
        return OUTPUT_ZSTD;
    return OUTPUT_PLAIN;
}

/* Replaces the file itself where `path` is a link, and keeps its permissions. */
static int rewrite_in_place(const struct source *source, int encoding, const struct lookup *lookup,
                            int64_t ended_us)
{
    char *real = realpath(source->path, NULL);
    struct stat before;
    if (!real || stat(real, &before) != 0) {
        cli_warn("%s: %s", source->path, strerror(errno));
        free(real);
        return CLI_FAILED;
    }
    int kept = encoding == OUTPUT_BY_NAME ? encoding_of_file(real) : encoding;
    int status = rewrite(source, real, kept, lookup, ended_us);
    if (status != CLI_FAILED && chmod(real, before.st_mode & 07777) != 0) {
        cli_warn("%s: %s", real, strerror(errno));
        status = CLI_FAILED;
    }
    free(real);
    return status;
}

/* ---- The whole ---------------------------------------------------------------------- */

static int write_result(const struct source *source, const struct symbolize_options *options,
                        const struct lookup *lookup, const struct heaptap_error *damage,
                        bool lacks_end)
{
    const char *output = source_output(source, options->output);
    if (output)
        return rewrite(source, output, options->encoding, lookup, options->ended_us);
    if (!source_is_file(source))
        return CLI_USAGE;
    if (damage->status != HEAPTAP_OK && !options->keep_readable) {
        int status = cli_fail(source->path, damage);
        cli_warn("%s: left as it is; -o FILE writes what can be read of it", source->path);
        return status;
    }
    bool is_asked = options->only_rewrite && options->ended_us == 0;
    if (lookup->query_count == 0 && !is_asked && !lacks_end && damage->status == HEAPTAP_OK)
        return CLI_DONE;
    return rewrite_in_place(source, options->encoding, lookup, options->ended_us);
}

/* To the end, where all metadata are known. */
static void read_on(struct trace_input *input)
{
    struct heaptap_event event;
    while (heaptap_reader_next(input->reader, &event, NULL) == HEAPTAP_OK)
        ;
}

int symbolize_trace(const struct source *source, const struct symbolize_options *options)
{
    struct trace_input input;
    struct lookup lookup = {.every_frame = options->rename};
    struct heaptap_error damage = {.status = HEAPTAP_OK};
    int status = CLI_FAILED;
    if (!source_read_trace(source, &input))
        return input.exit_status;
    bool done = options->only_rewrite || lookup_run(&lookup, options->symbolizer, &input, &damage);
    if (options->only_rewrite && options->ended_us != 0 && !options->output)
        read_on(&input);
    bool lacks_end = options->ended_us != 0 && !has_end(input.reader);
    heaptap_reader_close(input.reader);
    if (!done)
        cli_warn("%s: out of memory", source->path);
    else
        status = write_result(source, options, &lookup, &damage, lacks_end);
    lookup_release(&lookup);
    return status;
}
