/* A row costs two additions for its shape, and two for its lifetime: what depends on the shape
 * alone (its size, its domain, what it stands for) is put together afterwards, shape by shape. */
#include "report/blocks/distributions.h"

#include <stdlib.h>

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
    struct counts lifetimes[DISTRIBUTION_BINS];
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
        count(
            is_live
                ? &gathering->unended
                : &gathering->lifetimes[distribution_bin((uint64_t)(life.died_us - life.born_us))],
            shape, life.halves);
    }
}

static struct distribution_sum estimated(const struct counts *counts,
                                         const struct estimate *estimate)
{
    return (struct distribution_sum){counts->blocks,
                                     estimate_bytes(estimate, (double)counts->samples),
                                     counts->density / estimate->sample_rate};
}

static void sum(struct distribution_sum *to, const struct model_shape *shape, uint32_t blocks,
                uint64_t samples, const struct estimate *estimate)
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
        size_t bin = distribution_bin((uint64_t)model_shape_bytes(model, shape));
        if (counts->all == 0)
            continue;
        sum(&distributions->sizes.bins[bin], shape, counts->all, counts->all_samples,
            &model->estimate);
        sum(&distributions->all, shape, counts->all, counts->all_samples, &model->estimate);
        if (shape->domain < distributions->domain_count) {
            struct domain_sums *domain = &distributions->domains[shape->domain];
            sum(&domain->all, shape, counts->all, counts->all_samples, &model->estimate);
            sum(&domain->live, shape, counts->live, counts->live_samples, &model->estimate);
        }
    }
}

static void find_ends(struct distribution *distribution)
{
    for (size_t i = 0; i < DISTRIBUTION_BINS; i++) {
        if (distribution->bins[i].blocks == 0)
            continue;
        distribution->first = distribution->end == 0 ? i : distribution->first;
        distribution->end = i + 1;
    }
}

bool distributions_init(struct distributions *distributions, const struct matcher *matcher,
                        enum selection_quantity quantity)
{
    const struct model *model = matcher->model;
    struct gathering *gathering = calloc(1, sizeof *gathering);
    *distributions = (struct distributions){
        .domains = calloc(model->domain_count + 1, sizeof *distributions->domains),
        .domain_count = model->domain_count,
    };
    if (gathering)
        gathering->shapes = calloc(model->shape_count + 1, sizeof *gathering->shapes);
    bool done = gathering && gathering->shapes && distributions->domains;
    if (done) {
        gather(gathering, matcher, quantity);
        for (size_t i = 0; i < DISTRIBUTION_BINS; i++)
            distributions->lifetimes.bins[i] =
                estimated(&gathering->lifetimes[i], &model->estimate);
        distributions->unended = estimated(&gathering->unended, &model->estimate);
        sum_shapes(distributions, gathering, model);
        find_ends(&distributions->sizes);
        find_ends(&distributions->lifetimes);
    } else {
        distributions_release(distributions);
    }
    free(gathering ? gathering->shapes : NULL);
    free(gathering);
    return done;
}

void distributions_release(struct distributions *distributions)
{
    free(distributions->domains);
    *distributions = (struct distributions){0};
}
