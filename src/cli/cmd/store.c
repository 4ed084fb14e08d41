/* heaptap fleet store: makes the store of a fleet's profiles, adds to it, checks it, removes what is old. */
#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/private_file.h"
#include "cli/record/kept.h"
#include "fleet/ingest/body.h"
#include "store/store.h"

/* A file of this machine is trusted more than what comes over the network. */
static const size_t unpacked_max = (size_t)4 << 30;

struct options {
    const char *action, *store;
    char **profiles; /* paths, the last arguments */
    int profile_count;
    struct store_labels labels;
    const char *cluster; /* NULL: not given */
    int64_t keep_us;     /* -1: not given */
};

static const char *const actions[] = {"init", "add", "check", "prune", NULL};

static bool is_action(const char *text)
{
    for (size_t i = 0; actions[i]; i++)
        if (strcmp(text, actions[i]) == 0)
            return true;
    return false;
}

static void take(char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    if (!options->action && !is_action(argument))
        argp_error(state, "there is no '%s': use init, add, check or prune", argument);
    if (!options->action) {
        options->action = argument;
    } else if (!options->store) {
        options->store = argument;
    } else {
        options->profiles = state->argv + state->next - 1;
        options->profile_count = state->argc - state->next + 1;
        state->next = state->argc;
    }
}

static void check(struct argp_state *state)
{
    const struct options *options = state->input;
    if (!options->action || !options->store || !*options->store)
        argp_error(state, "say what to do, and with which store: heaptap fleet store check app.db");
    bool adds = strcmp(options->action, "add") == 0, prunes = strcmp(options->action, "prune") == 0;
    if (adds != (options->profile_count > 0))
        argp_error(state,
                   adds ? "no profiles given to add" : "only add takes profiles after the store");
    if (options->labels.count > 0 && !adds)
        argp_error(state, "--label is for add");
    if (options->cluster && strcmp(options->action, "init") != 0)
        argp_error(state, "--cluster is for init");
    if (prunes != (options->keep_us >= 0))
        argp_error(state, prunes ? "no time given to keep: use --keep 30d" : "--keep is for prune");
}

static bool is_cluster(const char *name)
{
    size_t size = strlen(name);
    return size > 0 && size <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == size;
}

static bool take_label(void *labels, const char *text, struct heaptap_error *error)
{
    return store_labels_parse(labels, text, error) == HEAPTAP_OK;
}

static bool take_keep(void *field, const char *text, struct heaptap_error *error)
{
    int64_t keep_us = *(int64_t *)field = store_duration(text);
    return keep_us >= 0 || option_refuse(error, "a time such as 30d or 12h", text);
}

static bool take_cluster(void *field, const char *name, struct heaptap_error *error)
{
    *(const char **)field = name;
    return is_cluster(name) || option_refuse(error, "a name of letters, digits and _", name);
}

static const struct question_option rows[] = {
    {"label", 'l', OPTION_TAKEN, 0, "NAME=VALUE",
     "With add: a label of the profiles, such as service=api; can be given several times",
     offsetof(struct options, labels), .take = take_label},
    {"cluster", 0, OPTION_TAKEN, 0, "NAME",
     "With init: make a store in ClickHouse on all servers of the cluster that they call NAME",
     offsetof(struct options, cluster), .take = take_cluster},
    {"keep", 0, OPTION_TAKEN, 0, "TIME",
     "With prune: remove profiles that ended longer ago than this, such as 30d or 12h",
     offsetof(struct options, keep_us), .take = take_keep},
    {0}};

static const struct command_line line = {
    .take = take,
    .check = check,
    .arguments =
        "init [--cluster NAME] STORE\nadd [--label NAME=VALUE]... STORE PROFILE...\ncheck STORE\nprune --keep TIME STORE",
    .about =
        "Keeps profiles of many programs, machines and times in the STORE: a file, or "
        "clickhouse://HOST:PORT/DATABASE.\v"
        "`heaptap fleet serve` fills a store from the network. Reports open it as store:STORE, with labels "
        "and a time: heaptap top store:app.db service=api 'time=last 24h'.",
};

/* ---- Actions ------------------------------------------------------------------------- */

static enum heaptap_status read_body(struct ingest_body *body, const char *path,
                                     struct heaptap_error *error)
{
    struct input *input;
    kept_save_own(path);
    enum heaptap_status status = input_open(&input, path, error);
    if (status != HEAPTAP_OK)
        return status;
    struct ingest_limits limits = ingest_limits_usual();
    limits.items = limits.nodes = SIZE_MAX; /* whoever adds it has chosen it */
    const struct ingest_body_bounds bounds = {unpacked_max, &limits};
    status = ingest_body_read(body, input, &bounds, NULL, error);
    input_close(input);
    return status;
}

static int add_one(struct store *store, const struct options *options, const char *path,
                   bool *is_new)
{
    struct ingest_body body;
    struct store_upload upload;
    struct heaptap_error error;
    if (read_body(&body, path, &error) != HEAPTAP_OK)
        return cli_fail(path, &error);
    ingest_body_upload(&body, &options->labels, 0, 0, clock_us(CLOCK_REALTIME), &upload);
    enum heaptap_status status = store_add(store, &upload, body.model, is_new, &error);
    model_free(body.model);
    return status == HEAPTAP_OK ? CLI_DONE : cli_fail(options->store, &error);
}

/* Adds as many of `paths` as make a batch; where one can't be read, those before it are stored. */
static int add_batch(struct store *store, const struct options *options, int *at, bool *is_new)
{
    struct heaptap_error error;
    if (store_begin(store, &error) != HEAPTAP_OK)
        return cli_fail(options->store, &error);
    int status = CLI_DONE;
    do {
        status = add_one(store, options, options->profiles[*at], &is_new[*at]);
        *at += status == CLI_DONE;
    } while (status == CLI_DONE && *at < options->profile_count && !store_is_full(store));
    if (store_seal(store, &error) != HEAPTAP_OK || store_send(store, &error) != HEAPTAP_OK)
        return cli_fail(options->store, &error);
    return status;
}

static int add(struct store *store, const struct options *options)
{
    int status = CLI_DONE, at = 0;
    size_t added = 0;
    bool *is_new = calloc((size_t)options->profile_count, sizeof *is_new);
    if (!is_new)
        return cli_out_of_memory();
    while (at < options->profile_count && status == CLI_DONE)
        status = add_batch(store, options, &at, is_new);
    for (int i = 0; i < options->profile_count; i++)
        added += is_new[i];
    if (status == CLI_DONE)
        printf("%s: %zu added, %zu there before\n", options->store, added,
               (size_t)options->profile_count - added);
    free(is_new);
    return status;
}

static int say_figures(struct store *store, const char *path)
{
    struct store_figures figures;
    struct heaptap_error error;
    char size[UNITS_TEXT_BYTES];
    if (store_check(store, &figures, &error) != HEAPTAP_OK)
        return cli_fail(path, &error);
    printf("%s: %lld profiles of %lld series, %lld sums over %lld nodes of stacks, %s\n", path,
           (long long)figures.profiles, (long long)figures.series, (long long)figures.samples,
           (long long)figures.stacks, units_bytes(size, (double)figures.bytes));
    return CLI_DONE;
}

static int prune(struct store *store, const struct options *options)
{
    struct heaptap_error error;
    int64_t removed;
    if (store_prune(store, clock_us(CLOCK_REALTIME) - options->keep_us, &removed, &error) !=
        HEAPTAP_OK)
        return cli_fail(options->store, &error);
    printf("%s: %lld profiles removed\n", options->store, (long long)removed);
    return CLI_DONE;
}

static int run(struct store *store, const struct options *options)
{
    if (strcmp(options->action, "add") == 0)
        return add(store, options);
    if (strcmp(options->action, "prune") == 0)
        return prune(store, options);
    return say_figures(store, options->store);
}

int cmd_store(int argc, char **argv)
{
    struct options options = {.keep_us = -1};
    struct store *store;
    struct heaptap_error error;
    cli_parse(rows, &line, argc, argv, 0, &options);
    enum store_mode mode = strcmp(options.action, "init") == 0    ? STORE_INIT
                           : strcmp(options.action, "check") == 0 ? STORE_READ
                                                                  : STORE_WRITE;
    if ((options.cluster &&
         store_init_cluster(options.store, options.cluster, &error) != HEAPTAP_OK) ||
        store_open(&store, options.store, mode, &error) != HEAPTAP_OK)
        return cli_fail(options.store, &error);
    if (mode != STORE_READ)
        private_file_check(options.store);
    int status = run(store, &options);
    store_close(store);
    return status;
}
