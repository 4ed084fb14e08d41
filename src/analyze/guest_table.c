#include "analyze/guest_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Patterns ------------------------------------------------------------------------------- */

static bool same_letter(char a, char b, bool any_case)
{
    return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* Does `text` fit the pattern that ends before `end`?  A star is tried against less text first,
 * and only the last one is ever tried again. */
static bool fits(const char *at, const char *end, const char *text, bool any_case)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (at < end && *at == '*') {
            star = at++;
            from = text;
        } else if (at < end && (*at == '?' || same_letter(*at, *text, any_case))) {
            at++;
            text++;
        } else if (star) {
            at = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (at < end && *at == '*')
        at++;
    return at == end;
}

bool guest_pattern_fits(const char *list, const char *text, bool any_case)
{
    for (;; list++) {
        const char *end = list + strcspn(list, ",");
        if (fits(list, end, text, any_case))
            return true;
        list = end;
        if (!*list)
            return false;
    }
}

/* A file fits by its whole path, or by its name alone. */
static bool file_fits(const char *list, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return guest_pattern_fits(list, file ? file : "", false) ||
           (slash && guest_pattern_fits(list, slash + 1, false));
}

bool guest_filter_passes(const struct guest_filter *filter, const struct guest_profile *profile,
                         const struct guest_profile_row *row)
{
    const struct guest_site place =
        guest_profile_place(profile, guest_profile_site_at(profile, row->node));
    const struct guest_site *site = &place;
    const char *type = guest_profile_type_name(profile, row->type);
    if (profile->stack_passes && !profile->stack_passes[row->stack])
        return false;
    if (filter->include && !file_fits(filter->include, site->file))
        return false;
    if (filter->exclude && file_fits(filter->exclude, site->file))
        return false;
    if (filter->types && !guest_pattern_fits(filter->types, type ? type : "(untyped)", false))
        return false;
    if (filter->functions &&
        !guest_pattern_fits(filter->functions, site->function ? site->function : "(main)", false))
        return false;
    return !filter->languages ||
           guest_pattern_fits(filter->languages, profile->heaps[row->heap].language, true);
}

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
    struct guest_site one = guest_profile_place(grouping->profile, row->site),
                      other = guest_profile_place(grouping->profile, site);
    const struct guest_site *a = &one, *b = &other;
    switch (grouping->by) {
    case GUEST_BY_LINE:
        return a->file == b->file && a->line == b->line && row->type == type;
    case GUEST_BY_FUNCTION:
        return a->file == b->file && a->function == b->function;
    default:
        return row->type == type;
    }
}

static uint64_t group_key(const struct grouping *grouping, uint32_t site, uint32_t type)
{
    struct guest_site place = guest_profile_place(grouping->profile, site), *it = &place;
    uint64_t file = (uint64_t)(uintptr_t)it->file;
    switch (grouping->by) {
    case GUEST_BY_LINE:
        return file * 31 + ((uint64_t)it->line << 20) + type;
    case GUEST_BY_FUNCTION:
        return file * 31 + (uint64_t)(uintptr_t)it->function;
    default:
        return type;
    }
}

/* The row of a place and type; NULL without memory.  The table has room for one more. */
static struct guest_table_row *group_of(struct grouping *grouping, uint32_t site, uint32_t type)
{
    struct guest_table *table = grouping->table;
    uint64_t key = group_key(grouping, site, type);
    for (;; key = key * 0x9E3779B97F4A7C15u + 1) {
        bool fresh;
        uint32_t *found = map_put(&grouping->by_key, key, (uint32_t)table->count, &fresh);
        if (!found)
            return NULL;
        if (fresh)
            table->rows[table->count++] = (struct guest_table_row){.site = site, .type = type};
        if (same_group(grouping, &table->rows[*found], site, type))
            return &table->rows[*found];
    }
}

/* Adds a row's tally to the total of each function on its stack, once. */
static bool add_totals(struct grouping *grouping, const struct guest_profile_row *row,
                       struct guest_table_row **seen)
{
    const struct guest_profile *profile = grouping->profile;
    size_t count = 0;
    for (uint32_t node = row->node; node; node = guest_profile_caller(profile, node)) {
        struct guest_table_row *group =
            group_of(grouping, guest_profile_site_at(profile, node), row->type);
        size_t i = 0;
        if (!group)
            return false;
        while (i < count && seen[i] != group)
            i++;
        if (i < count)
            continue;
        seen[count++] = group;
        guest_tally_add(&group->total, &row->tally);
    }
    return true;
}

/* A row that the filter leaves out.  What is hidden is counted in the rows that would be shown. */
static bool add_hidden(struct grouping *hidden, struct guest_accounting *accounting,
                       const struct guest_profile_row *row)
{
    accounting->hidden += row->tally.allocated;
    accounting->hidden_bytes += row->tally.bytes;
    return group_of(hidden, guest_profile_site_at(hidden->profile, row->node), row->type) != NULL;
}

static bool make_groups(struct grouping *grouping, struct grouping *hidden,
                        const struct guest_filter *filter)
{
    const struct guest_profile *profile = grouping->profile;
    bool totals = grouping->by == GUEST_BY_FUNCTION, made = true;
    size_t most = totals ? profile->model->frame_count : profile->row_count;
    struct guest_table_row **seen = totals ? calloc(most + 1, sizeof(void *)) : NULL;
    struct guest_accounting *accounting = &grouping->table->accounting;
    grouping->table->rows = calloc(most + 1, sizeof *grouping->table->rows);
    hidden->table->rows = calloc(profile->row_count + 1, sizeof *hidden->table->rows);
    made = grouping->table->rows && hidden->table->rows && (!totals || seen);
    for (size_t i = 0; made && i < profile->row_count; i++) {
        const struct guest_profile_row *row = &profile->rows[i];
        guest_tally_add(&grouping->table->sum, &row->tally);
        if (!guest_filter_passes(filter, profile, row)) {
            made = add_hidden(hidden, accounting, row);
            continue;
        }
        struct guest_table_row *group =
            group_of(grouping, guest_profile_site_at(profile, row->node), row->type);
        made = group && (!totals || add_totals(grouping, row, seen));
        if (made)
            guest_tally_add(&group->self, &row->tally);
    }
    accounting->hidden_rows = hidden->table->count;
    free(seen);
    return made;
}

/* ---- What is shown ---------------------------------------------------------------- */

static const struct guest_profile *sorted_profile; /* qsort has no context */
static enum guest_order sorted_order;

static double weight_in_order(const struct guest_tally *tally)
{
    switch (sorted_order) {
    case GUEST_COUNT_FIRST:
        return tally->allocated;
    case GUEST_LIVE_FIRST:
        return tally->live_bytes;
    case GUEST_PEAK_FIRST:
        return tally->peak_bytes;
    default:
        return tally->bytes;
    }
}

static int compare_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_rows(const void *a, const void *b)
{
    const struct guest_table_row *x = a, *y = b;
    struct guest_site place = guest_profile_place(sorted_profile, x->site),
                      other = guest_profile_place(sorted_profile, y->site), *p = &place,
                      *q = &other;
    double first = weight_in_order(&x->self), second = weight_in_order(&y->self);
    if (first != second)
        return first < second ? 1 : -1;
    if (x->self.bytes != y->self.bytes)
        return x->self.bytes < y->self.bytes ? 1 : -1;
    if (x->self.allocated != y->self.allocated)
        return x->self.allocated < y->self.allocated ? 1 : -1;
    if (x->total.bytes != y->total.bytes)
        return x->total.bytes < y->total.bytes ? 1 : -1;
    int order = compare_text(p->file, q->file);
    if (!order)
        order = (p->line > q->line) - (p->line < q->line);
    if (!order)
        order = compare_text(p->function, q->function);
    if (!order)
        order = compare_text(guest_profile_type_name(sorted_profile, x->type),
                             guest_profile_type_name(sorted_profile, y->type));
    return order;
}

static void hide(struct guest_accounting *accounting, const struct guest_table_row *row)
{
    accounting->hidden += row->self.allocated;
    accounting->hidden_bytes += row->self.bytes;
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
    *blocks += row->self.allocated;
    *bytes += row->self.bytes;
}

/* Sorts the rows, and keeps those that are large enough. */
static void keep_largest(struct guest_table *table, const struct guest_profile *profile,
                         enum guest_grouping by, const struct guest_filter *filter)
{
    size_t kept = 0;
    sorted_profile = profile;
    sorted_order = filter->order;
    qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    for (size_t i = 0; i < table->count; i++) {
        const struct guest_table_row *row = &table->rows[i];
        if (row->self.bytes < filter->min_bytes || row->self.allocated < filter->min_count ||
            (filter->top && kept >= filter->top)) {
            hide(&table->accounting, row);
            continue;
        }
        account(&table->accounting, profile, row, by);
        table->rows[kept++] = *row;
    }
    table->count = kept;
}

bool guest_table_make(struct guest_table *table, const struct guest_profile *profile,
                      enum guest_grouping grouping, const struct guest_filter *filter)
{
    struct guest_table hidden_table = {0};
    struct grouping it = {.profile = profile, .by = grouping, .table = table};
    struct grouping hidden = {.profile = profile, .by = grouping, .table = &hidden_table};
    *table = (struct guest_table){0};
    bool made = make_groups(&it, &hidden, filter);
    map_release(&it.by_key);
    map_release(&hidden.by_key);
    guest_table_release(&hidden_table);
    for (size_t i = 0; i < profile->heap_count; i++)
        table->accounting.recorded += profile->heaps[i].allocated;
    if (made)
        keep_largest(table, profile, grouping, filter);
    else
        guest_table_release(table);
    return made;
}

void guest_table_release(struct guest_table *table)
{
    free(table->rows);
    *table = (struct guest_table){0};
}
