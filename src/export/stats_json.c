#include "export/stats_json.h"

#include <inttypes.h>

#include "export/json.h"

static double percentage_large(const struct size_part *part)
{
    return part->spread.count > 0 ? 100 * part->large / part->spread.count : 0;
}

static void put_part(struct json *json, const struct size_part *part)
{
    json_put_uint(json, "sampled_blocks", part->blocks);
    json_put_double(json, "count", part->spread.count);
    json_put_double(json, "mean_words", part->spread.mean);
    json_put_double(json, "variance", part->spread.variance);
    json_put_double(json, "standard_deviation", part->spread.standard_deviation);
    json_put_uint(json, "max_words", part->spread.max);
    json_put_double(json, "large_over_256", part->large);
    json_put_double(json, "percentage_large_over_256", percentage_large(part));
}

static void put_bin(struct json *json, double from, double to, double count)
{
    json_object(json);
    json_put_double(json, "from", from);
    json_put_double(json, "below", to);
    json_put_double(json, "count", count);
    json_end(json);
}

static void put_size_histograms(struct json *json, const struct stats_report *report)
{
    static const char *const names[] = {"small", "medium", "large", "huge"};
    json_key(json, "histograms");
    json_object(json);
    for (int range = 0; range < STATS_RANGES; range++) {
        struct histogram histogram;
        stats_report_sizes(report, (enum stats_range)range, false, &histogram);
        json_key(json, names[range]);
        json_array(json);
        for (size_t i = 0; i < histogram.count; i++)
            put_bin(json, histogram.edges[i], histogram.edges[i + 1], histogram.weights[i]);
        json_end(json);
    }
    json_end(json);
}

static void put_by_size(struct json *json, const struct stats_report *report)
{
    json_key(json, "by_size");
    json_object(json);
    for (size_t i = 0; i < report->size_count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%" PRIu64, report->by_size[i].value);
        json_put_double(json, key, report->by_size[i].weight);
    }
    json_end(json);
}

static void put_sizes(struct json *json, const struct stats_report *report)
{
    json_key(json, "sizes");
    json_object(json);
    put_part(json, &report->whole);
    put_by_size(json, report);
    put_size_histograms(json, report);
    json_key(json, "large_per_part");
    json_array(json);
    for (size_t i = 0; i < report->part_count; i++)
        json_double(json, report->parts[i].large);
    json_end(json);
    json_key(json, "parts");
    json_array(json);
    for (size_t i = 0; i < report->part_count; i++) {
        json_object(json);
        put_part(json, &report->parts[i]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void put_lifetimes(struct json *json, const char *key,
                          const struct lifetime_figures *figures)
{
    json_key(json, key);
    json_object(json);
    json_put_double(json, "count", figures->count);
    json_put_double(json, "mean", figures->mean);
    json_put_double(json, "median", figures->median);
    json_put_uint(json, "max", figures->max);
    json_key(json, "histogram");
    json_array(json);
    for (unsigned i = 0; i < LIFETIMES_BINS; i++)
        if (figures->bins[i] > 0)
            put_bin(json, (double)lifetimes_bin_begin(i), (double)lifetimes_bin_begin(i + 1),
                    figures->bins[i]);
    json_end(json);
    json_end(json);
}

void stats_json_print(FILE *file, const struct stats_report *report)
{
    const struct block_stats *stats = report->stats;
    struct json json;
    json_init(&json, file);
    json_object(&json);
    json_put_string(&json, "trace", report->name);
    json_put_string(&json, "filter", report->filter);
    json_put_uint(&json, "word_bits", report->word_bits);
    json_put_bool(&json, "major_only", stats->major_only);
    json_put_bool(&json, "estimated", stats->estimated);
    put_sizes(&json, report);
    json_key(&json, "lifetimes");
    json_object(&json);
    json_put_uint(&json, "ticks", stats->ticks);
    json_put_double(&json, "survivors", stats->survivor_weight);
    put_lifetimes(&json, "in_events", &report->in_events);
    put_lifetimes(&json, "in_us", &report->in_us);
    json_end(&json);
    json_key(&json, "notes");
    json_object(&json);
    json_put_uint(&json, "unknown_promotions", stats->unknown_promotions);
    json_put_uint(&json, "unknown_collections", stats->unknown_collections);
    json_end(&json);
    json_end(&json);
}
