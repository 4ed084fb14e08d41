#include "export/guest_json.h"

/* A number of blocks: whole where every block was recorded. */
static void put_number(struct json *json, const char *key, double value)
{
    if (value >= 0 && value < 9007199254740992.0 && value == (double)(uint64_t)value)
        json_put_uint(json, key, (uint64_t)value);
    else
        json_put_double(json, key, value);
}

static void put_mean(struct json *json, const char *key, double sum, double count)
{
    if (count > 0) {
        put_number(json, key, sum / count);
    } else {
        json_key(json, key);
        json_null(json);
    }
}

static bool is_sampled(const struct guest_profile *profile)
{
    return profile->heap_count > 0 && profile->heaps[0].rate < 1;
}

static void put_tally(struct json *json, const struct guest_profile *profile,
                      const struct guest_tally *tally)
{
    put_number(json, "count", tally->allocated);
    put_number(json, "bytes", tally->bytes);
    if (is_sampled(profile))
        put_number(json, "samples", tally->samples);
    if (tally->start_allocated > 0 || tally->start_bytes > 0) {
        put_number(json, "start_count", tally->start_allocated);
        put_number(json, "start_bytes", tally->start_bytes);
    }
    put_number(json, "resized", tally->resized);
    put_number(json, "resized_away", tally->left);
    put_number(json, "freed", tally->freed);
    put_number(json, "live", tally->live);
    put_number(json, "live_bytes", tally->live_bytes);
    put_number(json, "peak_bytes", tally->peak_bytes);
    put_number(json, "promoted", tally->promoted);
    put_number(json, "promoted_bytes", tally->promoted_bytes);
    put_number(json, "temporary", tally->temporary);
    put_mean(json, "mean_age_bytes", tally->age_sum, tally->freed);
    put_mean(json, "mean_live_age_bytes", tally->live_age_sum, tally->live);
}

static void put_site(struct json *json, const struct guest_site *site)
{
    json_put_string(json, "file", site->file);
    json_key(json, "line");
    if (site->line)
        json_uint(json, site->line);
    else
        json_null(json);
    json_put_string(json, "function", site->function);
}

/* The stacks that end in a row's place, each with its calls, innermost first. */
static void put_stacks(struct json *json, const struct guest_profile *profile,
                       const struct guest_filter *filter, const struct guest_table_row *wanted,
                       size_t limit)
{
    const struct guest_site *place = &profile->sites[wanted->site];
    json_key(json, "stacks");
    json_array(json);
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct guest_profile_row *row = &profile->rows[i];
        const struct guest_stack *node = &profile->nodes[row->stack];
        const struct guest_site *site = &profile->sites[node->site];
        if (row->type != wanted->type || site->file != place->file || site->line != place->line ||
            !guest_filter_passes(filter, profile, row))
            continue;
        json_object(json);
        put_number(json, "count", row->tally.allocated);
        put_number(json, "bytes", row->tally.bytes);
        json_key(json, "callers");
        json_array(json);
        for (size_t depth = 0; node->parent && (!limit || depth < limit); depth++) {
            node = &profile->nodes[node->parent];
            json_object(json);
            put_site(json, &profile->sites[node->site]);
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void put_row(struct json *json, const struct guest_profile *profile,
                    const struct guest_filter *filter, const struct guest_table_row *row,
                    bool stacks, size_t stack_limit)
{
    json_object(json);
    put_site(json, &profile->sites[row->site]);
    json_put_string(json, "type", profile->types[row->type]);
    put_tally(json, profile, &row->self);
    if (stacks && profile->stacks)
        put_stacks(json, profile, filter, row, stack_limit);
    json_end(json);
}

static void put_heaps(struct json *json, const struct guest_profile *profile)
{
    json_key(json, "heaps");
    json_array(json);
    for (size_t i = 0; i < profile->heap_count; i++) {
        const struct guest_heap *heap = &profile->heaps[i];
        json_object(json);
        json_put_string(json, "language", heap->language);
        put_number(json, "allocations", heap->allocated);
        put_number(json, "bytes", heap->clock);
        put_number(json, "live_bytes", heap->live_bytes);
        put_number(json, "peak_bytes", heap->peak_bytes);
        put_number(json, "collections", heap->collections);
        put_number(json, "before_blocks", heap->before_blocks);
        put_number(json, "before_bytes", heap->before_bytes);
        put_number(json, "unknown_frees", heap->unknown_frees);
        put_number(json, "lost_samples", heap->lost_samples);
        json_end(json);
    }
    json_end(json);
}

static void put_accounting(struct json *json, const struct guest_accounting *it)
{
    json_key(json, "accounting");
    json_object(json);
    put_number(json, "shown", it->shown);
    put_number(json, "shown_bytes", it->shown_bytes);
    put_number(json, "hidden", it->hidden);
    put_number(json, "hidden_bytes", it->hidden_bytes);
    json_put_uint(json, "hidden_rows", it->hidden_rows);
    put_number(json, "without_location", it->no_place);
    put_number(json, "without_location_bytes", it->no_place_bytes);
    put_number(json, "untyped", it->untyped);
    put_number(json, "untyped_bytes", it->untyped_bytes);
    json_end(json);
}

static void put_process(struct json *json, const struct guest_profile *profile)
{
    json_put_uint(json, "pid", profile->pid);
    json_put_uint(json, "parent_pid", profile->parent_pid);
    json_put_bool(json, "forked", profile->forked);
    json_put_string(json, "script", profile->script);
    json_put_string(json, "executable", profile->executable);
    json_put_string(json, "trace", profile->trace);
    json_put_double(
        json, "samples_per_word",
        profile->heap_count == 0 || profile->heaps[0].rate >= 1 ? 1 : 8 * profile->heaps[0].rate);
    json_put_bool(json, "approximate_lines", profile->fast);
}

bool guest_json_write(struct json *json, const struct guest_profile *profile,
                      const struct guest_filter *filter, bool stacks, size_t stack_limit)
{
    struct guest_table table;
    if (!guest_table_make(&table, profile, GUEST_BY_LINE, filter))
        return false;
    json_object(json);
    put_process(json, profile);
    put_number(json, "recorded", table.accounting.recorded);
    put_number(json, "recorded_at_start", table.sum.start_allocated);
    put_accounting(json, &table.accounting);
    put_heaps(json, profile);
    json_key(json, "rows");
    json_array(json);
    for (size_t i = 0; i < table.count; i++)
        put_row(json, profile, filter, &table.rows[i], stacks, stack_limit);
    json_end(json);
    json_key(json, "notes");
    json_array(json);
    for (size_t i = 0; i < profile->note_count; i++)
        json_string(json, profile->notes[i]);
    json_end(json);
    json_end(json);
    guest_table_release(&table);
    return true;
}
