/* heaptap view: traces in the browser, or in the terminal. */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/url.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/source_lookup.h"
#include "cli/terminal/terminal.h"
#include "cli/trace_input.h"
#include "cli/viewed_files.h"
#include "page/server.h"

struct options {
    char **paths;
    size_t count;
    const char *base; /* NULL for none */
    const char *source_path;
    uint16_t port;
    bool no_browser;
    bool live;
    bool in_terminal;
    double memory; /* bytes that a model may take; a larger one is thinned */
};

enum { MEMORY_LEAST = 1 << 20 };

static bool take_port(void *field, const char *text, struct heaptap_error *error)
{
    return url_port(text, strlen(text), field) ||
           option_refuse(error, "a number up to 65535", text);
}

static bool take_memory(void *field, const char *text, struct heaptap_error *error)
{
    double *bytes = field;
    return (amount_bytes(text, bytes) && *bytes >= MEMORY_LEAST) ||
           option_refuse(error, "a size of 1 MB and more, such as 4GB", text);
}

#define FIELD(name) offsetof(struct options, name)

static const struct question_option rows[] = {
    {"port", 'p', OPTION_TAKEN, 0, "N", "Listen on this port (default: any free one)", FIELD(port),
     .take = take_port},
    {"no-browser", 0, OPTION_FLAG, 0, NULL, "Print the address, but don't open a browser",
     FIELD(no_browser)},
    {"base", 0, OPTION_TEXT, 0, "FILE", "Compare with FILE", FIELD(base)},
    {"source-path", 0, OPTION_TEXT, 0, "FOLDERS",
     "Read sources below these folders, separated by colons, in addition to the current one",
     FIELD(source_path)},
    {"terminal", 0, OPTION_FLAG, 0, NULL,
     "Show them in this terminal, and follow traces that are still being written",
     FIELD(in_terminal)},
    {"live", 0, OPTION_FLAG, 0, NULL, "Follow traces that are still being written", FIELD(live)},
    {"memory", 0, OPTION_TAKEN, 0, "SIZE",
     "Limit a trace's blocks to SIZE of memory, such as 4GB, by dropping samples (default: half of the "
     "machine's)",
     FIELD(memory), .take = take_memory},
    {0}};

static void take(char *path, struct argp_state *state)
{
    struct options *options = state->input;
    if (options->count == VIEWER_FILES_MAX)
        argp_error(state, "%d files at most", VIEWER_FILES_MAX);
    options->paths[options->count++] = path;
}

static void check(struct argp_state *state)
{
    struct options *options = state->input;
    if (options->count == 0)
        argp_error(state, "no trace given");
    options->live |= options->in_terminal;
}

static const struct command_line line = {
    .take = take,
    .check = check,
    .arguments = "FILE...",
    .about =
        "Shows traces and profiles in the browser: over time, as flame graphs, trees, tables and maps, "
        "under any filter.\vThe page is served to this machine only, until Ctrl-C. With --terminal, the summary and the lines that each "
        "of its rows is about are shown here.",
};

/* ---- The browser ------------------------------------------------------------------------- */

struct viewing {
    const struct options *options;
    struct viewed_files files;
    bool is_told;            /* its address */
    char redirect[PATH_MAX]; /* the file that leads the browser to it; "" for none */
    struct viewer_server *server;
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

/* ---- Reading ----------------------------------------------------------------------------- */

static void tell_bytes(uint64_t bytes, uint64_t whole)
{
    char text[UNITS_TEXT_BYTES];
    if (!isatty(STDERR_FILENO))
        return;
    units_bytes(text, (double)bytes);
    if (whole > 0)
        fprintf(stderr, "\rreading: %s, %.0f %%   ", text, 100.0 * (double)bytes / (double)whole);
    else
        fprintf(stderr, "\rreading: %s   ", text);
}

/* A reader of true order has been over all bytes before its first event. */
static void tell_progress(void *context, const struct heaptap_reader *reader, uint64_t bytes)
{
    struct viewing *viewing = context;
    tell_address(viewing);
    uint64_t whole = heaptap_reader_notes(reader)->bytes;
    viewer_server_progress(viewing->server, bytes, whole, heaptap_reader_info(reader));
    tell_bytes(bytes, whole);
}

/* Half of the machine's. */
static double usual_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
}

static struct viewed_files files_of(const struct options *options)
{
    return (struct viewed_files){
        .wanted = options->paths,
        .wanted_count = options->count,
        .base_path = options->base,
        .watch = {.is_quiet = options->live, .memory = (uint64_t)options->memory}};
}

/* ---- Following --------------------------------------------------------------------------- */

static void follow_for_browser(struct viewing *viewing)
{
    for (size_t i = 0; i < viewing->files.count; i++) {
        struct viewer_dataset *before = viewed_files_follow(&viewing->files, i);
        if (!before)
            continue;
        viewer_server_show_one(viewing->server, i, viewing->files.files[i]);
        viewer_dataset_free(before);
    }
}

static bool wait_for_end(const sigset_t *ends, double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return sigtimedwait(ends, NULL, &time) > 0;
}

/* How long to wait after a look that began then. */
static double pause_since(double began)
{
    double rest = VIEWED_REST * (1e-6 * (double)clock_us(CLOCK_MONOTONIC) - began),
           least = VIEWED_PAUSE_MS * 1e-3;
    return rest > least ? rest : least;
}

static void follow_all(struct viewing *viewing, const sigset_t *ends)
{
    double pause = VIEWED_PAUSE_MS * 1e-3;
    while (!wait_for_end(ends, pause)) {
        double began = 1e-6 * (double)clock_us(CLOCK_MONOTONIC);
        follow_for_browser(viewing);
        pause = pause_since(began);
    }
}

/* ---- Its end ----------------------------------------------------------------------------- */

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
    viewing->files.watch.tell = tell_progress;
    viewing->files.watch.context = viewing;
    bool done = viewed_files_read(&viewing->files);
    pthread_sigmask(SIG_BLOCK, ends, NULL);
    if (!done)
        return;
    viewer_server_set_base(viewing->server, viewing->files.base);
    viewer_server_show(viewing->server, viewing->files.files, viewing->files.count,
                       viewing->options->live);
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

static int view_in_browser(const struct options *options)
{
    struct viewing viewing = {.options = options, .files = files_of(options)};
    struct heaptap_error error;
    sigset_t ends = end_signals();
    struct trace_input first = {.path = options->paths[0]};
    signal(SIGCHLD, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* the server's thread never takes them */
    if (viewer_server_new(&viewing.server, options->port, trace_input_name(&first), &error) !=
        HEAPTAP_OK) {
        cli_fail("the server", &error);
        return CLI_FAILED;
    }
    struct source_lookup lookup = {.folders = options->source_path};
    struct viewer_sources sources = {source_lookup_lines, &lookup};
    viewer_server_set_sources(viewing.server, &sources);
    struct viewer_reading reading = {viewed_files_put, &viewing.files};
    viewer_server_set_reading(viewing.server, &reading);
    view(&viewing, &ends);
    if (*viewing.redirect)
        unlink(viewing.redirect);
    viewer_server_free(viewing.server);
    viewed_files_release(&viewing.files);
    source_lookup_release(&lookup);
    return viewing.files.status;
}

/* ---- In the terminal --------------------------------------------------------------------- */

#ifdef LIBNCURSESW
static bool follow_for_terminal(void *context, int *wait_ms)
{
    struct viewed_files *files = context;
    bool has_changed = false;
    double began = 1e-6 * (double)clock_us(CLOCK_MONOTONIC);
    for (size_t i = 0; i < files->count; i++) {
        struct viewer_dataset *before = viewed_files_follow(files, i);
        has_changed |= before != NULL;
        viewer_dataset_free(before);
    }
    *wait_ms = (int)(pause_since(began) * 1e3);
    return has_changed;
}

static void tell_reading(void *context, const struct heaptap_reader *reader, uint64_t bytes)
{
    (void)context;
    tell_bytes(bytes, heaptap_reader_notes(reader)->bytes);
}

static int view_in_terminal(const struct options *options)
{
    struct viewed_files files = files_of(options);
    struct source_lookup lookup = {.folders = options->source_path};
    struct viewer_sources sources = {source_lookup_lines, &lookup};
    struct heaptap_error error;
    files.watch.tell = tell_reading;
    if (viewed_files_read(&files)) {
        struct viewer_state state = {.files = files.files,
                                     .file_count = files.count,
                                     .base = files.base,
                                     .sources = &sources,
                                     .is_live = true};
        const struct terminal_view view = {&state, follow_for_terminal, &files};
        if (!terminal_run(&view, &error))
            files.status = cli_fail("--terminal", &error);
    }
    viewed_files_release(&files);
    source_lookup_release(&lookup);
    return files.status;
}
#else
static int view_in_terminal(const struct options *options)
{
    (void)options;
    cli_warn(
        "--terminal: this heaptap was built without ncurses; `heaptap summary` prints the same once");
    return CLI_USAGE;
}
#endif

/* ---- The command ------------------------------------------------------------------------- */

/* Large arrays of a model and of answers go back to the system as soon as they are freed.  Unless told so, glibc raises its bound
 * for those as they are freed, and keeps what lies between others. */
static void return_large_arrays(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int cmd_view(int argc, char **argv)
{
    return_large_arrays();
    struct options options = {.source_path = "",
                              .paths = calloc(VIEWER_FILES_MAX, sizeof(char *)),
                              .memory = usual_memory()};
    if (!options.paths) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    cli_parse(rows, &line, argc, argv, 0, &options);
    int status = options.in_terminal ? view_in_terminal(&options) : view_in_browser(&options);
    free(options.paths);
    return status;
}
