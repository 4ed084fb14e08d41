/* heaptap regressions: sites that grew between two versions by more than chance. */
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/map.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_options.h"
#include "cli/store_input.h"
#include "report/regressions.h"

struct options {
    struct question report; /* the path is that of the base */
    const char *other, *sample;
    double rate;
};

enum { OPTION_RATE = 1000 };

static const struct argp_option option_table[] = {
    {"sample", 's', "SAMPLE", 0, "alloc_space, bytes (the default), or alloc_objects, blocks", 0},
    {"false-alarms", OPTION_RATE, "RATE", 0,
     "In how many comparisons of versions that do not differ any site may be named: 0.05 (the "
     "default) is 5 of 100",
     0},
    {0},
};

static void take_argument(struct options *options, const char *argument, struct argp_state *state)
{
    const char **last = options->other ? &options->other : &options->report.path;
    if (*last && store_input_takes(*last, argument))
        *last = store_input_with(*last, argument);
    else if (!store_input_is(argument))
        argp_error(state, "'%s' is no store, label or time: say store:FILE NAME=VALUE", argument);
    else if (!options->report.path)
        options->report.path = argument;
    else if (!options->other)
        options->other = argument;
    else
        argp_error(state, "two are compared: '%s' is one too many", argument);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = &options->report;
        return 0;
    case 's':
        if (strcmp(argument, "alloc_space") != 0 && strcmp(argument, "alloc_objects") != 0)
            argp_error(state, "--sample takes alloc_space or alloc_objects, not '%s'", argument);
        options->sample = argument;
        return 0;
    case OPTION_RATE:
        if (!amount_plain(argument, &options->rate) || options->rate <= 0 || options->rate >= 1)
            argp_error(state, "--false-alarms takes a number between 0 and 1, not '%s'", argument);
        return 0;
    case ARGP_KEY_ARG:
        take_argument(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!options->other)
            argp_error(state, "which two? store:app.db version=1.3 store:app.db version=1.4");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_count_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "store:FILE NAME=VALUE... store:FILE NAME=VALUE...",
    "Lists the sites that have a larger share of what is allocated than before, by more than the "
    "chance of sampling. The base comes first.\v"
    "A site is the innermost function that is no allocator. All sites are tested; the rate of "
    "false alarms is that of all tests together. The exit status is 1 if a site is named.",
    children,
    0,
    0};

/* ---- Both sides ---------------------------------------------------------------------- */

struct comparing {
    struct store_sites sides[2]; /* base, new */
    struct names names;          /* of both: equal texts are one pointer */
    struct map by_place;         /* function and file, mixed -> index of the site */
    struct site_change *sites;
    size_t count;
};

static int read_side(struct comparing *comparing, int side, const char *path, const char *sample)
{
    struct store *store;
    struct store_selector selector;
    struct heaptap_error error;
    enum heaptap_status status = store_input_choose(&store, &selector, path, &error);
    if (status == HEAPTAP_OK)
        status = store_sites_read(store, &selector, sample, &comparing->sides[side], &error);
    store_close(store);
    return status == HEAPTAP_OK ? CLI_DONE : cli_fail(path, &error);
}

/* NULL when there is no memory. */
static struct site_change *site_of(struct comparing *comparing, const struct store_site *site)
{
    const char *function = names_intern(&comparing->names, site->function, strlen(site->function));
    const char *file = names_intern(&comparing->names, site->file, strlen(site->file));
    bool fresh;
    if (!function || !file)
        return NULL;
    uint64_t key =
        (uint64_t)(uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)file;
    uint32_t *index = map_put(&comparing->by_place, key, (uint32_t)comparing->count, &fresh);
    if (index && fresh)
        comparing->sites[comparing->count++] =
            (struct site_change){.function = function, .file = file};
    return index ? &comparing->sites[*index] : NULL;
}

static bool join(struct comparing *comparing)
{
    comparing->sites =
        calloc(comparing->sides[0].count + comparing->sides[1].count + 1, sizeof *comparing->sites);
    bool done = comparing->sites;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; done && i < comparing->sides[side].count; i++) {
            const struct store_site *from = &comparing->sides[side].items[i];
            struct site_change *to = site_of(comparing, from);
            if ((done = to)) {
                struct site_sum *sum = side == 0 ? &to->base : &to->new;
                sum->value += from->value;
                sum->variance += from->variance;
            }
        }
    return done;
}

static void release(struct comparing *comparing)
{
    store_sites_release(&comparing->sides[0]);
    store_sites_release(&comparing->sides[1]);
    names_release(&comparing->names);
    map_release(&comparing->by_place);
    free(comparing->sites);
}

/* ---- The command --------------------------------------------------------------------- */

static int put(const struct regressions *regressions)
{
    int status = CLI_DONE;
    struct answer *answer = answer_output_open(regressions->options->format, &status);
    if (!answer)
        return status;
    regressions_put(answer, regressions);
    return answer_output_close(answer, true, regressions->found > 0 ? CLI_FOUND : CLI_DONE);
}

static int compare(const struct options *options, struct comparing *comparing)
{
    const struct store_sites *sides = comparing->sides;
    struct regressions regressions = {.options = &options->report,
                                      .base_name = options->report.path,
                                      .new_name = options->other,
                                      .sample = options->sample,
                                      .rate = options->rate,
                                      .base = {sides[0].value, sides[0].variance},
                                      .new = {sides[1].value, sides[1].variance}};
    if (!join(comparing))
        return cli_out_of_memory();
    regressions.sites = comparing->sites;
    regressions.count = comparing->count;
    regressions_find(comparing->sites, comparing->count, &regressions.base, &regressions.new);
    while (regressions.found < regressions.count &&
           comparing->sites[regressions.found].adjusted <= options->rate)
        regressions.found++;
    return put(&regressions);
}

int cmd_regressions(int argc, char **argv)
{
    struct options options = {.report = question_default(), .sample = "alloc_space", .rate = 0.05};
    struct comparing comparing = {0};
    cli_parse(&argp, argc, argv, 0, &options);
    int status = read_side(&comparing, 0, options.report.path, options.sample);
    if (status == CLI_DONE)
        status = read_side(&comparing, 1, options.other, options.sample);
    if (status == CLI_DONE)
        status = compare(&options, &comparing);
    release(&comparing);
    question_release(&options.report);
    return status;
}
