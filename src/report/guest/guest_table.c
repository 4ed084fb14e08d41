#include "report/guest/guest_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

/* ---- Putting together ------------------------------------------------------------- */

/* Rows under way, found by what they have in common. */
struct grouping {
    const struct guest_profile *profile;
    enum guest_grouping by;
    struct guest_table *table;
    struct map by_key;
};

static bool same_group(const struct grouping *grouping, const struct guest_table_row *row,
                       uint32_t site, uint32_t type)
{
    struct guest_site a = guest_profile_place(grouping->profile, row->site),
                      b = guest_profile_place(grouping->profile, site);
    switch (grouping->by) {
    case GUEST_BY_LINE:
        return a.file == b.file && a.line == b.line && row->type == type;
    case GUEST_BY_FUNCTION:
        return a.file == b.file && a.function == b.function;
    default:
        return row->type == type;
    }
}

static uint64_t group_key(const struct grouping *grouping, uint32_t site, uint32_t type)
{
    struct guest_site place = guest_profile_place(grouping->profile, site);
    uint64_t file = (uint64_t)(uintptr_t)place.file;
    switch (grouping->by) {
    case GUEST_BY_LINE:
        return file * 31 + ((uint64_t)place.line << 20) + type;
    case GUEST_BY_FUNCTION:
        return file * 31 + (uint64_t)(uintptr_t)place.function;
    default:
        return type;
    }
}

/* The row of a place and type; NULL without memory.  Borrowed until the next. */
static struct guest_table_row *group_of(struct grouping *grouping, uint32_t site, uint32_t type,
                                        bool is_hidden)
{
    struct guest_table *table = grouping->table;
    uint64_t key = group_key(grouping, site, type) * 2 + is_hidden;
    for (;; key = key * 0x9E3779B97F4A7C15u + 1) {
        bool fresh;
        uint32_t *found = map_put(&grouping->by_key, key, (uint32_t)table->count, &fresh);
        if (!found || !ARRAY_RESERVE(&table->rows, &table->capacity, table->count + 1))
            return NULL;
        if (fresh)
            table->rows[table->count++] = (struct guest_table_row){.site = site,
                                                                   .type = type,
                                                                   .is_hidden = is_hidden,
                                                                   .first = MODEL_NONE,
                                                                   .counted = MODEL_NONE};
        struct guest_table_row *row = &table->rows[*found];
        if (row->is_hidden == is_hidden && same_group(grouping, row, site, type))
            return row;
    }
}

/* Adds a row's tally to the total of each function on its stack, once. */
static bool add_totals(struct grouping *grouping, const struct guest_profile_row *row,
                       uint32_t number)
{
    const struct guest_profile *profile = grouping->profile;
    for (uint32_t node = row->node; node; node = guest_profile_caller(profile, node)) {
        struct guest_table_row *group =
            group_of(grouping, guest_profile_site_at(profile, node), row->type, false);
        if (!group)
            return false;
        if (group->counted != number)
            guest_tally_add(&group->total, &row->tally);
        group->counted = number;
    }
    return true;
}

static bool add_row(struct grouping *grouping, uint32_t number, bool is_hidden)
{
    const struct guest_profile *profile = grouping->profile;
    struct guest_profile_row row = guest_profile_row(profile, number);
    struct guest_table_row *group =
        group_of(grouping, guest_profile_site_at(profile, row.node), row.type, is_hidden);
    uint32_t *next = grouping->table->next;
    if (!group)
        return false;
    guest_tally_add(&group->self, &row.tally);
    *(group->first == MODEL_NONE ? &group->first : &next[group->last]) = number;
    group->last = number;
    next[number] = MODEL_NONE;
    return is_hidden || grouping->by != GUEST_BY_FUNCTION || add_totals(grouping, &row, number);
}

static bool add_rows(struct grouping *grouping)
{
    size_t count = guest_profile_rows(grouping->profile);
    grouping->table->next = malloc((count + 1) * sizeof *grouping->table->next);
    bool done = grouping->table->next;
    for (uint32_t i = 0; done && i < count; i++)
        done = add_row(grouping, i, !matcher_sample(&grouping->profile->matcher, i));
    map_release(&grouping->by_key);
    return done;
}

/* ---- What is shown ---------------------------------------------------------------- */

static const struct guest_profile *sorted_profile; /* qsort has no context */
static enum guest_value sorted_order;

/* The larger first. */
static int compare_figures(double a, double b)
{
    return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct guest_table_row *x = a, *y = b;
    struct guest_site p = guest_profile_place(sorted_profile, x->site),
                      q = guest_profile_place(sorted_profile, y->site);
    int order = compare_figures(x->self.of[sorted_order], y->self.of[sorted_order]);
    if (!order)
        order = compare_figures(x->self.of[GUEST_BYTES], y->self.of[GUEST_BYTES]);
    if (!order)
        order = compare_figures(x->self.of[GUEST_COUNT], y->self.of[GUEST_COUNT]);
    if (!order)
        order = compare_figures(x->total.of[GUEST_BYTES], y->total.of[GUEST_BYTES]);
    if (!order)
        order = order_texts(p.file, q.file);
    if (!order)
        order = (p.line > q.line) - (p.line < q.line);
    if (!order)
        order = order_texts(p.function, q.function);
    if (!order)
        order = order_texts(guest_profile_type_name(sorted_profile, x->type),
                            guest_profile_type_name(sorted_profile, y->type));
    return order;
}

static void hide(struct guest_accounting *accounting, const struct guest_table_row *row)
{
    accounting->hidden += row->self.of[GUEST_COUNT];
    accounting->hidden_bytes += row->self.of[GUEST_BYTES];
    accounting->hidden_rows++;
}

static void account(struct guest_accounting *accounting, const struct guest_profile *profile,
                    const struct guest_table_row *row, enum guest_grouping by)
{
    struct guest_site site = guest_profile_place(profile, row->site);
    double *blocks = &accounting->shown, *bytes = &accounting->shown_bytes;
    if (by != GUEST_BY_TYPE && !site.file) {
        blocks = &accounting->no_place;
        bytes = &accounting->no_place_bytes;
    } else if (by != GUEST_BY_FUNCTION && !row->type) {
        blocks = &accounting->untyped;
        bytes = &accounting->untyped_bytes;
    }
    *blocks += row->self.of[GUEST_COUNT];
    *bytes += row->self.of[GUEST_BYTES];
}

/* Sorts the rows, and keeps those that are large enough. */
static void keep_largest(struct guest_table *table, const struct guest_profile *profile,
                         enum guest_grouping by, const struct guest_limits *limits)
{
    size_t kept = 0;
    sorted_profile = profile;
    sorted_order = limits->order;
    qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    for (size_t i = 0; i < table->count; i++) {
        const struct guest_table_row *row = &table->rows[i];
        guest_tally_add(&table->sum, &row->self);
        if (row->is_hidden || row->self.of[GUEST_BYTES] < limits->bytes ||
            row->self.of[GUEST_COUNT] < limits->count ||
            (limits->rows && kept >= (size_t)limits->rows)) {
            hide(&table->accounting, row);
            continue;
        }
        account(&table->accounting, profile, row, by);
        table->rows[kept++] = *row;
    }
    table->count = kept;
}

bool guest_table_make(struct guest_table *table, const struct guest_profile *profile,
                      enum guest_grouping by, const struct guest_limits *limits)
{
    struct grouping grouping = {.profile = profile, .by = by, .table = table};
    *table = (struct guest_table){0};
    for (size_t i = 0; i < profile->heap_count; i++)
        table->accounting.recorded += profile->heaps[i].allocated;
    bool made = add_rows(&grouping);
    if (made && table->count > 0)
        keep_largest(table, profile, by, limits);
    if (!made)
        guest_table_release(table);
    return made;
}

void guest_table_release(struct guest_table *table)
{
    free(table->rows);
    free(table->next);
    *table = (struct guest_table){0};
}
