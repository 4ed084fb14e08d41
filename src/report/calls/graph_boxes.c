/* Which boxes of a node are drawn. */
#include "report/calls/graph_labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/measure.h"

static int compare_boxes(const void *left, const void *right, void *context)
{
    const struct label_box *a = left, *b = right;
    bool by_flat = *(const bool *)context;
    if (!by_flat && a->cum != b->cum)
        return fabs(a->cum) > fabs(b->cum) ? -1 : 1;
    if (a->flat != b->flat)
        return fabs(a->flat) > fabs(b->flat) ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_boxes(struct label_box *boxes, size_t count, bool by_flat)
{
    if (count > 1)
        qsort_r(boxes, count, sizeof *boxes, compare_boxes, &by_flat);
}

/* Those that are wanted, sorted; the caller's to free. */
static struct label_box *pick(const struct label_box *boxes, size_t *count, const char *group,
                              bool by_flat)
{
    struct label_box *picked = malloc((*count + 1) * sizeof *picked);
    size_t used = 0;
    for (size_t i = 0; picked && i < *count; i++)
        if (group ? boxes[i].is_number && strcmp(boxes[i].group, group) == 0 : !boxes[i].is_number)
            picked[used++] = boxes[i];
    *count = picked ? used : 0;
    if (picked)
        sort_boxes(picked, used, by_flat);
    return picked;
}

size_t graph_labels_groups(const struct label_box *boxes, size_t count, bool by_flat,
                           struct label_box drawn[GRAPH_BOXES_MAX])
{
    struct label_box *picked = pick(boxes, &count, NULL, by_flat);
    count = count < GRAPH_BOXES_MAX ? count : GRAPH_BOXES_MAX;
    for (size_t i = 0; i < count; i++)
        drawn[i] = picked[i];
    free(picked);
    return count;
}

static double distance(const struct label_box *a, const struct label_box *b)
{
    const char *unit;
    return fabs(measure_scale(a->value, a->unit, b->unit, &unit) - b->value);
}

/* Which of the first boxes a later one is nearest to. */
static size_t nearest(const struct label_box *box, const struct label_box *firsts)
{
    size_t best = 0;
    for (size_t i = 1; i < GRAPH_BOXES_MAX; i++)
        if (distance(box, &firsts[i]) < distance(box, &firsts[best]))
            best = i;
    return best;
}

/* A box while others are put into it: the smallest and the largest number in it. */
struct range {
    const struct label_box *low, *high;
};

static void widen(struct range *range, const struct label_box *box)
{
    const char *unit;
    if (trunc(measure_scale(box->value, box->unit, range->low->unit, &unit)) < range->low->value)
        range->low = box;
    if (trunc(measure_scale(box->value, box->unit, range->high->unit, &unit)) > range->high->value)
        range->high = box;
}

static const char *range_name(const struct range *range, struct names *names)
{
    char low[MEASURE_TEXT_BYTES], high[MEASURE_TEXT_BYTES], both[2 * MEASURE_TEXT_BYTES + 2];
    measure_text(low, range->low->value, range->low->unit, "auto");
    measure_text(high, range->high->value, range->high->unit, "auto");
    int size = range->low == range->high ? snprintf(both, sizeof both, "%s", low)
                                         : snprintf(both, sizeof both, "%s..%s", low, high);
    return names_intern(names, both, (size_t)size);
}

size_t graph_labels_collapse(const struct label_box *boxes, size_t count, const char *group,
                             bool by_flat, struct names *names,
                             struct label_box drawn[GRAPH_BOXES_MAX])
{
    struct range ranges[GRAPH_BOXES_MAX];
    struct label_box *picked = pick(boxes, &count, group, by_flat);
    size_t used = count < GRAPH_BOXES_MAX ? count : GRAPH_BOXES_MAX;
    for (size_t i = 0; i < used; i++) {
        drawn[i] = picked[i];
        ranges[i] = (struct range){&picked[i], &picked[i]};
    }
    for (size_t i = used; i < count; i++) {
        size_t into = nearest(&picked[i], picked);
        drawn[into].flat += picked[i].flat;
        drawn[into].cum += picked[i].cum;
        widen(&ranges[into], &picked[i]);
    }
    for (size_t i = 0; i < used && count > GRAPH_BOXES_MAX; i++)
        if (!(drawn[i].name = range_name(&ranges[i], names)))
            used = 0;
    sort_boxes(drawn, used, by_flat);
    free(picked);
    return used;
}
