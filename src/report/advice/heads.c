#include "report/advice/heads.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/sites/site_place.h"
#include "report/symbol_columns.h"

static const double least_share = 0.1; /* less is no head */

static const struct {
    const char *name, *title, *of;
} kinds[] = {
    [HEAD_LEAK] = {"leak", "Leak", "of what is left"},
    [HEAD_PEAK] = {"peak", "Peak", "of what is alive then"},
    [HEAD_CHURN] = {"churn", "Churn", "of what is allocated and freed"},
};

/* ---- Finding them ---------------------------------------------------------------------- */

static double bytes_of(const struct site *site, enum advice_head_kind kind)
{
    return kind == HEAD_PEAK ? site->peak_bytes : site->bytes - site->live_bytes;
}

static bool says_growth(const struct advice *point)
{
    return point->cause ? point->cause->measure == MEASURE_LIVE : point->rule == ADVICE_GROWING;
}

/* A remedy for blocks that die at once leaves the peak as it is, unless they are steps of what grows. */
static bool lowers_peak(const struct advice *point)
{
    static const double quick_part = 0.5;
    const struct site *site = point->site;
    return says_growth(point) || (point->cause && (point->cause->spares_replaced ||
                                                   site->quick_bytes < quick_part * site->bytes));
}

/* How much the point is about what the head tells; 0 for not at all. */
static int nearness(const struct advice *point, enum advice_head_kind kind)
{
    bool is_peak = !point->cause && point->rule == ADVICE_PEAK, grows = says_growth(point);
    switch (kind) {
    case HEAD_LEAK:
        return grows;
    case HEAD_PEAK:
        return is_peak ? 2 : lowers_peak(point);
    default:
        return !is_peak && !grows;
    }
}

/* Of the points of its place the first that is nearest to what it tells. */
static void find_point(struct advice_head *head, const struct advice *points, size_t count)
{
    int nearest = 0;
    for (size_t i = 0; i < count; i++) {
        int near = points[i].site == head->site ? nearness(&points[i], head->kind) : 0;
        if (near > nearest) {
            head->point = i + 1;
            nearest = near;
        }
    }
}

/* Where a point of the place tells another line to change, as the first of them does. */
static void find_line(struct advice_head *head, const struct advice *points, size_t count)
{
    for (size_t i = count; i > 0; i--)
        if (points[i - 1].site == head->site)
            head->symbol = points[i - 1].symbol;
}

const struct site *advice_leak(const struct fates *fates)
{
    double least = least_share * fates->live_bytes;
    const struct site *site = NULL;
    while ((site = fates_next(fates, site)))
        if (fates_survival(fates, site)->live_bytes >= least && !advice_is_nowhere(site) &&
            !advice_is_import(fates->sites, site))
            break;
    return site;
}

bool advice_is_let_go(const struct fates *fates, const struct site *site)
{
    return fates_is_freed(fates, site) &&
           (fates->sites->model->is_guest || fates_may_load(fates, site));
}

/* What leaks or grows, by its verdict. */
static bool find_accused(struct advice_head *head, const struct fates *fates,
                         const struct advice *points, size_t count)
{
    const struct site *site = advice_leak(fates);
    if (!site)
        return false;
    *head = (struct advice_head){
        .kind = HEAD_LEAK, .site = site, .bytes = fates_survival(fates, site)->live_bytes};
    head->share = head->bytes / fates->live_bytes;
    head->fate = fates_of(fates, site);
    head->is_freed = fates_is_freed(fates, site);
    fates_rate(head->rate, fates, fates_survival(fates, site));
    head->symbol = fates_place(fates, site);
    find_point(head, points, count);
    return true;
}

/* The first cause of growth, by what is left of its place. */
static bool find_leak(struct advice_head *head, const struct advice *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct advice *point = &points[i];
        if (!says_growth(point))
            continue;
        *head = (struct advice_head){.kind = HEAD_LEAK,
                                     .site = point->site,
                                     .symbol = point->symbol,
                                     .fate = FATE_GROWS,
                                     .bytes = point->site->live_bytes,
                                     .point = i + 1};
        return true;
    }
    return false;
}

static bool find_most(struct advice_head *head, enum advice_head_kind kind,
                      const struct sites *sites, const struct advice *points, size_t count)
{
    double whole = bytes_of(&sites->whole, kind);
    *head = (struct advice_head){.kind = kind};
    for (size_t i = 0; i < sites->count; i++)
        if (bytes_of(&sites->items[i], kind) > head->bytes) {
            head->site = &sites->items[i];
            head->bytes = bytes_of(head->site, kind);
        }
    head->share = whole > 0 ? head->bytes / whole : 0;
    if (head->site)
        head->symbol = head->site->symbol;
    find_line(head, points, count);
    if (head->site)
        head->symbol.call =
            site_call(sites, head->site, kind == HEAD_PEAK ? SITE_PEAK : SITE_ALLOCATED);
    find_point(head, points, count);
    return head->site && head->share >= least_share && !advice_is_nowhere(head->site);
}

size_t advice_heads(struct advice_head heads[ADVICE_HEADS], const struct fates *fates,
                    const struct advice *points, size_t count)
{
    const struct sites *sites = fates->sites;
    size_t found = 0;
    found += find_accused(&heads[found], fates, points, count) ||
             find_leak(&heads[found], points, count);
    if (found > 0 && heads[0].share == 0 && sites->whole.live_bytes > 0)
        heads[0].share = heads[0].bytes / sites->whole.live_bytes;
    found += find_most(&heads[found], HEAD_PEAK, sites, points, count);
    found += find_most(&heads[found], HEAD_CHURN, sites, points, count);
    return found;
}

/* ---- Telling them ---------------------------------------------------------------------- */

ANSWER_GET(get_kind, const struct advice_head *head = row, const void *all = context,
           answer_text(kinds[head->kind].name))

#define OF_SYMBOL(name)                                                                            \
    ANSWER_GET(get_##name, const struct advice_head *head = row, const void *all = context,        \
               symbol_column_##name(&head->symbol, all))
OF_SYMBOL(call)
OF_SYMBOL(call_file)
OF_SYMBOL(call_share)

static const struct answer_column columns[] = {
    {"kind", NULL, ANSWER_TEXT, get_kind,
     "leak: what is left and grows; peak; churn: what is allocated and freed"},
    {"function", NULL, ANSWER_TEXT, ANSWER_FIELD(struct advice_head, symbol.function),
     "that has most of it"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD(struct advice_head, symbol.file), "its source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct advice_head, symbol.line), "line of the file",
     .flags = ANSWER_OMIT},
    SYMBOL_CALL_KEYS_OF(get_call, get_call_file, get_call_share),
    {"bytes", NULL, ANSWER_BYTES, ANSWER_FIELD(struct advice_head, bytes), "so much"},
    {"share", NULL, ANSWER_SHARE, ANSWER_FIELD(struct advice_head, share),
     "part of that of all places"},
    {"point", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct advice_head, point),
     "the point of the place that is about this, from 1", .flags = ANSWER_OMIT},
};
const struct answer_table advice_heads_table =
    ANSWER_JSON(ANSWER_ROWS, "heads", columns,
                "the places that leak, make the peak, and churn, of 10 % at least");

void advice_head_say(struct answer *answer, const struct advice_head *head)
{
    const struct symbol *symbol = &head->symbol;
    char bytes[UNITS_TEXT_BYTES], place[SYMBOL_LINE_BYTES], through[SITE_THROUGH_BYTES] = "";
    char point[32] = "";
    bool has_rate = *head->rate;
    if (head->point > 0)
        snprintf(point, sizeof point, ", point %zu", head->point);
    has_rate ? site_through_text(through, symbol, head->site) : symbol_call_text(through, symbol);
    bool grows = head->kind == HEAD_LEAK && head->fate == FATE_GROWS;
    answer_say(answer, "%-6s %s, %.1f %% %s: %s%s%s%s%s%s",
               grows ? "Growth" : kinds[head->kind].title, units_bytes(bytes, head->bytes),
               100 * head->share,
               head->is_freed ? "of what is alive as it ends" : kinds[head->kind].of,
               plain(symbol_name(symbol)),
               symbol_line_text(place, symbol->function ? plain(symbol->file) : NULL, symbol->line),
               plain(through), has_rate ? ", " : "", head->rate, point);
}
