#include "report/advice/heads.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
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

/* The first point that says that the place grows; it is a leak by what is left, or by what is alive at the peak. */
static bool find_leak(struct advice_head *head, const struct advice *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct advice *point = &points[i];
        bool grows =
            point->cause ? point->cause->measure == MEASURE_LIVE : point->rule == ADVICE_GROWING;
        if (!grows)
            continue;
        *head = (struct advice_head){.kind = HEAD_LEAK,
                                     .site = point->site,
                                     .symbol = &point->symbol,
                                     .bytes = point->until_peak ? point->site->peak_bytes
                                                                : point->site->live_bytes,
                                     .share = point->cause ? 0 : point->share,
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
    head->symbol = head->site ? &head->site->symbol : NULL;
    for (size_t i = count; i > 0; i--)
        if (points[i - 1].site == head->site) {
            head->point = i;
            head->symbol = &points[i - 1].symbol;
        }
    return head->site && head->share >= least_share && !advice_is_nowhere(head->site);
}

size_t advice_heads(struct advice_head heads[ADVICE_HEADS], const struct sites *sites,
                    const struct advice *points, size_t count)
{
    size_t found = 0;
    found += find_leak(&heads[found], points, count);
    if (found > 0 && heads[0].share == 0 && sites->whole.live_bytes > 0)
        heads[0].share = heads[0].bytes / sites->whole.live_bytes;
    found += find_most(&heads[found], HEAD_PEAK, sites, points, count);
    found += find_most(&heads[found], HEAD_CHURN, sites, points, count);
    return found;
}

/* ---- Telling them ---------------------------------------------------------------------- */

static struct answer_value get_kind(const void *row, const void *context)
{
    (void)context;
    return answer_text(kinds[((const struct advice_head *)row)->kind].name);
}

static struct answer_value get_point(const void *row, const void *context)
{
    size_t point = ((const struct advice_head *)row)->point;
    (void)context;
    return point > 0 ? answer_number((double)point) : answer_nothing();
}

static struct answer_value get_line(const void *row, const void *context)
{
    (void)context;
    return symbol_value_line(((const struct advice_head *)row)->symbol);
}

static const struct answer_column columns[] = {
    {"kind", NULL, ANSWER_TEXT, get_kind, 0, 0,
     "leak: what is left and grows; peak; churn: what is allocated and freed"},
    {"function", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct advice_head, symbol, function), 0, 0,
     "that has most of it"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct advice_head, symbol, file), 0, 0,
     "its source file"},
    {"line", NULL, ANSWER_WHOLE, get_line, 0, ANSWER_OMIT, "line of the file"},
    {"bytes", NULL, ANSWER_BYTES, ANSWER_FIELD(struct advice_head, bytes), 0, 0, "so much"},
    {"share", NULL, ANSWER_SHARE, ANSWER_FIELD(struct advice_head, share), 0, 0,
     "part of that of all places"},
    {"point", NULL, ANSWER_WHOLE, get_point, 0, ANSWER_OMIT,
     "the first point of the place, from 1"},
};
const struct answer_table advice_heads_table = {
    .key = "heads",
    .forms = ANSWER_IN_JSON,
    ANSWER_COLUMNS(columns),
    .help = "the places that leak, make the peak, and churn, of 10 % at least"};

void advice_head_say(struct answer *answer, const struct advice_head *head)
{
    const struct symbol *symbol = head->symbol;
    char bytes[UNITS_TEXT_BYTES], place[400] = "", point[32] = "";
    if (symbol->function && symbol->file && symbol->line > 0)
        snprintf(place, sizeof place, " (%s:%u)", plain(symbol->file), (unsigned)symbol->line);
    if (head->point > 0)
        snprintf(point, sizeof point, ", point %zu", head->point);
    answer_say(answer, "%-6s %s, %.1f %% %s: %s%s%s", kinds[head->kind].title,
               units_bytes(bytes, head->bytes), 100 * head->share, kinds[head->kind].of,
               plain(symbol_name(symbol)), place, point);
}
