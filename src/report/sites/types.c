#include "report/sites/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/head.h"

enum { ROWS_SHOWN = 20, SIZE_CLASSES = 65, NAME_BYTES = 64 };

/* The blocks of a type, or of a class of sizes. */
struct kind {
    const char *name; /* of the type; NULL for a class of sizes */
    uint64_t at_most; /* bytes: the class has blocks larger than half of it */
    struct stack_tally allocated, live;
    double dead_objects, lifetime_sum_us; /* of blocks that died; times objects */
};

struct kinds {
    const struct report *report;
    const struct estimate *estimate;
    struct kind *items; /* heaviest first */
    size_t count;
    struct kind whole;
};

/* ---- Columns ------------------------------------------------------------------------- */

enum { OF_TYPES = 1, OF_SIZES = 2, IS_SAMPLED = 4 };

#define GETTER(function, expression)                                                               \
    ANSWER_GET(function, const struct kind *kind = row, const struct kinds *kinds = context,       \
               expression)

static struct answer_value ratio(double part, double whole)
{
    return whole > 0 ? answer_number(part / whole) : answer_nothing();
}

static double bytes(const struct stack_tally *tally, const struct kinds *kinds)
{
    return stack_tally_bytes(tally, kinds->estimate);
}

static double objects(const struct stack_tally *tally, const struct kinds *kinds)
{
    return stack_tally_objects(tally, kinds->estimate);
}

GETTER(get_bytes, answer_number(bytes(&kind->allocated, kinds)))
GETTER(get_objects, answer_number(objects(&kind->allocated, kinds)))
GETTER(get_share, ratio(bytes(&kind->allocated, kinds), bytes(&kinds->whole.allocated, kinds)))
GETTER(get_mean, ratio(bytes(&kind->allocated, kinds), objects(&kind->allocated, kinds)))
GETTER(get_live_bytes, answer_number(bytes(&kind->live, kinds)))
GETTER(get_live_objects, answer_number(objects(&kind->live, kinds)))
GETTER(get_live_share, ratio(bytes(&kind->live, kinds), bytes(&kinds->whole.live, kinds)))
GETTER(get_kept, ratio(bytes(&kind->live, kinds), bytes(&kind->allocated, kinds)))
GETTER(get_lifetime, ratio(kind->lifetime_sum_us, kind->dead_objects))

static struct answer_value get_class(const void *row, const void *context)
{
    char text[NAME_BYTES], most[UNITS_TEXT_BYTES];
    snprintf(text, sizeof text, "up to %s",
             units_bytes(most, (double)((const struct kind *)row)->at_most));
    return answer_made(strdup(text));
}

#define OF_KIND(member) ANSWER_FIELD(struct kind, member)

static const struct answer_column columns[] = {
    {"type", "TYPE", ANSWER_NAME, OF_KIND(name), "the type of a guest language", OF_TYPES},
    {"at_most_bytes", NULL, ANSWER_BYTES, OF_KIND(at_most),
     "the largest size of the class, which begins above half of it", OF_SIZES},
    {NULL, "SIZE", ANSWER_NAME, get_class, NULL, OF_SIZES},
    {"bytes", "BYTES", ANSWER_BYTES, get_bytes, "allocated"},
    {"share", "SHARE", ANSWER_SHARE, get_share, "part of all that was allocated"},
    {"objects", "OBJECTS", ANSWER_COUNT, get_objects, "blocks allocated"},
    {"mean_bytes", "MEAN", ANSWER_BYTES, get_mean, "mean size of a block", .flags = ANSWER_WIDE},
    {"live_bytes", "LIVE", ANSWER_BYTES, get_live_bytes, "alive at the end"},
    {"live_objects", NULL, ANSWER_COUNT, get_live_objects, "blocks alive at the end"},
    {"live_share", NULL, ANSWER_SHARE, get_live_share, "part of all that is alive at the end"},
    {"kept", "KEPT", ANSWER_SHARE, get_kept, "part of the bytes that is alive at the end",
     .flags = ANSWER_COARSE},
    {"mean_lifetime_us", "LIFETIME", ANSWER_TIME, get_lifetime, "mean lifetime of blocks that died",
     .flags = ANSWER_WIDE},
    {"samples", NULL, ANSWER_WHOLE, OF_KIND(allocated.samples), "samples that the figures rest on",
     IS_SAMPLED},
};

static const struct answer_table kinds_table =
    ANSWER_TABLE(ANSWER_ROWS, "types", ANSWER_IN_ALL, columns,
                 "a type; where the trace has none, a class of sizes");

const struct answer_table *const types_tables[] = {&kinds_table, NULL};

/* ---- Counting ------------------------------------------------------------------------ */

/* Which of the kinds a block is of: its type's, the last for none; or its size's. */
static size_t kind_of(const struct model *model, const struct model_object *object)
{
    if (model->type_count > 0) {
        uint32_t type = model_stack_type(model, object->stack);
        return type == MODEL_NONE ? model->type_count : type;
    }
    uint64_t size = (uint64_t)model_shape_bytes(model, object->shape);
    return size <= 1 ? 0 : 64 - (size_t)__builtin_clzll(size - 1);
}

static void add_row(struct kind *kind, const struct matcher *matcher, size_t row,
                    const struct matcher_life *life)
{
    const struct estimate *estimate = &matcher->model->estimate;
    struct stack_tally tally = {0};
    selection_add_row(&tally, matcher->model, row, life);
    stack_tally_sum(&kind->allocated, &tally);
    if (life->is_left) {
        stack_tally_sum(&kind->live, &tally);
        return;
    }
    kind->dead_objects += stack_tally_objects(&tally, estimate);
    kind->lifetime_sum_us += stack_tally_objects(&tally, estimate) *
                             matcher_lived_us(matcher, row, life) / (double)tally.events;
}

static void count_blocks(struct kinds *kinds)
{
    const struct model *model = kinds->report->input.model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        struct model_object object = model_object(model, row);
        if (!matcher_object(&kinds->report->matcher, row, &life))
            continue;
        add_row(&kinds->items[kind_of(model, &object)], &kinds->report->matcher, row, &life);
        add_row(&kinds->whole, &kinds->report->matcher, row, &life);
    }
}

static int compare(const void *left, const void *right)
{
    const struct kind *a = left, *b = right;
    if (a->allocated.samples != b->allocated.samples)
        return a->allocated.samples < b->allocated.samples ? 1 : -1;
    return (a->at_most > b->at_most) - (a->at_most < b->at_most);
}

static bool init(struct kinds *kinds, const struct report *report)
{
    const struct model *model = report->input.model;
    bool has_types = model->type_count > 0;
    kinds->count = has_types ? model->type_count + 1 : SIZE_CLASSES;
    kinds->items = calloc(kinds->count, sizeof *kinds->items);
    if (!kinds->items)
        return false;
    for (size_t i = 0; i < kinds->count; i++) {
        kinds->items[i].name = !has_types              ? NULL
                               : i < model->type_count ? model->types[i]
                                                       : "(none)";
        kinds->items[i].at_most = has_types ? i : i < 64 ? UINT64_C(1) << i : UINT64_MAX;
    }
    count_blocks(kinds);
    qsort(kinds->items, kinds->count, sizeof *kinds->items, compare);
    while (kinds->count > 0 && kinds->items[kinds->count - 1].allocated.events == 0)
        kinds->count--;
    return true;
}

/* ---- The answer ---------------------------------------------------------------------- */

static void say(struct answer *answer, const struct kinds *kinds, size_t shown)
{
    char size[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES], live[UNITS_TEXT_BYTES];
    struct estimate_range bounds =
        stack_tally_bytes_range(&kinds->whole.allocated, kinds->estimate);
    answer_say(answer, "%s: %s%s allocated, %s of it alive at the end",
               plain(kinds->report->input.name),
               units_bytes(size, bytes(&kinds->whole.allocated, kinds)),
               range_text(range, &bounds, units_bytes),
               units_bytes(live, bytes(&kinds->whole.live, kinds)));
    report_say_filter(answer, kinds->report);
    if (kinds->count > 0)
        answer_say(answer, "%zu of %zu %s", shown, kinds->count,
                   kinds->items[0].name ? "types" : "classes of sizes");
}

enum report_outcome types_put(struct answer *answer, const struct report *report)
{
    struct kinds kinds = {.report = report, .estimate = &report->input.model->estimate};
    if (!init(&kinds, report))
        return REPORT_UNFINISHED;
    size_t shown = question_rows(report->options, ROWS_SHOWN, kinds.count);
    struct answer_section section = {
        .table = &kinds_table,
        .context = &kinds,
        .has = (report->input.model->type_count > 0 ? OF_TYPES : OF_SIZES) |
               (kinds.estimate->sample_rate < 1 ? IS_SAMPLED : 0),
    };
    say(answer, &kinds, shown);
    report_head(answer, report);
    ANSWER_ITEMS(answer, &section, kinds.items, shown);
    free(kinds.items);
    return REPORT_SAID;
}
