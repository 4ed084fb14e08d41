#include "cli/record/continuous.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/memtracer/guest_intervals.h"
#include "cli/output_file.h"
#include "cli/record/intervals.h"
#include "cli/record/pushing.h"
#include "profile/list/unused.h"
#include "pprof/write/encode.h"
#include "trace/output.h"

struct continuous {
    const struct continuous_options *options;
    struct intervals intervals;    /* of recorders */
    struct guest_intervals guests; /* of interpreters, where `folder` is set */
    char *pattern;
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock; /* of `ends` */
    pthread_cond_t wake;
    bool ends;               /* the command has ended */
    struct pushing *pushing; /* NULL: profiles are not sent */
    size_t taken, kept;      /* of these, in the folder */
    size_t lost;             /* that could not be read or kept */
    bool is_said;            /* why */
};

/* ---- Options ------------------------------------------------------------------------ */

bool continuous_take_seconds(void *field, const char *text, struct heaptap_error *error)
{
    double us;
    bool fits = amount_duration(text, &us) && us >= 1e6 && us <= 86400e6;
    if (fits)
        snprintf(field, CONTINUOUS_SECONDS, "%.6f", us * 1e-6);
    return fits || option_refuse(error, "a time from 1s to 24hrs, such as 60s", text);
}

static bool take_url(void *field, const char *url, struct heaptap_error *error)
{
    *(const char **)field = url;
    return sender_is_url(url) || option_refuse(error, "a URL such as http://127.0.0.1:4040", url);
}

static bool take_label(void *labels, const char *text, struct heaptap_error *error)
{
    return store_labels_parse(labels, text, error) == HEAPTAP_OK;
}

#define FIELD(name) offsetof(struct continuous_options, name)

const struct question_option continuous_rows[] = {
    {"every", 0, OPTION_TAKEN, 0, "TIME",
     "Make a profile of each interval of TIME (10s, 5min; at least 1s), for as long as the command runs: "
     "what was allocated in it, and what is in use at its end. -o names the folder for the profiles",
     FIELD(every), .take = continuous_take_seconds, .group = 2},
    {"push", 0, OPTION_TAKEN, 0, "URL",
     "Send these profiles to a server, heaptap fleet serve or Pyroscope; implies --every 60s",
     FIELD(push), .take = take_url, .group = 2},
    {"label", 'l', OPTION_TAKEN, 0, "NAME=VALUE",
     "Send them with this label: service, version, instance, ...; may be given several times",
     FIELD(labels), .take = take_label, .group = 2},
    {"token", 0, OPTION_TEXT, 0, "FILE",
     "Send the first line of FILE with them: Authorization: Bearer TOKEN", FIELD(token_file),
     .group = 2},
    {"ca", 0, OPTION_TEXT, 0, "FILE",
     "Verify the server of an https:// URL with the certificates in FILE, in PEM form, instead of the "
     "system's",
     FIELD(authorities), .group = 2},
    {"spool", 0, OPTION_TEXT, 0, "DIR", "Keep profiles in DIR until the server takes them",
     FIELD(spool), .group = 2},
    {"spool-size", 0, OPTION_TAKEN, 0, "BYTES",
     "Drop the oldest profiles when DIR is larger (default: 64M)", FIELD(spool_bytes),
     .take = option_take_bytes, .group = 2},
    {0}};

bool continuous_is_asked(const struct continuous_options *options)
{
    return options->every[0] || options->push;
}

const char *continuous_stray(const struct continuous_options *options)
{
    return options->push              ? NULL
           : options->labels.count    ? "label"
           : options->token_file      ? "token"
           : options->authorities     ? "ca"
           : options->spool           ? "spool"
           : options->spool_bytes > 0 ? "spool-size"
                                      : NULL;
}

/* ---- Profiles ----------------------------------------------------------------------- */

static void lose(struct continuous *continuous, const char *what, const char *why)
{
    continuous->lost++;
    if (!continuous->is_said)
        cli_warn("%s: %s", what, why);
    continuous->is_said = true;
}

/* The last part of a path, of which no character means anything to a shell or a terminal. */
static void plain_name(char *name, size_t size, const char *path)
{
    const char *from = path_file(path);
    size_t i = 0;
    for (; from[i] && i + 1 < size; i++) {
        bool is_plain = (from[i] >= 'a' && from[i] <= 'z') || (from[i] >= 'A' && from[i] <= 'Z') ||
                        (from[i] >= '0' && from[i] <= '9') || (i > 0 && strchr("._+-", from[i]));
        name[i] = is_plain ? from[i] : '_';
    }
    name[i] = 0;
}

/* FOLDER/TIME-PROGRAM.PID.NUMBER.pb.gz, with PID-2 after an exec, the time being that of the interval's end: so names are in
 * the order of time.  malloc'ed. */
static char *file_name(const struct continuous *continuous, const struct interval *interval)
{
    char when[32], program[INTERVAL_NAME_MAX + 1];
    const struct profile_file *file = interval->model->file;
    time_t seconds = (time_t)((file->time_ns + file->duration_ns) / 1000000000);
    struct tm utc;
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", gmtime_r(&seconds, &utc));
    plain_name(program, sizeof program, interval->program);
    return text_format("%s/%s-%s.%.*s.%06lu.pb.gz", continuous->options->folder, when, program,
                       (int)strlen(interval->process->name) - 3, interval->process->name,
                       interval->number);
}

/* Compressed, into a file in memory.  0 or an errno. */
static int encode(int fd, const struct model *model)
{
    struct output *gzip;
    struct heaptap_error error;
    if (output_new(&gzip, fd, OUTPUT_GZIP_QUICK, &error) != HEAPTAP_OK)
        return error.status == HEAPTAP_SYSTEM ? error.system_errno : ENOMEM;
    int code = pprof_encode(model, output_sink(gzip));
    if (!code)
        code = output_finish(gzip);
    output_free(gzip);
    return code;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    struct output_file file;
    int code = output_file_open(&file, path);
    if (code)
        return code;
    struct heaptap_sink sink = heaptap_sink_fd(file.fd);
    code = sink.write(sink.context, bytes, size);
    if (!code)
        code = output_file_commit(&file);
    output_file_release(&file);
    return code;
}

static void keep(struct continuous *continuous, const struct interval *interval, const void *bytes,
                 size_t size)
{
    char *name = file_name(continuous, interval);
    int code = name ? write_file(name, bytes, size) : ENOMEM;
    if (code)
        lose(continuous, name ? name : continuous->options->folder, strerror(code));
    else
        continuous->kept++;
    free(name);
}

static void take(void *context, const struct interval *interval)
{
    struct continuous *continuous = context;
    struct stat status;
    if (interval->error.status != HEAPTAP_OK) {
        lose(continuous, "a profile", interval->error.message);
        return;
    }
    int fd = memfd_create("heaptap-profile", MFD_CLOEXEC);
    int code = fd < 0                                  ? errno
               : !profile_drop_unused(interval->model) ? ENOMEM
                                                       : encode(fd, interval->model);
    void *bytes = MAP_FAILED;
    if (!code && fstat(fd, &status) == 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        lose(continuous, "a profile", strerror(code ? code : errno));
    } else {
        continuous->taken++;
        if (continuous->options->folder)
            keep(continuous, interval, bytes, (size_t)status.st_size);
        if (continuous->pushing &&
            !pushing_put(continuous->pushing, interval, bytes, (size_t)status.st_size))
            continuous->lost++;
        munmap(bytes, (size_t)status.st_size);
    }
    if (fd >= 0)
        close(fd);
}

/* ---- The thread --------------------------------------------------------------------- */

enum { LOOK_MS = 500 };

/* False when the command has ended. */
static bool wait_a_little(struct continuous *continuous)
{
    struct timespec until = clock_after(CLOCK_REALTIME, LOOK_MS * 1000);
    pthread_mutex_lock(&continuous->lock);
    if (!continuous->ends)
        pthread_cond_timedwait(&continuous->wake, &continuous->lock, &until);
    bool ends = continuous->ends;
    pthread_mutex_unlock(&continuous->lock);
    return !ends;
}

static void look(struct continuous *continuous, bool at_last)
{
    bool done = !continuous->guests.folder || guest_intervals_collect(&continuous->guests, at_last);
    done = intervals_collect(&continuous->intervals) && done;
    if (!done)
        lose(continuous, "a profile", "out of memory");
    else if (continuous->pushing && !at_last)
        pushing_tell(continuous->pushing);
}

static void *collect(void *context)
{
    struct continuous *continuous = context;
    while (wait_a_little(continuous))
        look(continuous, false);
    return NULL;
}

void continuous_start(void *context)
{
    struct continuous *continuous = context;
    if (continuous->pushing)
        pushing_start(continuous->pushing);
    continuous->is_started = pthread_create(&continuous->thread, NULL, collect, continuous) == 0;
}

static void stop(struct continuous *continuous)
{
    pthread_mutex_lock(&continuous->lock);
    continuous->ends = true;
    pthread_cond_signal(&continuous->wake);
    pthread_mutex_unlock(&continuous->lock);
    if (continuous->is_started)
        pthread_join(continuous->thread, NULL);
    continuous->is_started = false;
}

/* ---- Beginning and end -------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 &&
                                   S_ISDIR(status.st_mode) && access(path, W_OK) == 0))
        return true;
    if (errno == EEXIST)
        errno = ENOTDIR;
    cli_warn("%s: cannot keep profiles there: %s", path, strerror(errno));
    return false;
}

static void set_sources(struct continuous *continuous, const char *guests)
{
    continuous->intervals.symbols = continuous->options->symbols;
    continuous->intervals.take = continuous->guests.take = take;
    continuous->intervals.context = continuous->guests.context = continuous;
    continuous->guests.folder = guests;
    continuous->guests.every_us = (int64_t)(strtod(continuous->options->every, NULL) * 1e6);
}

struct continuous *continuous_new(const struct continuous_options *options, const char *guests)
{
    struct heaptap_error error;
    struct continuous *continuous = calloc(1, sizeof *continuous);
    if (!continuous) {
        cli_out_of_memory();
        return NULL;
    }
    continuous->options = options;
    set_sources(continuous, guests);
    pthread_mutex_init(&continuous->lock, NULL);
    pthread_cond_init(&continuous->wake, NULL);
    bool done = !options->folder || make_folder(options->folder);
    if (done && intervals_begin(&continuous->intervals, &error) != HEAPTAP_OK) {
        cli_warn("%s", error.message);
        done = false;
    }
    if (done && options->push) {
        continuous->pushing = pushing_new(options);
        done = continuous->pushing;
    }
    continuous->pattern = done ? intervals_pattern(&continuous->intervals) : NULL;
    if (continuous->pattern)
        return continuous;
    if (done)
        cli_out_of_memory();
    continuous_free(continuous);
    return NULL;
}

const char *continuous_pattern(const struct continuous *continuous)
{
    return continuous->pattern;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

size_t continuous_end(struct continuous *continuous, pid_t ended)
{
    const struct continuous_options *options = continuous->options;
    stop(continuous);
    look(continuous, true);
    intervals_collect(&continuous->intervals); /* what only the first look met has ended, too */
    size_t processes = continuous->intervals.met + continuous->guests.met;
    size_t running = intervals_end(&continuous->intervals, ended);
    if (continuous->lost > 0)
        cli_warn("%zu profile%s lost", continuous->lost, continuous->lost == 1 ? " was" : "s were");
    if (running > 0) /* with --quiet, too: what they allocate from now on is in no profile */
        cli_warn("%zu process%s still running, and recorded no more", running,
                 running == 1 ? " is" : "es are");
    if (continuous->kept > 0 && !options->quiet)
        fprintf(stderr, "%zu profile%s of %zu process%s in %s\n", continuous->kept,
                plural(continuous->kept), processes, processes == 1 ? "" : "es", options->folder);
    if (continuous->pushing)
        pushing_end(continuous->pushing, options->quiet);
    return continuous->taken + continuous->lost;
}

void continuous_free(struct continuous *continuous)
{
    if (!continuous)
        return;
    stop(continuous);
    if (continuous->intervals.folder)
        intervals_end(&continuous->intervals, 0);
    guest_intervals_release(&continuous->guests);
    pushing_free(continuous->pushing);
    pthread_mutex_destroy(&continuous->lock);
    pthread_cond_destroy(&continuous->wake);
    free(continuous->pattern);
    free(continuous);
}
