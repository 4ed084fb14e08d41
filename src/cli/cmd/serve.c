/* heaptap fleet serve: takes profiles over HTTP into a store. */
#include <argp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/amount.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/private_file.h"
#include "cli/token_file.h"
#include "fleet/pages.h"
#include "fleet/ingest/server.h"

struct options {
    const char *store, *token_file, *certificate, *key, *scrape;
    struct ingest_server_options server;
};

enum {
    OPTION_STORE = 1000,
    OPTION_LISTEN,
    OPTION_TOKEN,
    OPTION_CERTIFICATE,
    OPTION_KEY,
    OPTION_SCRAPE,
    OPTION_DEBUG_FILES,
    OPTION_DEBUGINFOD,
    OPTION_MAX_SIZE,
    OPTION_MAX_RATE,
    OPTION_MAX_DEPTH,
    OPTION_MAX_NODES,
    OPTION_MAX_SERIES,
    OPTION_MAX_AGE,
    OPTION_MAX_TIME
};

static const struct argp_option option_table[] = {
    {"store", OPTION_STORE, "STORE", 0,
     "Store profiles in STORE, a file or clickhouse://HOST:PORT/DATABASE; made if it doesn't exist. Required",
     0},
    {"listen", OPTION_LISTEN, "ADDRESS:PORT", 0,
     "Listen here (default: 127.0.0.1:4040); port 0 is any free port. Addresses that other "
     "machines reach need --token",
     0},
    {"token", OPTION_TOKEN, "FILE", 0,
     "Take profiles only from senders of the first line of FILE: Authorization: Bearer TOKEN", 0},
    {"certificate", OPTION_CERTIFICATE, "FILE", 0,
     "Encrypt (TLS), with the certificate in FILE, in PEM form; needs --key", 0},
    {"key", OPTION_KEY, "FILE", 0, "The private key of the certificate, in PEM form", 0},
    {"scrape", OPTION_SCRAPE, "FILE", 0,
     "Also fetch profiles from the URLs in FILE, one per line, followed by `every=60s` and labels",
     0},
    {"debug-files", OPTION_DEBUG_FILES, "DIR", 0,
     "For profiles without names, also look up addresses in the debug files in DIR, which are "
     "DIR/.build-id/xx/yyyy.debug",
     0},
    {"debuginfod", OPTION_DEBUGINFOD, "URLS", 0,
     "Fetch debug files that are not there from these servers, into the DIR of --debug-files", 0},
    {"max-size", OPTION_MAX_SIZE, "MB", 0,
     "Refuse profiles that are larger (default: 16); unpacked they may have 16 times as much", 0},
    {"max-rate", OPTION_MAX_RATE, "N", 0, "Refuse more than N profiles a second (default: 1000)",
     0},
    {"max-depth", OPTION_MAX_DEPTH, "N", 0,
     "In stacks deeper than N frames, keep the inner and the outer half, with <deeper> between them (default: 1024)",
     0},
    {"max-nodes", OPTION_MAX_NODES, "N", 0,
     "Refuse profiles whose stacks, as a tree, have more than N frames (default: 200000)", 0},
    {"max-series", OPTION_MAX_SERIES, "N", 0,
     "Refuse new sets of labels when the store has got profiles with N sets in the last 7 days (default: 10000)",
     0},
    {"max-age", OPTION_MAX_AGE, "TIME", 0, "Refuse profiles that ended longer ago (default: 30d)",
     0},
    {"max-time", OPTION_MAX_TIME, "TIME", 0,
     "Cut off requests that take longer to arrive, and answers that take longer to be read (default: 1min)",
     0},
    {0},
};

static double number(const char *option, const char *text, double most, struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value <= 0 || value > most)
        argp_error(state, "%s takes a number above 0, up to %g, not '%s'", option, most, text);
    return value;
}

static size_t whole(const char *option, const char *text, double least, double most,
                    struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value < least || value > most ||
        value != (double)(size_t)value)
        argp_error(state, "%s takes a whole number from %g to %.0f, not '%s'", option, least, most,
                   text);
    return (size_t)value;
}

static void set_seconds(struct ingest_limits *limits, const char *text, struct argp_state *state)
{
    double us;
    if (!amount_duration(text, &us) || us < 1e6 || us > 86400e6)
        argp_error(state, "--max-time takes a time from 1s to 24hrs, not '%s'", text);
    limits->seconds = (int)(us * 1e-6);
}

static void set_size(struct ingest_limits *limits, double megabytes)
{
    limits->body_bytes = (size_t)(megabytes * (1 << 20));
    limits->unpacked_bytes = 16 * limits->body_bytes;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case OPTION_STORE:
        options->store = argument;
        return 0;
    case OPTION_LISTEN:
        options->server.address = argument;
        return 0;
    case OPTION_TOKEN:
        options->token_file = argument;
        return 0;
    case OPTION_CERTIFICATE:
        options->certificate = argument;
        return 0;
    case OPTION_KEY:
        options->key = argument;
        return 0;
    case OPTION_SCRAPE:
        options->scrape = argument;
        return 0;
    case OPTION_DEBUG_FILES:
        options->server.debug_folder = argument;
        return 0;
    case OPTION_DEBUGINFOD:
        options->server.debuginfod = argument;
        return 0;
    case OPTION_MAX_SIZE:
        set_size(&options->server.limits, number("--max-size", argument, 1024, state));
        return 0;
    case OPTION_MAX_RATE:
        options->server.limits.per_second = number("--max-rate", argument, 1e6, state);
        return 0;
    case OPTION_MAX_DEPTH:
        options->server.limits.depth = whole("--max-depth", argument, 8, 1e6, state);
        return 0;
    case OPTION_MAX_NODES:
        options->server.limits.nodes = whole("--max-nodes", argument, 1, 1e8, state);
        return 0;
    case OPTION_MAX_SERIES:
        options->server.limits.series = (size_t)number("--max-series", argument, 1e7, state);
        return 0;
    case OPTION_MAX_AGE:
        options->server.limits.age_us = store_duration(argument);
        if (options->server.limits.age_us <= 0)
            argp_error(state, "--max-age takes a time such as 30d or 12h, not '%s'", argument);
        return 0;
    case OPTION_MAX_TIME:
        set_seconds(&options->server.limits, argument, state);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option; name the store with --store", argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->store || !*options->store)
            argp_error(state, "no store given: use --store STORE");
        if (!options->certificate != !options->key)
            argp_error(state, "--certificate and --key need each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    option_table,
    parse,
    NULL,
    "Takes profiles over HTTP, and keeps them in a store, which all reports open: heaptap top "
    "store:STORE service=api.\v"
    "POST /profiles?service=api&version=1.4 takes pprof's format and heaptap's traces; every "
    "parameter is a label. POST /ingest takes profiles from Pyroscope's agents. The address in a "
    "browser shows what is in the store, over time. GET /healthz, /readyz and "
    "/metrics show the server's state. Ctrl-C ends it.",
    0,
    0,
    0};

static void say(void *context, const char *sentence)
{
    (void)context;
    cli_warn("%s", plain(sentence));
}

static void say_of_store(void *context, const char *sentence)
{
    char shown[512];
    snprintf(shown, sizeof shown, "%s", plain(sentence));
    cli_warn("%s: %s", plain(context), shown);
}

/* Until a signal ends it. */
static int run(const struct ingest_server_options *options, const struct ingest_targets *targets,
               struct store *store, struct fleet_pages *pages, const sigset_t *ends)
{
    struct ingest_server *server;
    struct heaptap_error error;
    char address[NET_ADDRESS_BYTES];
    int got;
    enum heaptap_status status = ingest_server_new(&server, options, store, &error);
    if (status != HEAPTAP_OK) {
        int code = cli_fail(options->address, &error);
        return status == HEAPTAP_SYSTEM ? CLI_FAILED : code;
    }
    if (targets->count > 0 &&
        ingest_server_scrape(server, targets, say, NULL, &error) != HEAPTAP_OK) {
        ingest_server_free(server);
        return cli_out_of_memory();
    }
    ingest_server_address(server, address);
    printf("%s\n", address);
    fflush(stdout);
    sigwait(ends, &got);
    fleet_pages_end(pages);
    ingest_server_free(server);
    return CLI_DONE;
}

static int serve(const struct options *options, const struct ingest_targets *targets,
                 struct store *store)
{
    struct ingest_server_options server = options->server;
    struct fleet_pages *pages;
    struct heaptap_error error;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* the threads of both never take them */
    if (fleet_pages_new(&pages, options->store, &error) != HEAPTAP_OK)
        return cli_fail(options->store, &error);
    const struct ingest_pages asked = fleet_pages_asked(pages);
    server.pages = &asked;
    server.store = options->store;
    server.say = say_of_store;
    server.say_context = (void *)options->store;
    int status = run(&server, targets, store, pages, &ends);
    fleet_pages_free(pages);
    return status;
}

static bool read_tls(struct net_tls *tls, struct options *options)
{
    struct heaptap_error error;
    const char *where;
    if (!options->certificate)
        return true;
    if (net_tls_read(tls, options->certificate, options->key, &where, &error) != HEAPTAP_OK) {
        cli_fail(where, &error);
        return false;
    }
    options->server.tls = tls;
    private_file_check(options->key);
    if (tls->expires < time(NULL))
        cli_warn("%s: the certificate has expired: senders will refuse it", options->certificate);
    return true;
}

static int open_and_serve(const struct options *options, const struct ingest_targets *targets)
{
    struct store *store = NULL;
    struct heaptap_error error;
    private_file_check(options->store);
    int status = store_open(&store, options->store, STORE_INIT, &error) == HEAPTAP_OK
                     ? serve(options, targets, store)
                     : cli_fail(options->store, &error);
    store_close(store);
    return status;
}

int cmd_serve(int argc, char **argv)
{
    struct options options = {
        .server = {.address = "127.0.0.1:4040", .limits = ingest_limits_usual()}};
    struct heaptap_error error;
    struct ingest_targets targets = {0};
    struct net_tls tls = {0};
    char *token = NULL;
    int status;
    cli_parse(&argp, argc, argv, 0, &options);
    if (options.token_file)
        options.server.token = token = token_file_read(options.token_file);
    if ((options.token_file && !token) || !read_tls(&tls, &options))
        status = CLI_USAGE;
    else if (options.scrape && ingest_targets_read(&targets, options.scrape, &error) != HEAPTAP_OK)
        status = cli_fail(options.scrape, &error) == CLI_BAD_INPUT ? CLI_USAGE : CLI_FAILED;
    else
        status = open_and_serve(&options, &targets);
    free(token);
    net_tls_release(&tls);
    ingest_targets_release(&targets);
    return status;
}
