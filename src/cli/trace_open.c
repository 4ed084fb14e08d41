#include "cli/trace_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/input_files.h"
#include "cli/lack.h"
#include "cli/record/kept.h"
#include "cli/store_input.h"
#include "cli/symbolize/at_end.h"
#include "cli/symbolize/symbolize.h"
#include "format/import/file_format.h"
#include "trace/join.h"

static bool fail_open(struct trace_input *input, const struct heaptap_error *error)
{
    input->exit_status = cli_fail(trace_input_subject(input), error);
    return false;
}

static enum heaptap_status open_and_look(struct input **file, const struct file_format **format,
                                         const char *path, struct heaptap_error *error)
{
    kept_save_own(path);
    enum heaptap_status status = input_open(file, path, error);
    return status == HEAPTAP_OK ? file_format_find(format, *file, error) : status;
}

/* ---- Recordings of other profilers ------------------------------------------------------ */

/* A raw recording's addresses get their names; what is missing is told by the frames themselves. */
static void look_up(const char *name)
{
    struct symbolize_options how = {
        .symbolizer = symbolize_with(NULL), .quiet = true, .encoding = -1};
    if (how.symbolizer)
        (void)symbolize_file(name, &how);
    symbolizer_free(how.symbolizer);
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

/* Makes a trace of `file`, whose format has a `convert`, in a temporary file that is gone with the reader; `file` stays the caller's.
 * Addresses of a raw recording are looked up where the binaries are there.  A damaged file gives what stands before the damage, with a
 * message, and input->exit_status set. */
static bool open_converted(struct trace_input *input, struct input *file,
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

/* The reader of a trace, or of what can be made one; takes over `file`. */
static bool open_reader(struct trace_input *input, struct input *file,
                        const struct file_format *format,
                        const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    if (format && format->convert) {
        bool done = open_converted(input, file, format, options);
        input_close(file);
        return done;
    }
    return reader_open_input(&input->reader, file, options, &error) == HEAPTAP_OK ||
           fail_open(input, &error);
}

/* ---- One file ------------------------------------------------------------------------- */

static bool open_store(struct trace_input *input, struct profile_input *profile)
{
    struct heaptap_error error;
    return store_input_read(&profile->model, input->path, input->with_moments, &error) ==
               HEAPTAP_OK ||
           fail_open(input, &error);
}

/* Where it is a file that is a profile, that is of `*format`. */
static bool open_one(struct trace_input *input, const char *path,
                     const struct heaptap_reader_options *options, struct profile_input *profile,
                     const struct file_format **format)
{
    struct heaptap_error error;
    struct input *file = NULL;
    *input = (struct trace_input){.path = path, .with_moments = input->with_moments};
    *profile = (struct profile_input){0};
    *format = NULL;
    if (store_input_is(path))
        return open_store(input, profile);
    struct stat before;
    if (!input_status(path, &before))
        before = (struct stat){0};
    enum heaptap_status status = open_and_look(&file, format, path, &error);
    if (status == HEAPTAP_OK && file_format_is_of_events(*format)) {
        bool done = open_reader(input, file, *format, options);
        input->growth = done ? trace_growth(input->reader, path) : TRACE_STAYS;
        if (input->growth == TRACE_STAYS)
            input->opened = before;
        return done;
    }
    if (status == HEAPTAP_OK) {
        profile->file = file;
        return true;
    }
    input_close(file);
    return fail_open(input, &error);
}

/* ---- Several -------------------------------------------------------------------------- */

/* Each stays open while they are read side by side. */
static void allow_files(size_t count)
{
    enum { OTHERS = 64 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + OTHERS)
        return;
    limit.rlim_cur = count + OTHERS < limit.rlim_max ? count + OTHERS : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* One of the others. */
static bool open_next(struct trace_input *input, struct heaptap_reader **reader, const char *path,
                      const struct heaptap_reader_options *options)
{
    struct trace_input one = {.with_moments = false};
    struct profile_input profile;
    const struct file_format *format;
    bool done = open_one(&one, path, options, &profile, &format);
    if (done && profile_input_is_open(&profile)) {
        cli_warn("%s: this is a profile: it can't be read as one with traces, whose blocks have "
                 "times",
                 path);
        profile_input_close(&profile);
        one.exit_status = CLI_USAGE;
        done = false;
    }
    *reader = done ? one.reader : NULL;
    if (one.growth > input->growth)
        input->growth = one.growth;
    if (one.exit_status > input->exit_status)
        input->exit_status = one.exit_status;
    return done;
}

/* Two traces of one process that began at one time are one, or parts of it: its blocks count twice then. */
static void note_copies(struct heaptap_reader *const *readers, const char *const *paths,
                        size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct heaptap_trace_info *info = heaptap_reader_info(readers[i]);
        for (size_t k = 0; k < i; k++) {
            const struct heaptap_trace_info *other = heaptap_reader_info(readers[k]);
            if (info->pid == other->pid && info->start_us == other->start_us) {
                lack_remark(paths[i],
                            input_text("it is of the same process as %s, and of the same time: if "
                                       "it is a copy, its blocks count twice",
                                       paths[k]));
                return;
            }
        }
    }
}

/* The first is open. */
static bool join(struct trace_input *input, const struct input_files *files,
                 const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    struct heaptap_reader **readers = calloc(files->count, sizeof(struct heaptap_reader *));
    bool done = readers;
    size_t count = 1;
    if (!readers) {
        error_no_memory(&error);
        return fail_open(input, &error);
    }
    readers[0] = input->reader;
    input->reader = NULL;
    for (; done && count < files->count; count++)
        done = open_next(input, &readers[count], files->paths[count], options);
    for (size_t i = 0; !done && i < count; i++)
        heaptap_reader_close(readers[i]);
    if (done && !input->quiet)
        note_copies(readers, files->paths, files->count);
    if (done &&
        readers_join(&input->reader, readers, files->paths, files->count, &error) != HEAPTAP_OK)
        done = fail_open(input, &error);
    free(readers);
    return done;
}

static const char *subject_of(const struct input_names *names, const struct input_files *files)
{
    return files->count == 1 ? files->paths[0]
           : names->more_count == 0
               ? names->path
               : input_text("%s and %zu more", files->paths[0], files->count - 1);
}

static bool open_files(struct trace_input *input, const struct input_names *names,
                       const struct heaptap_reader_options *options, struct profile_input *profile,
                       const struct file_format **format)
{
    struct heaptap_error error;
    struct input_files files;
    struct heaptap_reader_options how = options ? *options : (struct heaptap_reader_options){0};
    bool done = input_files_find(&files, names, &error);
    *input = (struct trace_input){.path = names->path, .with_moments = names->with_moments};
    *profile = (struct profile_input){0};
    if (!done)
        fail_open(input, &error);
    if (done && files.count > 1) {
        how.order = HEAPTAP_TRUE_ORDER;
        allow_files(files.count);
    }
    done = done && open_one(input, files.paths[0], &how, profile, format);
    if (done && files.count > 1)
        done = profile_input_is_open(profile) || join(input, &files, &how);
    if (done) {
        input->path = subject_of(names, &files);
        if (files.count != 1 || strcmp(input->path, files.paths[0]) != 0)
            input->opened = (struct stat){0};
        input->quiet = input->is_known = names->is_known;
        input->leaves_out = files.lost > 0;
        if (input->reader)
            symbolize_at_end(input->reader, input->growth, names->is_unnamed);
    }
    input_files_release(&files);
    return done;
}

/* ---- What callers see ----------------------------------------------------------------- */

bool trace_input_open(struct trace_input *input, const struct input_names *names,
                      const struct heaptap_reader_options *options)
{
    struct heaptap_error error;
    struct profile_input profile;
    const struct file_format *format;
    if (!open_files(input, names, options, &profile, &format))
        return false;
    if (!profile_input_is_open(&profile))
        return true;
    if (profile.file && !format)
        return open_reader(input, profile.file, format, options); /* which says what is wrong */
    profile_input_close(&profile);
    error_set(&error, HEAPTAP_SYSTEM,
              "this is a %s profile; it has no single blocks and times, which this command needs",
              format ? format->name : "store's");
    return fail_open(input, &error);
}

bool trace_input_open_any(struct trace_input *input, const struct input_names *names,
                          const struct heaptap_reader_options *options,
                          struct profile_input *profile)
{
    const struct file_format *format;
    return open_files(input, names, options, profile, &format);
}
