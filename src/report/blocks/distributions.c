/* A row costs two additions for its shape, and two for its lifetime: what depends on the shape
 * alone (its size, its domain, what it stands for) is put together afterwards, shape by shape.
 *
 * Bins are a quarter of an octave, cut evenly: from 2^k on, four of 2^k / 4 each; below 4, one a
 * number.  So a value's bin is its four leading bits, and nothing is searched. */
#include "report/blocks/distributions.h"

#include <stdlib.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"

enum { BINS = 252 };

struct sum {
    uint64_t blocks;       /* sampled ones */
    double bytes, objects; /* estimated */
};

struct domain_sums {
    struct sum all;
    struct sum live; /* those that are alive at the end */
};

struct distributions {
    struct sum sizes[BINS];     /* of blocks, in bytes, without headers */
    struct sum lifetimes[BINS]; /* in microseconds, of those that ended */
    struct sum all;
    struct sum unended;          /* they have no lifetime yet */
    struct domain_sums *domains; /* by number, as many as the model has */
    size_t domain_count;
    const struct model *model;
};

/* ---- Counting ------------------------------------------------------------------------ */

/* The bin of a value, and the lowest value of a bin. */
static size_t bin_of(uint64_t value)
{
    if (value < 4)
        return (size_t)value;
    unsigned octave = 63U - (unsigned)__builtin_clzll(value);
    return 4 * (octave - 1) + (value >> (octave - 2) & 3);
}

static double edge_of(size_t bin)
{
    return bin < 4 ? (double)bin : (double)((uint64_t)(4 + bin % 4) << (bin / 4 - 1));
}

struct counts {
    uint64_t blocks, samples;
    double density;
};

struct shape_counts {
    uint32_t all, live; /* blocks */
    uint64_t all_samples, live_samples;
};

struct gathering {
    struct shape_counts *shapes;
    struct counts lifetimes[BINS];
    struct counts unended;
};

static void count(struct counts *counts, const struct model_shape *shape, unsigned halves)
{
    counts->blocks++;
    counts->samples += model_shape_samples(shape, halves);
    counts->density += model_shape_density(shape, halves);
}

static void gather(struct gathering *gathering, const struct matcher *matcher,
                   enum selection_quantity quantity)
{
    const struct model *model = matcher->model;
    const struct model_objects *objects = &model->objects;
    struct matcher_life life;
    for (size_t row = 0; row < objects->count; row++) {
        if (!matcher_object(matcher, row, &life) ||
            !selection_counts(quantity, matcher, row, &life))
            continue;
        const struct model_shape *shape = &model->shapes[objects->shape[row]];
        struct shape_counts *counts = &gathering->shapes[objects->shape[row]];
        bool is_live = life.is_left;
        uint64_t samples = model_shape_samples(shape, life.halves);
        counts->all++;
        counts->live += is_live;
        counts->all_samples += samples;
        counts->live_samples += is_live ? samples : 0;
        count(is_live ? &gathering->unended
                      : &gathering->lifetimes[bin_of((uint64_t)(life.died_us - life.born_us))],
              shape, life.halves);
    }
}

static struct sum estimated(const struct counts *counts, const struct estimate *estimate)
{
    return (struct sum){counts->blocks, estimate_bytes(estimate, (double)counts->samples),
                        counts->density / estimate->sample_rate};
}

static void add(struct sum *to, const struct model_shape *shape, uint32_t blocks, uint64_t samples,
                const struct estimate *estimate)
{
    to->blocks += blocks;
    to->bytes += estimate_bytes(estimate, (double)samples);
    to->objects +=
        (double)samples / (double)shape->samples * shape->density / estimate->sample_rate;
}

static void sum_shapes(struct distributions *distributions, const struct gathering *gathering,
                       const struct model *model)
{
    for (size_t i = 0; i < model->shape_count; i++) {
        const struct model_shape *shape = &model->shapes[i];
        const struct shape_counts *counts = &gathering->shapes[i];
        size_t bin = bin_of((uint64_t)model_shape_bytes(model, shape));
        if (counts->all == 0)
            continue;
        add(&distributions->sizes[bin], shape, counts->all, counts->all_samples, &model->estimate);
        add(&distributions->all, shape, counts->all, counts->all_samples, &model->estimate);
        if (shape->domain < distributions->domain_count) {
            struct domain_sums *domain = &distributions->domains[shape->domain];
            add(&domain->all, shape, counts->all, counts->all_samples, &model->estimate);
            add(&domain->live, shape, counts->live, counts->live_samples, &model->estimate);
        }
    }
}

static void release(struct distributions *distributions)
{
    free(distributions->domains);
}

/* False when there is no memory; then there is nothing to release. */
static bool init(struct distributions *distributions, const struct report *report)
{
    const struct model *model = report->input.model;
    struct gathering gathering = {.shapes =
                                      calloc(model->shape_count + 1, sizeof *gathering.shapes)};
    *distributions = (struct distributions){
        .domains = calloc(model->domain_count + 1, sizeof *distributions->domains),
        .domain_count = model->domain_count,
        .model = model,
    };
    bool done = gathering.shapes && distributions->domains;
    if (done) {
        gather(&gathering, &report->matcher, report->what.quantity);
        for (size_t i = 0; i < BINS; i++)
            distributions->lifetimes[i] = estimated(&gathering.lifetimes[i], &model->estimate);
        distributions->unended = estimated(&gathering.unended, &model->estimate);
        sum_shapes(distributions, &gathering, model);
    } else {
        release(distributions);
    }
    free(gathering.shapes);
    return done;
}

/* ---- Columns ------------------------------------------------------------------------- */

/* A row: a bin of sizes or lifetimes, or a domain. */
struct row {
    const char *of; /* "size" */
    double from, below;
    struct sum sum, live;
    const struct model_domain *domain;
};

#define OF_ROW(member) ANSWER_FIELD(struct row, member)
#define OF_DOMAIN(member) ANSWER_FIELD_OF(struct row, domain, member)

ANSWER_GET(get_share, const struct row *of = row, const struct distributions *all = context,
           answer_number_if(all->all.bytes > 0, of->sum.bytes / all->all.bytes))

ANSWER_GET(get_below, const struct row *of = row, const void *all = context,
           answer_number_if(!of->domain, of->below))

#define SUM_COLUMNS                                                                                \
    {"bytes", "BYTES", ANSWER_BYTES, OF_ROW(sum.bytes), "bytes"},                                  \
        {"share", "SHARE", ANSWER_SHARE, get_share, "part of all bytes that pass"},                \
        {"objects", "OBJECTS", ANSWER_COUNT, OF_ROW(sum.objects), "blocks"},                       \
    {                                                                                              \
        "sampled_blocks", NULL, ANSWER_WHOLE, OF_ROW(sum.blocks),                                  \
            "sampled blocks that these rest on"                                                    \
    }

static const struct answer_column sum_columns[] = {SUM_COLUMNS};
static const struct answer_column size_columns[] = {
    {"from_bytes", "SIZE FROM", ANSWER_BYTES, OF_ROW(from), "the smallest size"},
    {"below_bytes", "TO BELOW", ANSWER_BYTES, OF_ROW(below), "above the largest"},
    SUM_COLUMNS};
static const struct answer_column lifetime_columns[] = {
    {"from_us", "LIFETIME FROM", ANSWER_TIME, OF_ROW(from), "the shortest lifetime"},
    {"below_us", "TO BELOW", ANSWER_TIME, OF_ROW(below), "above the longest"},
    SUM_COLUMNS};
static const struct answer_column domain_columns[] = {
    {"domain", "DOMAIN", ANSWER_WHOLE, OF_ROW(from), "its number"},
    SUM_COLUMNS,
    {"live_bytes", "LIVE", ANSWER_BYTES, OF_ROW(live.bytes), "of them, alive at the end"},
    {"live_objects", NULL, ANSWER_COUNT, OF_ROW(live.objects), "blocks alive at the end"},
    {"live_blocks", NULL, ANSWER_WHOLE, OF_ROW(live.blocks), "sampled blocks that these rest on"},
    {"thread", "THREAD", ANSWER_NAME, OF_DOMAIN(name), "the name of its thread"},
    {"thread_id", NULL, ANSWER_WHOLE, OF_DOMAIN(thread), "the kernel's number of it; 0: not known"},
};
static const struct answer_column flat_columns[] = {
    {"of", NULL, ANSWER_TEXT, OF_ROW(of),
     "size, in bytes; lifetime, in microseconds; or domain, by its number"},
    {"from", NULL, ANSWER_COUNT, OF_ROW(from), "the least value"},
    {"below", NULL, ANSWER_COUNT, get_below, "above the greatest; of no domain"},
    SUM_COLUMNS};

#define TABLE(key, shape, forms, columns, about)                                                   \
    {                                                                                              \
        key, shape, ANSWER_FITTED, ANSWER_IN_JSON | ANSWER_IN_COLUMNS | (forms),                   \
            ANSWER_COLUMNS(columns), about                                                         \
    }

static const struct answer_table all_table =
    TABLE("all", ANSWER_RECORD, 0, sum_columns, "all that passes");
static const struct answer_table unended_table =
    TABLE("unended", ANSWER_RECORD, 0, sum_columns,
          "of that, what is alive at the end: it has no lifetime yet");
static const struct answer_table sizes_table = TABLE(
    "sizes", ANSWER_ROWS, ANSWER_IN_TEXT, size_columns,
    "blocks of about one size, without headers: a quarter of the step from a power of two to the next");
static const struct answer_table lifetimes_table =
    TABLE("lifetimes", ANSWER_ROWS, ANSWER_IN_TEXT, lifetime_columns,
          "blocks that lived for about one time, cut likewise");
static const struct answer_table domains_table =
    TABLE("domains", ANSWER_ROWS, ANSWER_IN_TEXT, domain_columns,
          "a domain of OCaml, or a thread, that allocated some");
static const struct answer_table flat_table = {
    .forms = ANSWER_IN_CSV, ANSWER_COLUMNS(flat_columns), .help = "any of these rows"};

const struct answer_table *const distributions_tables[] = {
    &all_table, &unended_table, &sizes_table, &lifetimes_table, &domains_table, &flat_table, NULL};

/* ---- The answer ---------------------------------------------------------------------- */

/* Those between the first and the last that has some; empty ones where programs read them as an axis. */
static void put_bins(struct answer *answer, const char *of, const struct sum *bins)
{
    size_t first = 0, end = BINS;
    bool is_axis = !answer_is_read(answer) && !answer_tells(answer, &flat_table);
    while (first < end && bins[first].blocks == 0)
        first++;
    while (end > first && bins[end - 1].blocks == 0)
        end--;
    for (size_t i = first; i < end; i++)
        if (bins[i].blocks > 0 || is_axis)
            answer_row(answer, &(struct row){of, edge_of(i), edge_of(i + 1), bins[i], {0}, NULL});
}

static void put_sizes(struct answer *answer, const struct distributions *distributions)
{
    put_bins(answer, "size", distributions->sizes);
}

static void put_lifetimes(struct answer *answer, const struct distributions *distributions)
{
    put_bins(answer, "lifetime", distributions->lifetimes);
}

static void put_domains(struct answer *answer, const struct distributions *distributions)
{
    for (size_t i = 0; i < distributions->domain_count; i++) {
        const struct domain_sums *sums = &distributions->domains[i];
        if (sums->all.blocks > 0)
            answer_row(answer, &(struct row){"domain", (double)i, 0, sums->all, sums->live,
                                             &distributions->model->domains[i]});
    }
}

static void put_all(struct answer *answer, const struct distributions *distributions)
{
    put_sizes(answer, distributions);
    put_lifetimes(answer, distributions);
    put_domains(answer, distributions);
}

static void put(struct answer *answer, const struct distributions *distributions)
{
    static const struct {
        const struct answer_table *table;
        void (*put)(struct answer *answer, const struct distributions *distributions);
    } tables[] = {{&sizes_table, put_sizes},
                  {&lifetimes_table, put_lifetimes},
                  {&domains_table, put_domains},
                  {&flat_table, put_all}};
    struct answer_section section = {.context = distributions};
    section.table = &all_table;
    answer_record(answer, &section, &(struct row){.sum = distributions->all});
    section.table = &unended_table;
    answer_record(answer, &section, &(struct row){.sum = distributions->unended});
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        section.table = tables[i].table;
        answer_begin(answer, &section);
        tables[i].put(answer, distributions);
        answer_end(answer);
    }
}

enum report_outcome distributions_put(struct answer *answer, const struct report *report)
{
    struct distributions distributions;
    char all[UNITS_TEXT_BYTES], unended[UNITS_TEXT_BYTES];
    if (!init(&distributions, report))
        return REPORT_UNFINISHED;
    answer_say(answer, "%s: %s, %s of it in blocks that are alive at the end",
               plain(report->input.name), units_bytes(all, distributions.all.bytes),
               units_bytes(unended, distributions.unended.bytes));
    report_say_filter(answer, report);
    report_head(answer, report);
    put(answer, &distributions);
    release(&distributions);
    return REPORT_SAID;
}
