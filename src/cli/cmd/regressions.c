/* heaptap regressions: sites that grew between two versions by more than chance. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_options.h"
#include "cli/store_input.h"
#include "report/regressions.h"

static const struct regressions_question *own(const struct question *question)
{
    return (const struct regressions_question *)question->own;
}

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
    store_input_close(store, path);
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

static int compare(const struct question *question, struct comparing *comparing)
{
    const struct store_sites *sides = comparing->sides;
    struct regressions regressions = {.options = question,
                                      .base_name = question->path,
                                      .new_name = question->other,
                                      .sample = regressions_sample_name(own(question)->sample),
                                      .rate = own(question)->rate,
                                      .base = {sides[0].value, sides[0].variance},
                                      .new = {sides[1].value, sides[1].variance}};
    if (!join(comparing))
        return cli_out_of_memory();
    regressions.sites = comparing->sites;
    regressions.count = comparing->count;
    regressions_find(comparing->sites, comparing->count, &regressions.base, &regressions.new);
    while (regressions.found < regressions.count &&
           comparing->sites[regressions.found].adjusted <= regressions.rate)
        regressions.found++;
    return put(&regressions);
}

int cmd_regressions(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("regressions");
    struct question question = question_of(entry);
    struct comparing comparing = {0};
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    const char *sample = regressions_sample_name(own(&question)->sample);
    int status = read_side(&comparing, 0, question.path, sample);
    if (status == CLI_DONE)
        status = read_side(&comparing, 1, question.other, sample);
    if (status == CLI_DONE)
        status = compare(&question, &comparing);
    release(&comparing);
    question_release(&question);
    return status;
}
