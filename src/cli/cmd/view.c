/* heaptap view: traces in the browser. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/parse.h"
#include "cli/source_lookup.h"
#include "page/server.h"

struct options {
    char **paths;
    size_t count;
    const char *base; /* NULL for none */
    const char *source_path;
    uint16_t port;
    bool no_browser;
    bool live;
    double memory; /* bytes that a model may take; a larger one is thinned */
};

enum { OPTION_NO_BROWSER = 1000, OPTION_LIVE, OPTION_BASE, OPTION_SOURCE_PATH, OPTION_MEMORY };

/* How often a file that may grow is looked at: all of it is read again, as what comes later can be
 * of earlier times, so that there is a rest of LIVE_REST times what that took; no less than
 * LIVE_MILLISECONDS in any case. */
enum { LIVE_MILLISECONDS = 500, LIVE_REST = 9, MEMORY_LEAST = 1 << 20 };

static const struct argp_option option_table[] = {
    {"port", 'p', "N", 0, "Listen on this port (default: any free one)", 0},
    {"no-browser", OPTION_NO_BROWSER, NULL, 0, "Print the address, but don't open a browser", 0},
    {"base", OPTION_BASE, "FILE", 0, "Compare with FILE", 0},
    {"source-path", OPTION_SOURCE_PATH, "FOLDERS", 0,
     "Read sources below these folders, separated by colons, in addition to the current one", 0},
    {"live", OPTION_LIVE, NULL, 0, "Follow traces that are still being written", 0},
    {"memory", OPTION_MEMORY, "SIZE", 0,
     "Limit a trace's blocks to SIZE of memory, such as 4GB, by dropping samples (default: half of the "
     "machine's)",
     0},
    {0},
};

static void add_path(struct options *options, char *path, struct argp_state *state)
{
    if (options->count == VIEWER_FILES_MAX)
        argp_error(state, "%d files at most", VIEWER_FILES_MAX);
    options->paths[options->count++] = path;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    uint64_t port;
    switch (key) {
    case 'p':
        if (!cli_parse_whole(argument, 0, UINT16_MAX, &port))
            argp_error(state, "--port takes a number up to 65535, not '%s'", argument);
        options->port = (uint16_t)port;
        return 0;
    case OPTION_NO_BROWSER:
        options->no_browser = true;
        return 0;
    case OPTION_BASE:
        options->base = argument;
        return 0;
    case OPTION_SOURCE_PATH:
        options->source_path = argument;
        return 0;
    case OPTION_LIVE:
        options->live = true;
        return 0;
    case OPTION_MEMORY:
        if (!amount_bytes(argument, &options->memory) || options->memory < MEMORY_LEAST)
            argp_error(state, "--memory takes a size of 1 MB and more, such as 4GB, not '%s'",
                       argument);
        return 0;
    case ARGP_KEY_ARG:
        add_path(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (options->count == 0)
            argp_error(state, "no trace given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    option_table,
    parse,
    "FILE...",
    "Shows traces and profiles in the browser: over time, as flame graphs, trees, tables and maps, "
    "under any filter.\vThe page is served to this machine only, until Ctrl-C.",
    NULL,
    NULL,
    NULL};

/* ---- Reading ----------------------------------------------------------------------------- */

struct viewing {
    const struct options *options;
    const char *paths[VIEWER_FILES_MAX]; /* of the files that could be read */
    size_t count;
    bool is_told;            /* its address */
    char redirect[PATH_MAX]; /* the file that leads the browser to it; "" for none */
    struct viewer_server *server;
    struct viewer_dataset *files[VIEWER_FILES_MAX];
    struct viewer_dataset *base;
    off_t sizes[VIEWER_FILES_MAX]; /* when they were read */
    int status;                    /* what to exit with so far */
};

/* The address has a token in it that is for this user alone, and arguments of programs are for all to read: what the browser is
 * given is a file that only the user can read. */
static bool write_redirect(struct viewing *viewing, const char *address)
{
    const char *named = getenv("XDG_RUNTIME_DIR");
    const char *folder = named && *named == '/' ? named : "/tmp";
    if (snprintf(viewing->redirect, PATH_MAX, "%s/heaptap-XXXXXX.html", folder) >= PATH_MAX) {
        viewing->redirect[0] = 0;
        return false;
    }
    int fd = mkostemps(viewing->redirect, (int)strlen(".html"), O_CLOEXEC); /* of mode 0600 */
    if (fd < 0) {
        viewing->redirect[0] = 0;
        return false;
    }
    bool done = dprintf(fd,
                        "<!doctype html><title>heaptap</title>"
                        "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
                        address) > 0;
    return close(fd) == 0 && done;
}

/* The first program that can open it; its own messages are dropped. */
static void open_browser(const char *file)
{
    char *arguments[] = {(char *)"xdg-open", (char *)file, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
}

/* Once it is known that there is something to show. */
static void tell_address(struct viewing *viewing)
{
    char address[VIEWER_ADDRESS_BYTES];
    if (viewing->is_told)
        return;
    viewing->is_told = true;
    viewer_server_address(viewing->server, address);
    printf("%s\n", address);
    fflush(stdout);
    if (!viewing->options->no_browser && write_redirect(viewing, address))
        open_browser(viewing->redirect);
}

/* A reader of true order has been over all bytes before its first event. */
static void tell_progress(void *context, const struct heaptap_reader *reader, uint64_t bytes)
{
    struct viewing *viewing = context;
    tell_address(viewing);
    uint64_t whole = heaptap_reader_notes(reader)->bytes;
    viewer_server_progress(viewing->server, bytes, whole, heaptap_reader_info(reader));
    if (isatty(STDERR_FILENO)) {
        char text[UNITS_TEXT_BYTES];
        units_bytes(text, (double)bytes);
        if (whole > 0)
            fprintf(stderr, "\rreading: %s, %.0f %%   ", text,
                    100.0 * (double)bytes / (double)whole);
        else
            fprintf(stderr, "\rreading: %s   ", text);
    }
}

/* Half of the machine's. */
static double usual_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
}

static off_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

/* NULL with a message told, and the exit status kept. */
static struct viewer_dataset *read_file(struct viewing *viewing, const char *path)
{
    struct model_input input;
    struct model_watch watch = {.tell = tell_progress,
                                .context = viewing,
                                .is_quiet = viewing->options->live,
                                .memory = (uint64_t)viewing->options->memory};
    const struct model_wanted wanted = {.files.path = path, .watch = &watch};
    bool done = model_input_open(&input, &wanted) && model_input_to_base_units(&input);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    viewing->status = input.trace.exit_status;
    if (!done)
        return NULL;
    const char *remark = input.trace.exit_status != CLI_DONE ? input.trace.error.message : NULL;
    struct viewer_dataset *file =
        viewer_dataset_new(input.model, trace_input_name(&input.trace), remark);
    if (!file) {
        cli_warn("%s: out of memory", trace_input_subject(&input.trace));
        viewing->status = CLI_FAILED;
    }
    return file;
}

static bool read_all(struct viewing *viewing)
{
    int worst = CLI_DONE;
    for (size_t i = 0; i < viewing->options->count; i++) {
        const char *path = viewing->options->paths[i];
        off_t size = size_of(path);
        struct viewer_dataset *file = read_file(viewing, path);
        worst = viewing->status > worst ? viewing->status : worst;
        if (!file)
            continue;
        viewing->sizes[viewing->count] = size;
        viewing->paths[viewing->count] = path;
        viewing->files[viewing->count++] = file;
    }
    if (viewing->options->base) {
        viewing->base = read_file(viewing, viewing->options->base);
        worst = viewing->status > worst ? viewing->status : worst;
    }
    viewing->status = worst;
    return viewing->count > 0 && (viewing->base || !viewing->options->base);
}

/* ---- Following --------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Reads a file again that has grown.  What was shown before goes when nothing looks at it. */
static void follow(struct viewing *viewing, size_t i)
{
    off_t size = size_of(viewing->paths[i]);
    if (size < 0 || size == viewing->sizes[i])
        return;
    struct viewer_dataset *before = viewing->files[i];
    struct viewer_dataset *after = read_file(viewing, viewing->paths[i]);
    if (!after)
        return;
    viewing->sizes[i] = size;
    viewer_server_show_one(viewing->server, i, after);
    viewing->files[i] = after;
    viewer_dataset_free(before);
}

static bool wait_for_end(const sigset_t *ends, double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return sigtimedwait(ends, NULL, &time) > 0;
}

static void follow_all(struct viewing *viewing, const sigset_t *ends)
{
    double pause = LIVE_MILLISECONDS * 1e-3;
    while (!wait_for_end(ends, pause)) {
        double began = now();
        for (size_t i = 0; i < viewing->count; i++)
            follow(viewing, i);
        double rest = LIVE_REST * (now() - began);
        pause = rest > LIVE_MILLISECONDS * 1e-3 ? rest : LIVE_MILLISECONDS * 1e-3;
    }
}

/* ---- The command ------------------------------------------------------------------------- */

/* The browser's file, for whatever ends the program while it reads. */
static const char *redirect_left;

static void end_by(int number)
{
    unlink(redirect_left);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_ends(const char *redirect)
{
    redirect_left = redirect;
    signal(SIGINT, end_by);
    signal(SIGTERM, end_by);
    signal(SIGHUP, end_by);
}

/* Reads, shows, and waits for Ctrl-C. */
static void view(struct viewing *viewing, const sigset_t *ends)
{
    int got;
    catch_ends(viewing->redirect);
    pthread_sigmask(SIG_UNBLOCK, ends, NULL); /* while it reads, they end it as they always do */
    bool done = read_all(viewing);
    pthread_sigmask(SIG_BLOCK, ends, NULL);
    if (!done)
        return;
    viewer_server_set_base(viewing->server, viewing->base);
    viewer_server_show(viewing->server, viewing->files, viewing->count, viewing->options->live);
    tell_address(viewing);
    if (viewing->options->live)
        follow_all(viewing, ends);
    else
        sigwait(ends, &got);
}

static sigset_t end_signals(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    return ends;
}

int cmd_view(int argc, char **argv)
{
    struct options options = {.source_path = "",
                              .paths = calloc(VIEWER_FILES_MAX, sizeof(char *)),
                              .memory = usual_memory()};
    struct viewing viewing = {.options = &options};
    struct heaptap_error error;
    sigset_t ends = end_signals();
    if (!options.paths) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    cli_parse(&argp, argc, argv, 0, &options);
    struct trace_input first = {.path = options.paths[0]};
    signal(SIGCHLD, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* the server's thread never takes them */
    if (viewer_server_new(&viewing.server, options.port, trace_input_name(&first), &error) !=
        HEAPTAP_OK) {
        free(options.paths);
        cli_fail("the server", &error);
        return CLI_FAILED;
    }
    struct source_lookup lookup = {.folders = options.source_path};
    struct viewer_sources sources = {source_lookup_lines, &lookup};
    viewer_server_set_sources(viewing.server, &sources);
    view(&viewing, &ends);
    if (*viewing.redirect)
        unlink(viewing.redirect);
    viewer_server_free(viewing.server);
    for (size_t i = 0; i < viewing.count; i++)
        viewer_dataset_free(viewing.files[i]);
    viewer_dataset_free(viewing.base);
    source_lookup_release(&lookup);
    free(options.paths);
    return viewing.status;
}
