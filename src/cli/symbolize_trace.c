/* Two passes over the trace, both in the order of the file.  The first collects the frames that are
 * still addresses, each once, with the time at which it was first met (modules come and go).  Then
 * the symbolizer answers them all at once.  The second pass copies events, block ids, stacks and
 * metadata, and describes those frames anew.  What is kept in memory grows with the distinct
 * frames, not with the events.
 *
 * Codes are those of heaptap's recorder: the address in the low 48 bits, above it an epoch which
 * tells apart what stood at one address at different times.
 *
 * Standard input, and anything else that can be read only once, is copied to an unlinked file
 * first. */
#include "cli/symbolize_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/pprof_output.h"
#include "cli/symbolize_pprof.h"
#include "cli/trace_input.h"
#include "cli/trace_output.h"
#include "import/any_profile.h"
#include "import/jemalloc.h"
#include "import/pprof_encode.h"

#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

/* The frames to be looked up, and what is found. */
struct lookup {
    int64_t *first_us; /* by frame number: when it was first met; NEVER for one to be left alone */
    size_t seen, seen_capacity; /* frames looked at so far */
    struct symbol_query *queries;
    struct symbol_answer *answers; /* to the queries */
    uint32_t *query_of;            /* by frame number: index of its query; NO_QUERY for none */
    size_t query_count;
    struct heaptap_reader *reader; /* of the second pass; borrowed */
};

#define NO_QUERY UINT32_MAX
static const int64_t NEVER = INT64_MAX;

/* Where the trace is read from, twice. */
struct source {
    const char *path; /* as the user named it */
    int fd;           /* of the copy of what can be read only once; -1: `path` is opened */
};

/* ---- Reading twice ------------------------------------------------------------------ */

static bool copy_all(int from, int to)
{
    char buffer[1 << 16];
    for (;;) {
        ssize_t got = read(from, buffer, sizeof buffer);
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        for (ssize_t at = 0; at < got;) {
            ssize_t put = write(to, buffer + at, (size_t)(got - at));
            if (put < 0 && errno != EINTR)
                return false;
            at += put > 0 ? put : 0;
        }
    }
}

static int unlinked_file(void)
{
    char name[PATH_MAX];
    const char *directory = getenv("TMPDIR");
    int size = snprintf(name, sizeof name, "%s/heaptap-XXXXXX",
                        directory && *directory ? directory : "/tmp");
    if (size >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool source_open(struct source *source, const char *path, int *exit_status)
{
    struct stat file;
    bool is_standard = strcmp(path, "-") == 0;
    *source = (struct source){path, -1};
    if (!is_standard && (stat(path, &file) != 0 || S_ISREG(file.st_mode)))
        return true; /* what is wrong with it is told when it is opened */
    int from = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    source->fd = from >= 0 ? unlinked_file() : -1;
    bool done = source->fd >= 0 && copy_all(from, source->fd);
    if (!done) {
        cli_warn("%s: %s", is_standard ? "copying standard input" : path, strerror(errno));
        *exit_status = CLI_FAILED;
        if (source->fd >= 0)
            close(source->fd);
    }
    if (from > STDIN_FILENO)
        close(from);
    return done;
}

static void source_close(struct source *source)
{
    if (source->fd >= 0)
        close(source->fd);
}

static bool source_read(const struct source *source, struct trace_input *input)
{
    struct heaptap_reader_options how = {.order = HEAPTAP_FILE_ORDER};
    if (source->fd < 0)
        return trace_input_open(input, source->path, &how);
    int fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
        return trace_input_open_fd(input, source->path, fd, &how);
    cli_warn("%s: %s", source->path, strerror(errno));
    *input = (struct trace_input){.path = source->path, .exit_status = CLI_FAILED};
    if (fd >= 0)
        close(fd);
    return false;
}

/* ---- First pass: which frames ------------------------------------------------------- */

/* Is it an address yet: described by nothing, or as `module+0x1f`? */
static bool is_address(const struct heaptap_reader *reader, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(reader, frame, &count);
    if (heaptap_reader_frame_code(reader, frame) == HEAPTAP_CODE_TRUNCATED)
        return false;
    if (count != 1)
        return count == 0;
    return symbol_is_offset(locations->function);
}

static bool note_stack(struct lookup *lookup, const struct heaptap_reader *reader,
                       const struct heaptap_event *event)
{
    for (uint32_t i = event->stack_shared; i < event->stack_length; i++) {
        uint32_t frame = event->stack[i];
        if (!ARRAY_RESERVE(&lookup->first_us, &lookup->seen_capacity, (size_t)frame + 1))
            return false;
        while (lookup->seen <= frame)
            lookup->first_us[lookup->seen++] = NEVER;
        if (event->time_us < lookup->first_us[frame] && is_address(reader, frame))
            lookup->first_us[frame] = event->time_us;
    }
    return true;
}

static bool make_queries(struct lookup *lookup, const struct heaptap_reader *reader)
{
    lookup->queries = calloc(lookup->seen + 1, sizeof *lookup->queries);
    lookup->answers = calloc(lookup->seen + 1, sizeof *lookup->answers);
    lookup->query_of = calloc(lookup->seen + 1, sizeof *lookup->query_of);
    if (!lookup->queries || !lookup->answers || !lookup->query_of)
        return false;
    for (uint32_t frame = 0; frame < lookup->seen; frame++) {
        lookup->query_of[frame] = NO_QUERY;
        if (lookup->first_us[frame] == NEVER)
            continue;
        lookup->query_of[frame] = (uint32_t)lookup->query_count;
        lookup->queries[lookup->query_count++] = (struct symbol_query){
            heaptap_reader_frame_code(reader, frame) & ADDRESS_MASK, lookup->first_us[frame]};
    }
    return true;
}

static bool add_modules(struct symbolizer *symbolizer, const struct heaptap_reader *reader,
                        size_t *added)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind != HEAPTAP_MODULE)
            continue;
        struct heaptap_error error;
        enum heaptap_status status = symbolizer_add_module(symbolizer, &records[i], &error);
        if (status == HEAPTAP_NO_MEMORY)
            return false;
        if (status != HEAPTAP_OK)
            cli_warn("note: %s", error.message);
        ++*added;
    }
    return true;
}

/* Finds the frames and looks them up; false without memory.  Damage goes to `*error`: whether it is
 * told now depends on whether there is a second pass. */
static bool look_up(struct lookup *lookup, struct symbolizer *symbolizer, struct trace_input *input,
                    struct heaptap_error *error)
{
    struct heaptap_event event;
    enum heaptap_status status;
    size_t modules = 0;
    while ((status = heaptap_reader_next(input->reader, &event, error)) == HEAPTAP_OK)
        if (event.kind == HEAPTAP_ALLOC && !note_stack(lookup, input->reader, &event))
            return false;
    if (status == HEAPTAP_END)
        error->status = HEAPTAP_OK;
    if (!make_queries(lookup, input->reader) || !add_modules(symbolizer, input->reader, &modules))
        return false;
    if (lookup->query_count > 0 && modules == 0) {
        cli_warn("%s: note: the trace doesn't tell which programs and libraries were in memory; "
                 "%zu addresses stay as they are",
                 input->path, lookup->query_count);
        lookup->query_count = 0;
    }
    return lookup->query_count == 0 ||
           symbolizer_resolve(symbolizer, lookup->queries, lookup->query_count, lookup->answers,
                              NULL) == HEAPTAP_OK;
}

static void lookup_release(struct lookup *lookup)
{
    free(lookup->first_us);
    free(lookup->queries);
    free(lookup->answers);
    free(lookup->query_of);
}

/* ---- Second pass: the new trace ----------------------------------------------------- */

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct lookup *lookup = context;
    return heaptap_reader_frame_code(lookup->reader, frame);
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    const struct lookup *lookup = context;
    uint32_t frame;
    size_t count;
    if (!heaptap_reader_find_frame(lookup->reader, code, &frame))
        return 0;
    const struct heaptap_location *known =
        heaptap_reader_frame_locations(lookup->reader, frame, &count);
    /* Both passes read the same bytes, so frames have the same numbers. */
    uint32_t query = frame < lookup->seen ? lookup->query_of[frame] : NO_QUERY;
    if (query < lookup->query_count && lookup->answers[query].count > 0) {
        known = lookup->answers[query].locations;
        count = lookup->answers[query].count;
    }
    count = count < max ? count : max;
    if (count > 0)
        memcpy(locations, known, count * sizeof *locations);
    return count;
}

static void copy_events(struct trace_input *input, struct trace_output *output)
{
    struct heaptap_event event;
    while (trace_input_next(input, &event)) {
        trace_output_see(output, &event);
        if (event.kind == HEAPTAP_ALLOC)
            trace_output_alloc(output, event.domain, event.id, &event, true);
        else if (event.kind == HEAPTAP_PROMOTE)
            trace_output_promote(output, event.domain, event.id, event.time_us);
        else
            trace_output_collect(output, event.domain, event.id, event.time_us);
    }
}

static int rewrite(const struct source *source, const char *path, int encoding,
                   struct lookup *lookup)
{
    struct trace_input input;
    struct trace_output *output;
    struct trace_output_names names = {code_of, describe, lookup};
    if (!source_read(source, &input))
        return input.exit_status;
    lookup->reader = input.reader;
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
        copy_events(&input, output);
        size_t count;
        const struct heaptap_metadata *records = heaptap_reader_metadata(input.reader, &count);
        trace_output_metadata(output, records, count);
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
static int rewrite_in_place(const struct source *source, int encoding, struct lookup *lookup)
{
    char *real = realpath(source->path, NULL);
    struct stat before;
    if (!real || stat(real, &before) != 0) {
        cli_warn("%s: %s", source->path, strerror(errno));
        free(real);
        return CLI_FAILED;
    }
    int kept = encoding == OUTPUT_BY_NAME ? encoding_of_file(real) : encoding;
    int status = rewrite(source, real, kept, lookup);
    if (status != CLI_FAILED && chmod(real, before.st_mode & 07777) != 0) {
        cli_warn("%s: %s", real, strerror(errno));
        status = CLI_FAILED;
    }
    free(real);
    return status;
}

/* ---- Profiles ----------------------------------------------------------------------- */

/* The source, if it is a pprof profile, from its beginning; else NULL. */
static struct input *open_profile(const struct source *source, bool *is_jemalloc)
{
    struct input *input;
    uint8_t bytes[INPUT_PEEK_BYTES];
    size_t got;
    int fd = source->fd < 0 ? open(source->path, O_RDONLY | O_CLOEXEC)
                            : fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && source->fd >= 0)
        lseek(fd, 0, SEEK_SET);
    if (fd < 0 || input_open_fd(&input, fd, NULL) != HEAPTAP_OK)
        return NULL;
    bool is_read = input_peek(input, bytes, &got, NULL) == HEAPTAP_OK;
    *is_jemalloc = is_read && jemalloc_looks_like_one(bytes, got);
    if (is_read && any_profile_looks_like_one(bytes, got))
        return input;
    input_close(input);
    return NULL;
}

static int encode(const void *pprof, struct heaptap_sink sink)
{
    return pprof_encode(pprof, sink);
}

/* A profile in which nothing was found is not replaced. */
static int write_profile(const struct source *source, const struct symbolize_options *options,
                         const struct pprof *pprof, size_t found)
{
    const char *output = options->output                  ? options->output
                         : strcmp(source->path, "-") == 0 ? "-"
                                                          : NULL;
    if (!output && source->fd >= 0) {
        cli_warn("%s: not a regular file: name the output with -o", source->path);
        return CLI_USAGE;
    }
    if (!output && found == 0 && !options->only_rewrite)
        return CLI_DONE;
    return pprof_output_write(output ? output : source->path, OUTPUT_GZIP_QUICK, encode, pprof);
}

static int run_profile(const struct source *source, const struct symbolize_options *options,
                       struct symbolizer *symbolizer, struct input *input, bool is_jemalloc)
{
    struct heaptap_error error;
    struct pprof *pprof;
    size_t found = 0;
    int status = CLI_FAILED;
    if (is_jemalloc && !options->output) {
        input_close(input);
        cli_warn("%s: this is jemalloc's profile, which has no place for names: name a pprof "
                 "profile to be written with -o",
                 source->path);
        return CLI_USAGE;
    }
    enum heaptap_status read = any_profile_read(&pprof, input, &error);
    input_close(input);
    if (read != HEAPTAP_OK)
        return cli_fail(strcmp(source->path, "-") == 0 ? "standard input" : source->path, &error);
    if (!options->only_rewrite && !symbolize_pprof(pprof, symbolizer, &found))
        cli_warn("%s: out of memory", source->path);
    else
        status = write_profile(source, options, pprof, found);
    pprof_free(pprof);
    return status;
}

/* ---- The whole ---------------------------------------------------------------------- */

static void tell_notes(const struct symbolizer *symbolizer)
{
    size_t count;
    const struct symbol_note *notes = symbolizer_notes(symbolizer, &count);
    for (size_t i = 0; i < count; i++)
        cli_warn("%s: note: %s", notes[i].module, notes[i].text);
}

static int write_result(const struct source *source, const struct symbolize_options *options,
                        struct lookup *lookup, const struct heaptap_error *damage)
{
    bool standard = strcmp(source->path, "-") == 0;
    const char *output = options->output ? options->output : standard ? "-" : NULL;
    if (output)
        return rewrite(source, output, options->encoding, lookup);
    if (source->fd >= 0) {
        cli_warn("%s: not a regular file: name the output with -o", source->path);
        return CLI_USAGE;
    }
    if (damage->status != HEAPTAP_OK && !options->keep_readable) {
        int status = cli_fail(source->path, damage);
        cli_warn("%s: left as it is; -o FILE writes what can be read of it", source->path);
        return status;
    }
    if (lookup->query_count == 0 && !options->only_rewrite && damage->status == HEAPTAP_OK)
        return CLI_DONE;
    return rewrite_in_place(source, options->encoding, lookup);
}

static int run(const struct source *source, const struct symbolize_options *options,
               struct symbolizer *symbolizer)
{
    struct trace_input input;
    struct lookup lookup = {0};
    struct heaptap_error damage = {.status = HEAPTAP_OK};
    int status = CLI_FAILED;
    bool is_jemalloc;
    struct input *profile = open_profile(source, &is_jemalloc);
    if (profile) {
        status = run_profile(source, options, symbolizer, profile, is_jemalloc);
        if (!options->quiet)
            tell_notes(symbolizer);
        return status;
    }
    if (!source_read(source, &input))
        return input.exit_status;
    bool done = options->only_rewrite || look_up(&lookup, symbolizer, &input, &damage);
    heaptap_reader_close(input.reader);
    if (!done)
        cli_warn("%s: out of memory", source->path);
    else
        status = write_result(source, options, &lookup, &damage);
    if (!options->quiet)
        tell_notes(symbolizer);
    lookup_release(&lookup);
    return status;
}

int symbolize_trace(const char *path, const struct symbolize_options *options)
{
    struct source source;
    struct symbolizer *symbolizer;
    struct heaptap_error error;
    int status = CLI_DONE;
    if (symbolizer_new(&symbolizer, &options->symbols, &error) != HEAPTAP_OK) {
        cli_warn("%s", error.message);
        return CLI_USAGE;
    }
    if (source_open(&source, path, &status)) {
        status = run(&source, options, symbolizer);
        source_close(&source);
    }
    symbolizer_free(symbolizer);
    return status;
}
