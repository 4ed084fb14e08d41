/* What advice says in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/advice/rules.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/sites/lost.h"

static const char *name_of(enum advice_rule rule)
{
    static const char *const names[] = {
        [ADVICE_DOMINANT] = "dominant",
        [ADVICE_SHORT_LIVED] = "short-lived",
        [ADVICE_DOUBLING] = "doubling",
        [ADVICE_SMALL_STEPS] = "small-steps",
        [ADVICE_MANY_SMALL] = "many-small",
        [ADVICE_GROWING] = "growing",
        [ADVICE_PEAK] = "peak",
        [ADVICE_PROMOTED_DEAD] = "promoted-dead",
    };
    return names[rule];
}

static const char *condition_of(enum advice_rule rule)
{
    static const char *const conditions[] = {
        [ADVICE_DOMINANT] = "at least 40 % of all bytes are allocated here",
        [ADVICE_SHORT_LIVED] = "at least 5 % of all bytes are allocated here, and 90 % of them die "
                               "within a hundredth of the run, a second at most",
        [ADVICE_DOUBLING] =
            "at least 8 blocks replace a block of the same stack that is 1.4 times smaller or "
            "more, they are half of the place's bytes, and those 1 % of all; in C and C++ the line, where it is at hand, names realloc or the like, or half of them are there before the smaller one is freed",
        [ADVICE_SMALL_STEPS] =
            "at least 8 blocks replace a block of the same stack that is less than 1.4 times "
            "smaller, they are half of the place's bytes, and those 1 % of all; in C and C++ as for `doubling`",
        [ADVICE_MANY_SMALL] =
            "at least 1000 blocks, 5 % of all, have one size of 64 bytes at most, "
            "and so have 80 % of the place's blocks",
        [ADVICE_GROWING] =
            "at least 5 % of what is alive at the end, or before the program frees it as it ends, comes from here, and `heaptap leaks` says "
            "that it leaks or grows",
        [ADVICE_PEAK] = "at least 30 % of what is alive at the peak comes from here",
        [ADVICE_PROMOTED_DEAD] =
            "at least 5 % of all promoted bytes come from here, and half of them die within a "
            "hundredth of the run after that, a second at most",
    };
    return conditions[rule];
}

bool advice_rule_at(size_t i, const char **name, const char **condition)
{
    const struct advice_cause *cause = i >= ADVICE_RULES ? advice_cause_at(i - ADVICE_RULES) : NULL;
    if (i >= ADVICE_RULES && !cause)
        return false;
    *name = cause ? cause->name : name_of((enum advice_rule)i);
    *condition = cause ? cause->condition : condition_of((enum advice_rule)i);
    return true;
}

const char *advice_name(const struct advice *advice)
{
    return advice->cause ? advice->cause->name : name_of(advice->rule);
}

const char *advice_condition(const struct advice *advice)
{
    return advice->cause ? advice->cause->condition : condition_of(advice->rule);
}

const char *advice_title(const struct advice *advice)
{
    static const char *const titles[] = {
        [ADVICE_DOMINANT] = "Most is allocated here",
        [ADVICE_SHORT_LIVED] = "Short-lived blocks",
        [ADVICE_DOUBLING] = "Blocks that grow by doubling",
        [ADVICE_SMALL_STEPS] = "Blocks that grow by small steps",
        [ADVICE_MANY_SMALL] = "Many small blocks of one size",
        [ADVICE_GROWING] = "Grew until the run ended",
        [ADVICE_PEAK] = "Makes the peak",
        [ADVICE_PROMOTED_DEAD] = "Promoted, and soon dead",
    };
    if (!advice->cause && advice->rule == ADVICE_GROWING &&
        fates_is_freed(advice->fates, advice->site))
        return "Grew until it was freed at the end";
    return advice->cause ? advice->cause->title : titles[advice->rule];
}

const char *advice_of_left(const struct sites *sites, const struct site *site)
{
    static const double all = 0.9, most = 0.5;
    double lost = lost_part(sites, site);
    if (sites->model->is_guest || lost < most)
        return sites->model->holders
                   ? "See what holds them: `heaptap holders` of this recording has the ways to them, from the variables on."
                   : NULL;
    return lost >= all
               ? "Nothing holds them: no pointer to them is left. A free() or delete is missing before the last pointer goes."
               : "Most of them nothing holds: no pointer to them is left. A free() or delete is missing before the last pointer "
                 "goes; `heaptap holders` has what holds the others.";
}

const char *advice_remedy(const struct advice *advice, const struct sites *sites)
{
    if (advice->cause)
        return advice->cause->remedy;
    if (sites->model->info.word_bits > 8 && advice_of_ocaml[advice->rule])
        return advice_of_ocaml[advice->rule];
    if (advice->rule == ADVICE_GROWING && advice_of_left(sites, advice->site))
        return advice_of_left(sites, advice->site);
    if (advice->rule == ADVICE_SHORT_LIVED && sites_are_crowded(sites, advice->site))
        return "Several are alive at once: take them from a pool, or let what holds one keep it and use it again.";
    static const char *const remedies[] = {
        [ADVICE_DOMINANT] = "Whatever is saved here counts: look at its callers first.",
        [ADVICE_SHORT_LIVED] =
            "Reuse one block, keep it on the stack, or take the blocks from a pool.",
        [ADVICE_DOUBLING] = "Reserve the final size at once, where it is known or can be guessed.",
        [ADVICE_SMALL_STEPS] =
            "Where they are steps of an array (realloc), each copies all that is there: grow by a factor, or reserve the final size. "
            "Separate blocks whose sizes rise can share one.",
        [ADVICE_MANY_SMALL] =
            "Put them into one array, or into the block that refers to them, or take them from a "
            "pool: each costs the allocator's header and a cache line.",
        [ADVICE_GROWING] =
            "See what holds them: `heaptap record --holders`, then `heaptap holders` (native "
            "programs, CPython and Lua); for others, `heaptap leaks` has their callers and ages.",
        [ADVICE_PEAK] = "To lower the peak, free these earlier, or make them smaller.",
        [ADVICE_PROMOTED_DEAD] =
            "A larger minor heap lets them die before they are promoted; so does dropping them "
            "earlier.",
    };
    return remedies[advice->rule];
}

/* Texts of a site's figures. */
struct figures {
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    char peak[UNITS_TEXT_BYTES], promoted[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES];
    char largest[UNITS_TEXT_BYTES], common[UNITS_TEXT_BYTES], life[UNITS_TEXT_BYTES];
    char quick[UNITS_TEXT_BYTES];
};

static void fill(struct figures *figures, const struct site *site, const struct sites *sites)
{
    units_bytes(figures->bytes, site->bytes);
    units_counted(figures->objects, site->objects, "block");
    units_bytes(figures->peak, site->peak_bytes);
    units_bytes(figures->promoted, site->promoted_bytes);
    units_bytes(figures->size, (double)site->common_bytes);
    units_bytes(figures->largest, (double)site->largest_bytes);
    units_count(figures->common, site->common_objects);
    units_duration(figures->life, site_mean_lifetime_us(site) * 1e-6);
    units_duration(figures->quick, (double)sites->quick_us * 1e-6);
}

uint64_t advice_samples(const struct advice *advice, const struct sites *sites)
{
    const struct site *site = advice->site;
    double bytes = advice->cause ? advice->bytes
                   : advice->rule == ADVICE_GROWING
                       ? fates_survival(advice->fates, site)->live_bytes
                   : advice->rule == ADVICE_PEAK          ? site->peak_bytes
                   : advice->rule == ADVICE_PROMOTED_DEAD ? site->promoted_bytes
                                                          : site->bytes;
    return (uint64_t)llround(bytes / sites->model->estimate.bytes_per_sample);
}

/* Ends the sentence by how many samples it rests on, if it does. */
static void add_samples(char *text, const struct advice *advice, const struct sites *sites)
{
    size_t size = strlen(text) - 1; /* the full stop */
    if (sites->model->info.sample_rate < 1)
        snprintf(text + size, ADVICE_TEXT_BYTES - size, "; by %llu samples.",
                 (unsigned long long)advice_samples(advice, sites));
}

static struct estimate_range range_of(const struct estimate *estimate, double bytes)
{
    struct estimate_sum sum = estimate_bytes_sum(estimate, bytes / estimate->bytes_per_sample);
    return estimate_range(&sum, estimate->sample_rate);
}

struct estimate_range advice_bytes_range(const struct advice *advice, const struct sites *sites)
{
    return range_of(&sites->model->estimate, advice->bytes);
}

struct estimate_range advice_saved_range(const struct advice *advice, const struct sites *sites)
{
    const struct estimate *estimate = &sites->model->estimate;
    double spared = advice->bytes > 0 ? advice->saved_bytes / advice->bytes : 0;
    struct estimate_range range = range_of(estimate, advice->bytes);
    if (advice->cause && advice->cause->spares_replaced && estimate->sample_rate < 1) {
        double most = fmin(advice->gone_bytes + advice->slack_bytes, advice->bytes);
        return (struct estimate_range){range_of(estimate, advice->paired_bytes).low,
                                       range_of(estimate, most).high, range.is_few};
    }
    double taken = ADVICE_SLACK_TAKEN * advice->slack_bytes;
    return (struct estimate_range){range.low * spared - taken,
                                   range.high * spared + advice->slack_bytes - taken, range.is_few};
}

bool advice_saved_has_range(const struct advice *advice, const struct sites *sites)
{
    return advice->cause && (sites->model->info.sample_rate < 1 || advice->slack_bytes > 0);
}

const char *advice_saves_how(const struct advice *advice)
{
    return advice->cause && advice->cause->spares_replaced ? "about" : "up to";
}

/* " (2.2 MB to 2.4 MB)", ", and about 78 kB that malloc takes besides" */
static void tell_besides(char *text, size_t size, const struct advice *advice,
                         const struct sites *sites)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    struct estimate_range range = advice_saved_range(advice, sites);
    units_bytes(low, range.low);
    units_bytes(high, range.high);
    *text = 0;
    if (advice_saved_has_range(advice, sites))
        snprintf(text, size, " (%s to %s)", low, high);
    size_t used = strlen(text);
    if (advice->overhead_bytes > 0)
        snprintf(text + used, size - used, ", and about %s that malloc takes besides",
                 units_bytes(low, advice->overhead_bytes));
}

const char *advice_saved_text(char text[ADVICE_SAVED_BYTES], const struct advice *advice,
                              const struct sites *sites)
{
    char saved[UNITS_TEXT_BYTES], besides[ADVICE_SAVED_BYTES / 2] = "";
    if (advice->cause && advice->cause->measure == MEASURE_OVERHEAD) {
        snprintf(text, ADVICE_SAVED_BYTES, "about %s that malloc takes besides",
                 units_bytes(saved, advice->overhead_bytes));
        return text;
    }
    if (sites)
        tell_besides(besides, sizeof besides, advice, sites);
    snprintf(text, ADVICE_SAVED_BYTES, "%s %s%s", advice_saves_how(advice),
             units_bytes(saved, advice->saved_bytes), besides);
    return text;
}

enum { TYPE_BYTES = 160 };

/* ", each for one shop::Event of 40 B" */
static const char *each_of(char text[TYPE_BYTES], const struct report_type *type)
{
    char size[UNITS_TEXT_BYTES];
    units_bytes(size, (double)type->bytes);
    snprintf(text, TYPE_BYTES, ", each for one %s of %s", plain(type->name), size);
    return *type->name ? text : "";
}

/* "61.9 % of all bytes: 2.3 MB in 100 k blocks of 24 B; the remedy saves up to 2.3 MB (2.2 MB to 2.4 MB)." */
static void tell_cause(char *text, const struct advice *advice, const struct sites *sites)
{
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES];
    char type[TYPE_BYTES], saved[ADVICE_SAVED_BYTES];
    units_bytes(bytes, advice->bytes);
    units_counted(objects, advice->objects, "block");
    units_bytes(size, advice->objects > 0 ? advice->bytes / advice->objects : 0);
    snprintf(text, ADVICE_TEXT_BYTES,
             "%.1f %% of all bytes: %s in %s of %s on average%s; the remedy saves %s.",
             100 * advice->share, bytes, objects, size, each_of(type, &advice->type),
             advice_saved_text(saved, advice, sites));
}

/* Of all that is alive, or of what the filter leaves of it. */
static const char *what_is_alive(const struct sites *sites)
{
    return *sites->filter->text ? "what passes the filter" : "what is alive";
}

/* Blocks that replace others. */
static void tell_replaced(char *text, uint64_t blocks, const char *how,
                          const struct figures *figures, double percent)
{
    snprintf(
        text, ADVICE_TEXT_BYTES,
        "%llu blocks replace one that is %s smaller, up to %s; %.0f %% of the %s allocated here.",
        (unsigned long long)blocks, how, figures->largest, percent, figures->bytes);
}

/* Of the rules about what is alive. */
static void tell_alive(char *text, const struct advice *advice, const struct sites *sites,
                       const struct figures *figures)
{
    double share = 100 * advice->share;
    char bytes[UNITS_TEXT_BYTES], evidence[FATE_TEXT_BYTES], caution[FATE_TEXT_BYTES];
    fates_caution(caution, advice->fates, advice->site);
    if (advice->rule == ADVICE_PEAK)
        snprintf(text, ADVICE_TEXT_BYTES, "%.1f %% of %s at the peak: %s.", share,
                 what_is_alive(sites), figures->peak);
    else
        snprintf(
            text, ADVICE_TEXT_BYTES, "%.1f %% of %s (%s): %s%s%s.", share, what_is_alive(sites),
            units_bytes(bytes, fates_survival(advice->fates, advice->site)->live_bytes),
            fates_evidence(evidence, advice->fates, advice->site), *caution ? "; " : "", caution);
}

static void tell_rule(char *text, const struct advice *advice, const struct sites *sites)
{
    struct figures is;
    double share = 100 * advice->share, part = 100 * advice->part;
    fill(&is, advice->site, sites);
    switch (advice->rule) {
    case ADVICE_DOMINANT:
        snprintf(text, ADVICE_TEXT_BYTES, "%.1f %% of all bytes: %s in %s.", share, is.bytes,
                 is.objects);
        break;
    case ADVICE_SHORT_LIVED:
        snprintf(
            text, ADVICE_TEXT_BYTES,
            "%.1f %% of all bytes (%s in %s); %.0f %% of them dead within %s, after %s on average.",
            share, is.bytes, is.objects, part, is.quick, is.life);
        break;
    case ADVICE_DOUBLING:
        tell_replaced(text, advice->site->doublings, "at least 1.4 times", &is, part);
        break;
    case ADVICE_SMALL_STEPS:
        tell_replaced(text, advice->site->small_steps, "little", &is, part);
        break;
    case ADVICE_MANY_SMALL:
        snprintf(text, ADVICE_TEXT_BYTES,
                 "%s blocks of %s, %.1f %% of all blocks and %.0f %% of those allocated here.",
                 is.common, is.size, share, part);
        break;
    case ADVICE_PROMOTED_DEAD:
        snprintf(text, ADVICE_TEXT_BYTES,
                 "%.1f %% of all promoted bytes (%s); %.0f %% of them dead within %s after that.",
                 share, is.promoted, part, is.quick);
        break;
    default:
        tell_alive(text, advice, sites, &is);
    }
}

const char *advice_evidence(char *text, const struct advice *advice, const struct sites *sites)
{
    if (advice->cause)
        tell_cause(text, advice, sites);
    else
        tell_rule(text, advice, sites);
    add_samples(text, advice, sites);
    if (advice->is_guess)
        strncat(text, " The line has several calls: it may be another of them that allocates.",
                ADVICE_TEXT_BYTES - strlen(text) - 1);
    return text;
}
