/* Profiles whose rate is halved while they are gathered: what is written is distributed as if everything had been sampled at the last rate. */
#include "base/random.h"
#include "tap/gather/halve.h"
#include "unit/gathered.h"

#include <math.h>

enum { RUNS = 500, LAST = 7, PERIOD = 1 << LAST, SITES = 4 };
enum { ALLOC_SPACE = 1, INUSE_SPACE = 3 };

/* Blocks of a size from one site, of which some end: so many at each rate. */
static const struct site {
    uint64_t size;
    unsigned blocks, ended;
} sites[SITES] = {{1, 300, 200}, {40, 60, 10}, {5000, 3, 2}, {1000000, 1, 0}};
static const uint32_t steps[] = {0, 3, 4, LAST}; /* halvings at which all of them are sampled */
enum { STEPS = sizeof steps / sizeof steps[0] };

static struct heaptap_trace_info info_of(uint64_t run)
{
    return (struct heaptap_trace_info){
        .version = 3, .sample_rate = 1, .word_bits = 8, .executable = "/bin/prog", .pid = run};
}

/* A block as it is sampled after so many halvings. */
static uint64_t sample(struct heaptap_pprof_domain *domain, struct random *random, uint64_t size,
                       uint32_t halvings, int64_t time_us)
{
    uint64_t stack[] = {0x1000 + size};
    uint64_t samples = halvings ? random_binomial(random, size, ldexp(1, -(int)halvings)) : size;
    return samples ? alloc(domain, time_us, size, samples, stack, 1) : 0;
}

/* Those in use. */
static struct {
    size_t count;
    uint64_t items[4096];
} in_use;

static void run_site(struct heaptap_pprof *profile, struct heaptap_pprof_domain *domain,
                     struct random *random, const struct site *site, uint32_t halvings)
{
    for (unsigned i = 0; i < site->blocks; i++) {
        uint64_t block = sample(domain, random, site->size, halvings, 10);
        if (i < site->ended)
            heaptap_pprof_collect(profile, 15, block);
        else if (block)
            in_use.items[in_use.count++] = block;
    }
}

static void renew(struct heaptap_pprof_domain *domain)
{
    static uint64_t toss;
    size_t left = 0;
    for (size_t i = 0; i < in_use.count; i++) {
        uint64_t block = in_use.items[i];
        if (pprof_block_is_old(domain, block))
            block = pprof_block_renew(domain, 17, block, toss++);
        assert_false(block && pprof_block_is_old(domain, block));
        if (block)
            in_use.items[left++] = block;
    }
    in_use.count = left;
}

static struct heaptap_pprof *run(uint64_t number, const struct heaptap_pprof_options *options,
                                 bool renews)
{
    struct heaptap_trace_info info = info_of(number);
    struct heaptap_pprof *profile = new_profile(&info, options);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    struct random random;
    random_init(&random, number);
    in_use.count = 0;
    if (renews)
        pprof_will_renew(profile);
    for (size_t i = 0; i < STEPS; i++) {
        pprof_set_halvings(profile, steps[i]);
        pprof_domain_set_halvings(domain, steps[i]);
        if (renews && i != 1)
            renew(domain);
        for (size_t k = 0; k < SITES; k++)
            run_site(profile, domain, &random, &sites[k], steps[i]);
    }
    heaptap_pprof_domain_free(domain);
    return profile;
}

struct moments {
    double sum, squares;
};

static void add(struct moments *moments, double value)
{
    moments->sum += value;
    moments->squares += value * value;
}

/* What a profile says of a site's type, in its own values. */
static double total(const struct model *model, uint64_t size, size_t type)
{
    double sum = 0;
    for (size_t i = 0; i < model->file->sample_count; i++)
        if (model->file->labels[i].number == (int64_t)size)
            sum += (double)model->file->values[i * model->samples.type_count + type];
    return sum;
}

/* The mean is the truth within four standard errors, and the variance that of so many trials. */
static void assert_binomial(const struct moments *moments, double bytes, const char *what)
{
    double mean = moments->sum / RUNS, variance = moments->squares / RUNS - mean * mean;
    double expected = bytes * (PERIOD - 1); /* bytes r (1 - r) / r^2 */
    if (!(fabs(mean - bytes) < 4 * sqrt(expected / RUNS)))
        fail_msg("%s: the mean is %f, not %f +- %f", what, mean, bytes, sqrt(expected / RUNS));
    if (!(fabs(variance / expected - 1) < 5 * sqrt(2.0 / RUNS) + 1 / sqrt(bytes)))
        fail_msg("%s: the variance is %f, not %f", what, variance, expected);
}

static void check_distribution(bool renews)
{
    struct moments allocated[SITES] = {0}, live[SITES] = {0}, lives[SITES] = {0};
    for (uint64_t number = 1; number <= RUNS; number++) {
        struct heaptap_pprof *profile = run(number, &(struct heaptap_pprof_options){0}, renews);
        struct model *model = read_back(profile, 30);
        assert_int_equal(model->file->period, PERIOD);
        for (size_t k = 0; k < SITES; k++) {
            double here = total(model, sites[k].size, ALLOC_SPACE);
            assert_true(fmod(here, PERIOD) == 0);
            add(&allocated[k], here);
            add(&live[k], total(model, sites[k].size, INUSE_SPACE));
            add(&lives[k], total(model, sites[k].size, 4) * (double)sites[k].size);
        }
        model_free(model);
        heaptap_pprof_free(profile);
    }
    for (size_t k = 0; k < SITES; k++) {
        double size = (double)sites[k].size, left = sites[k].blocks - sites[k].ended;
        double each = STEPS * (left * 20000 + sites[k].ended * 5000) * size;
        assert_binomial(&allocated[k], STEPS * sites[k].blocks * size, "allocated");
        assert_binomial(&live[k], STEPS * left * size, "in use");
        double mean = lives[k].sum / RUNS, variance = lives[k].squares / RUNS - mean * mean;
        assert_true(fabs(mean - each) < 4 * sqrt(variance / RUNS));
    }
}

static void test_distribution(void **state)
{
    check_distribution(false);
}

/* The same where blocks in use go over to later rates, and then end or not. */
static void test_renewed(void **state)
{
    check_distribution(true);
}

/* No row has more in use than was allocated, none is empty, and the same file comes again. */
static void test_rows(void **state)
{
    for (uint64_t number = 1; number <= 50; number++) {
        struct heaptap_pprof *profile = run(number, &(struct heaptap_pprof_options){0}, number % 2);
        struct model *model = read_back(profile, 30), *again = read_back(profile, 30);
        assert_int_equal(model->file->sample_count, SITES); /* whatever rates their blocks had */
        for (size_t i = 0; i < model->file->sample_count; i++) {
            const int64_t *values = model->file->values + i * model->samples.type_count;
            assert_true(values[ALLOC_SPACE] > 0 && values[INUSE_SPACE] <= values[ALLOC_SPACE]);
        }
        assert_int_equal(again->file->sample_count, model->file->sample_count);
        assert_memory_equal(again->file->values, model->file->values,
                            model->file->sample_count * model->samples.type_count *
                                sizeof *model->file->values);
        model_free(model);
        model_free(again);
        heaptap_pprof_free(profile);
    }
}

/* Whatever was sampled before, exact figures are so only while the rate is 1; then they are those of all blocks. */
static void test_exact(void **state)
{
    struct heaptap_trace_info info = info_of(1);
    struct heaptap_pprof *profile = new_profile(&info, NULL);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    for (size_t k = 0; k < SITES; k++)
        run_site(profile, domain, NULL, &sites[k], 0);
    struct model *model = read_back(profile, 20);
    assert_int_equal(model->file->period, 1);
    for (size_t k = 0; k < SITES; k++) {
        uint64_t size = sites[k].size;
        assert_true(total(model, size, 0) == sites[k].blocks);
        assert_true(total(model, size, ALLOC_SPACE) == (double)(sites[k].blocks * size));
        assert_true(total(model, size, 2) == sites[k].blocks - sites[k].ended);
    }
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* What a domain samples at a rate that the file being written doesn't have yet waits for the next one. */
static void test_later(void **state)
{
    struct heaptap_trace_info info = info_of(1);
    struct heaptap_pprof *profile = new_profile(&info, NULL);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    static const uint64_t stack[] = {1};
    alloc(domain, 1, 10, 10, stack, 1);
    pprof_domain_set_halvings(domain, 1);
    alloc(domain, 1, 10, 5, stack, 1);
    struct model *model = read_back(profile, 5);
    assert_int_equal(model->file->sample_count, 1);
    assert_int_equal(model->file->values[ALLOC_SPACE], 10);
    model_free(model);
    pprof_set_halvings(profile, 1);
    model = read_back(profile, 5);
    assert_int_equal(model->file->sample_count, 1);
    assert_true(model->file->values[ALLOC_SPACE] >= 10 && model->file->values[ALLOC_SPACE] <= 30);
    model_free(model);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

/* Intervals: what stays in use doesn't waver; what is allocated in all of them is the whole, each at its own rate. */
static void check_intervals(bool renews)
{
    static const struct heaptap_pprof_options intervals = {.intervals = 1};
    enum { BLOCKS = 400, SIZE = 20 };
    struct moments allocated = {0}, live = {0};
    for (uint64_t number = 1; number <= RUNS; number++) {
        struct heaptap_trace_info info = info_of(number);
        struct heaptap_pprof *profile = new_profile(&info, &intervals);
        struct heaptap_pprof_domain *domain = new_domain(profile);
        struct random random;
        double sum = 0, before = 0;
        random_init(&random, number);
        in_use.count = 0;
        if (renews)
            pprof_will_renew(profile);
        for (size_t i = 0; i < STEPS; i++) {
            for (size_t k = 0; k < BLOCKS / STEPS; k++) {
                uint64_t block = sample(domain, &random, SIZE, i ? steps[i - 1] : 0, 1);
                if (block)
                    in_use.items[in_use.count++] = block;
            }
            pprof_set_halvings(profile, steps[i]); /* in the middle of the interval */
            pprof_domain_set_halvings(domain, steps[i]);
            if (renews && i != 2)
                renew(domain);
            for (size_t k = 0; k < BLOCKS / STEPS; k++)
                heaptap_pprof_collect(profile, 2, sample(domain, &random, SIZE, steps[i], 1));
            struct model *model = read_back(profile, 5 + (int64_t)i);
            assert_int_equal(model->file->period, 1 << steps[i]);
            sum += total(model, SIZE, ALLOC_SPACE);
            before = total(model, SIZE, INUSE_SPACE);
            model_free(model);
        }
        assert_false(heaptap_pprof_changed(profile));
        if (renews)
            renew(domain);
        assert_false(heaptap_pprof_changed(profile));
        struct model *model = read_back(profile, 20);
        assert_true(total(model, SIZE, ALLOC_SPACE) == 0);
        assert_true(total(model, SIZE, INUSE_SPACE) == before);
        add(&allocated, sum);
        add(&live, before);
        model_free(model);
        heaptap_pprof_domain_free(domain);
        heaptap_pprof_free(profile);
    }
    double mean = allocated.sum / RUNS, variance = allocated.squares / RUNS - mean * mean;
    assert_true(fabs(mean - 2 * BLOCKS * SIZE) < 4 * sqrt(variance / RUNS));
    assert_binomial(&live, BLOCKS * SIZE, "in use");
}

static void test_intervals(void **state)
{
    check_intervals(false);
}

static void test_renewed_intervals(void **state)
{
    check_intervals(true);
}

/* Estimates of blocks that are left, from groups' sums alone. */
static void test_live_blocks(void **state)
{
    struct heaptap_trace_info info = info_of(1);
    struct heaptap_pprof *profile = new_profile(&info, NULL);
    struct heaptap_pprof_domain *domain = new_domain(profile);
    static const uint64_t stack[] = {1};
    double left[COIN_STEPS_MAX + 1];
    uint64_t last = 0;
    pprof_live_blocks(profile, left);
    assert_true(left[0] == 0 && left[COIN_STEPS_MAX] == 0);
    for (int i = 0; i < 1000; i++)
        last = alloc(domain, 1, 1024, 1024, stack, 1);
    heaptap_pprof_collect(profile, 2, last);
    pprof_live_blocks(profile, left);
    assert_true(left[0] > 997 && left[0] < 1000); /* 999 blocks, of 1024 samples each */
    assert_true(left[10] > 0.75 * 632 && left[10] < 1.25 * 632); /* of one in the mean */
    assert_true(fabs(left[20] - 1) < 0.1);                       /* of one in a thousand */
    for (int i = 0; i < COIN_STEPS_MAX; i++)
        assert_true(left[i + 1] < left[i] || left[i] == 0);
    pprof_set_halvings(profile, 10);
    double at_ten = left[10];
    pprof_live_blocks(profile, left);
    assert_true(left[10] == at_ten && left[0] == at_ten);
    heaptap_pprof_domain_free(domain);
    heaptap_pprof_free(profile);
}

int main(void)
{
    return RUN_TESTS(test_distribution, test_renewed, test_renewed_intervals, test_rows, test_exact,
                     test_later, test_intervals, test_live_blocks);
}
