/* heaptap fleet serve: takes profiles over HTTP into a store. */
#include <argp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/amount.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/private_file.h"
#include "cli/source_lookup.h"
#include "cli/token_file.h"
#include "fleet/pages.h"
#include "fleet/ingest/server.h"

struct options {
    const char *store, *token_file, *certificate, *key, *scrape, *source_path;
    struct ingest_server_options server;
};

static bool take_size(void *field, const char *text, struct heaptap_error *error)
{
    struct ingest_limits *limits = field;
    double bytes, megabytes;
    if (amount_plain(text, &megabytes))
        bytes = megabytes * (1 << 20);
    else if (!amount_bytes(text, &bytes))
        bytes = 0;
    if (bytes < 1 || bytes > 1 << 30)
        return option_refuse(error, "a size such as 64MB or 512k, in MB without a unit, up to 1GB",
                             text);
    limits->body_bytes = (size_t)bytes;
    limits->unpacked_bytes = 16 * limits->body_bytes;
    return true;
}

static bool take_rate(void *field, const char *text, struct heaptap_error *error)
{
    double *rate = field;
    return (amount_count(text, rate) && *rate > 0 && *rate <= 1e6) ||
           option_refuse(error, "a number above 0, up to 1000000", text);
}

static bool take_age(void *field, const char *text, struct heaptap_error *error)
{
    int64_t age_us = *(int64_t *)field = store_duration(text);
    return age_us > 0 || option_refuse(error, "a time such as 30d or 12h", text);
}

static bool take_seconds(void *field, const char *text, struct heaptap_error *error)
{
    double us;
    if (!amount_duration(text, &us) || us < 1e6 || us > 86400e6)
        return option_refuse(error, "a time from 1s to 24hrs", text);
    *(int *)field = (int)(us * 1e-6);
    return true;
}

#define FIELD(name) offsetof(struct options, name)

static const struct question_option rows[] = {
    {"store", 0, OPTION_TEXT, 0, "STORE",
     "Store profiles in STORE, a file or clickhouse://HOST:PORT/DATABASE; made if it doesn't exist. Required",
     FIELD(store)},
    {"listen", 0, OPTION_TEXT, 0, "ADDRESS:PORT",
     "Listen here (default: 127.0.0.1:4040); port 0 is any free port. Addresses that other "
     "machines reach need --token",
     FIELD(server.address)},
    {"token", 0, OPTION_TEXT, 0, "FILE",
     "Take profiles only from senders of the first line of FILE: Authorization: Bearer TOKEN",
     FIELD(token_file)},
    {"certificate", 0, OPTION_TEXT, 0, "FILE",
     "Encrypt (TLS), with the certificate in FILE, in PEM form; needs --key", FIELD(certificate)},
    {"key", 0, OPTION_TEXT, 0, "FILE", "The private key of the certificate, in PEM form",
     FIELD(key)},
    {"scrape", 0, OPTION_TEXT, 0, "FILE",
     "Also fetch profiles from the URLs in FILE, one per line, followed by `every=60s` and labels",
     FIELD(scrape)},
    {"source-path", 0, OPTION_TEXT, 0, "FOLDERS",
     "Show sources below these folders, separated by colons, on the pages; no others are read",
     FIELD(source_path)},
    {"debug-files", 0, OPTION_TEXT, 0, "DIR",
     "For profiles without names, also look up addresses in the debug files in DIR, which are "
     "DIR/.build-id/xx/yyyy.debug",
     FIELD(server.debug_folder)},
    {"debuginfod", 0, OPTION_TEXT, 0, "URLS",
     "Fetch debug files that are not there from these servers, into the DIR of --debug-files",
     FIELD(server.debuginfod)},
    {"max-size", 0, OPTION_TAKEN, 0, "SIZE",
     "Refuse profiles that are larger (default: 16MB); unpacked they may have 16 times as much",
     FIELD(server.limits), .take = take_size},
    {"max-rate", 0, OPTION_TAKEN, 0, "N", "Refuse more than N profiles a second (default: 1000)",
     FIELD(server.limits.per_second), .take = take_rate},
    {"max-depth", 0, OPTION_NUMBER, 0, "N",
     "In stacks deeper than N frames, keep the inner and the outer half, with <deeper> between them (default: 1024)",
     FIELD(server.limits.depth), .least = 8, .most = 1000000},
    {"max-nodes", 0, OPTION_NUMBER, 0, "N",
     "Refuse profiles whose stacks, as a tree, have more than N frames (default: 200000)",
     FIELD(server.limits.nodes), .least = 1, .most = 100000000},
    {"max-series", 0, OPTION_NUMBER, 0, "N",
     "Refuse new sets of labels when the store has got profiles with N sets in the last 7 days (default: 10000)",
     FIELD(server.limits.series), .least = 1, .most = 10000000},
    {"max-age", 0, OPTION_TAKEN, 0, "TIME", "Refuse profiles that ended longer ago (default: 30d)",
     FIELD(server.limits.age_us), .take = take_age},
    {"max-time", 0, OPTION_TAKEN, 0, "TIME",
     "Cut off requests that take longer to arrive, and answers that take longer to be read (default: 1min)",
     FIELD(server.limits.seconds), .take = take_seconds},
    {0}};
_Static_assert(sizeof(size_t) == sizeof(long), "OPTION_NUMBER sets a long");

static void take(char *argument, struct argp_state *state)
{
    argp_error(state, "'%s' is not an option; name the store with --store", argument);
}

static void check(struct argp_state *state)
{
    const struct options *options = state->input;
    if (!options->store || !*options->store)
        argp_error(state, "no store given: use --store STORE");
    if (!options->certificate != !options->key)
        argp_error(state, "--certificate and --key need each other");
}

static const struct command_line line = {
    .take = take,
    .check = check,
    .about =
        "Takes profiles over HTTP, and keeps them in a store, which all reports open: heaptap top "
        "store:STORE service=api.\v"
        "POST /profiles?service=api&version=1.4 takes pprof's format and heaptap's traces; every "
        "parameter is a label. POST /ingest takes profiles from Pyroscope's agents. The address in a "
        "browser shows what is in the store, over time. GET /healthz, /readyz and "
        "/metrics show the server's state. Ctrl-C ends it.",
};

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
    struct source_lookup lookup = {.folders = options->source_path, .is_strict = true};
    const struct viewer_sources sources = {source_lookup_lines, &lookup};
    if (fleet_pages_new(&pages, options->store, options->source_path ? &sources : NULL, &error) !=
        HEAPTAP_OK)
        return cli_fail(options->store, &error);
    const struct ingest_pages asked = fleet_pages_asked(pages);
    server.pages = &asked;
    server.store = options->store;
    server.say = say_of_store;
    server.say_context = (void *)options->store;
    int status = run(&server, targets, store, pages, &ends);
    fleet_pages_free(pages);
    source_lookup_release(&lookup);
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
    cli_parse(rows, &line, argc, argv, 0, &options);
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
