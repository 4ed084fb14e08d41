#include "report/change/line_match.h"

#include <math.h>
#include <stdlib.h>

static const double alike_part = 0.01, alike_most = 0.5; /* of the larger figure */
static const double sigmas = 3;                          /* of an estimate */
static const double well_known = 100; /* samples, of a figure that says something alone */
static const double most = 0.5, nearly_all = 0.8; /* of what a function has: anchored */
enum { COMPARED_MOST = 500 };                     /* lines of a function, each with each */

static bool are_alike(const struct match_line *a, const struct match_line *b)
{
    double larger = fmax(fabs(a->figure), fabs(b->figure));
    double variance = (a->samples > 0 ? 1 / a->samples : 0) + (b->samples > 0 ? 1 / b->samples : 0);
    double part = fmin(fmax(alike_part, sigmas * sqrt(variance)), alike_most);
    return a->figure != 0 && b->figure != 0 && fabs(a->figure - b->figure) <= part * larger;
}

static bool is_well_known(const struct match_line *line)
{
    return line->samples == 0 || line->samples >= well_known;
}

static void pair(struct match_lines *base, size_t i, struct match_lines *newer, size_t k)
{
    base->items[i].twin = k;
    newer->items[k].twin = i;
}

static int64_t shift_of(const struct match_line *base, const struct match_line *newer)
{
    return (int64_t)newer->number - base->number;
}

/* ---- By number and order ------------------------------------------------------------------ */

/* What pairs of lines come to that are alike. */
struct likeness {
    size_t count;
    double base, newer; /* parts of what the function has in each file */
};

/* Pairs what has one number. */
static void pair_numbers(struct match_lines *base, struct match_lines *newer)
{
    for (size_t i = 0, k = 0; i < base->count && k < newer->count;) {
        int64_t shift = shift_of(&base->items[i], &newer->items[k]);
        if (shift == 0)
            pair(base, i, newer, k);
        i += shift >= 0;
        k += shift <= 0;
    }
}

static double sum_of(const struct match_lines *lines)
{
    double sum = 0;
    for (size_t i = 0; i < lines->count; i++)
        sum += fabs(lines->items[i].figure);
    return sum;
}

static struct likeness likeness_of(const struct match_lines *base, const struct match_lines *newer)
{
    struct likeness likeness = {0};
    double base_sum = sum_of(base), newer_sum = sum_of(newer);
    for (size_t i = 0; i < base->count; i++) {
        const struct match_line *line = &base->items[i];
        const struct match_line *twin = line->twin == MATCH_NONE ? NULL : &newer->items[line->twin];
        if (!twin || !are_alike(line, twin))
            continue;
        likeness.count++;
        likeness.base += base_sum > 0 ? fabs(line->figure) / base_sum : 0;
        likeness.newer += newer_sum > 0 ? fabs(twin->figure) / newer_sum : 0;
    }
    return likeness;
}

/* Is each as far from its twin as the one above it or farther, in one direction? */
static bool are_in_step(const struct match_lines *base, const struct match_lines *newer)
{
    if (base->count != newer->count || base->count == 0)
        return false;
    size_t last = base->count - 1;
    int64_t direction = shift_of(&base->items[last], &newer->items[last]) < 0 ? -1 : 1;
    int64_t farthest = 0;
    for (size_t i = 0; i <= last; i++) {
        int64_t distance = direction * shift_of(&base->items[i], &newer->items[i]);
        if (distance < farthest)
            return false;
        farthest = distance;
    }
    return true;
}

/* Of lines in step: has another newer line what a line of the base had, and its own twin no more? */
static bool have_changed_places(const struct match_lines *base, const struct match_lines *newer)
{
    for (size_t i = 0; i < base->count && base->count <= COMPARED_MOST; i++)
        for (size_t k = 0; k < base->count && !are_alike(&base->items[i], &newer->items[i]); k++)
            if (is_well_known(&base->items[i]) && is_well_known(&newer->items[k]) &&
                are_alike(&base->items[i], &newer->items[k]) &&
                !are_alike(&base->items[k], &newer->items[k]))
                return true;
    return false;
}

/* ---- By figures ----------------------------------------------------------------------------- */

/* What a pair of anchors is worth: the more they have the more, and a little more where they have not moved. */
static double worth(const struct match_line *a, const struct match_line *b)
{
    static const double unmoved = 1.001;
    double smaller = fmin(fabs(a->figure), fabs(b->figure));
    return a->number == b->number ? unmoved * smaller : smaller;
}

/* best[i][k]: what the anchors among the base's lines from i and the newer ones from k are worth. */
static void count_anchors(double *best, const struct match_lines *base,
                          const struct match_lines *newer)
{
    size_t width = newer->count + 1;
    for (size_t i = base->count; i-- > 0;)
        for (size_t k = newer->count; k-- > 0;) {
            const struct match_line *a = &base->items[i], *b = &newer->items[k];
            double none = fmax(best[(i + 1) * width + k], best[i * width + k + 1]);
            double both = best[(i + 1) * width + k + 1] + worth(a, b);
            best[i * width + k] = are_alike(a, b) && both > none ? both : none;
        }
}

static void pair_anchors(const double *best, struct match_lines *base, struct match_lines *newer)
{
    size_t width = newer->count + 1;
    for (size_t i = 0, k = 0; i < base->count && k < newer->count;) {
        double here = best[i * width + k], below = best[(i + 1) * width + k],
               right = best[i * width + k + 1];
        if (here > below && here > right)
            pair(base, i++, newer, k++);
        else if (here == below)
            i++;
        else
            k++;
    }
}

/* Of what is left of the others, the only line that is alike; MATCH_NONE where there is none, or several, or one of them is an
 * estimate, which may be alike by chance. */
static size_t only_alike(const struct match_line *line, const struct match_lines *others)
{
    size_t only = MATCH_NONE;
    for (size_t i = 0; line->twin == MATCH_NONE && i < others->count; i++) {
        const struct match_line *other = &others->items[i];
        if (other->twin != MATCH_NONE || !are_alike(line, other))
            continue;
        if (only != MATCH_NONE || line->samples > 0 || other->samples > 0)
            return MATCH_NONE;
        only = i;
    }
    return only;
}

static void part_all(struct match_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        lines->items[i].twin = MATCH_NONE;
}

/* The shift of the nearest anchor in a direction; false where there is none. */
static bool nearest_shift(int64_t *shift, const struct match_lines *base,
                          const struct match_lines *newer, size_t i, int step)
{
    while (i < base->count && base->items[i].twin == MATCH_NONE)
        i += (size_t)step; /* below 0 it is larger than the count */
    if (i >= base->count)
        return false;
    *shift = shift_of(&base->items[i], &newer->items[base->items[i].twin]);
    return true;
}

static struct match_line *line_at(const struct match_lines *lines, int64_t number)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].number == number)
            return &lines->items[i];
    return NULL;
}

/* Pairs what has moved as far as the anchors about it. */
static void pair_between(struct match_lines *base, struct match_lines *newer)
{
    for (size_t i = 0; i < base->count; i++) {
        int64_t above, below;
        bool has_above = nearest_shift(&above, base, newer, i, -1),
             has_below = nearest_shift(&below, base, newer, i, 1);
        if (base->items[i].twin != MATCH_NONE || (has_above && has_below && above != below) ||
            (!has_above && !has_below))
            continue;
        struct match_line *other =
            line_at(newer, base->items[i].number + (has_above ? above : below));
        if (other && other->twin == MATCH_NONE)
            pair(base, i, newer, (size_t)(other - newer->items));
    }
}

/* Of exact figures: pairs what is left and alike, wherever it stands, where nothing else is. */
static void pair_crosswise(struct match_lines *base, struct match_lines *newer)
{
    for (size_t i = 0; i < base->count; i++) {
        size_t twin = only_alike(&base->items[i], newer);
        if (twin != MATCH_NONE && only_alike(&newer->items[twin], base) == i)
            pair(base, i, newer, twin);
    }
}

/* Do most lines, or those that have most, say which are the same, and more of them than by number? */
static bool is_convincing(const struct likeness *anchors, const struct likeness *by_number,
                          size_t fewer)
{
    bool is_more = anchors->count > by_number->count || anchors->base > by_number->base;
    bool has_most = fmin(anchors->base, anchors->newer) > most ||
                    fmax(anchors->base, anchors->newer) > nearly_all;
    return is_more && (2 * anchors->count > fewer || has_most);
}

/* False without memory. */
static bool find_anchors(struct match_lines *base, struct match_lines *newer)
{
    double *best = calloc((base->count + 1) * (newer->count + 1), sizeof *best);
    if (!best)
        return false;
    count_anchors(best, base, newer);
    pair_anchors(best, base, newer);
    pair_crosswise(base, newer);
    free(best);
    return true;
}

/* False without memory. */
static bool match_figures(struct match_lines *base, struct match_lines *newer)
{
    size_t fewer = base->count < newer->count ? base->count : newer->count;
    bool is_small = base->count <= COMPARED_MOST && newer->count <= COMPARED_MOST;
    pair_numbers(base, newer);
    const struct likeness by_number = likeness_of(base, newer);
    part_all(base);
    part_all(newer);
    if (is_small && !find_anchors(base, newer))
        return false;
    const struct likeness anchors = likeness_of(base, newer);
    if (is_convincing(&anchors, &by_number, fewer)) {
        pair_between(base, newer);
        return true;
    }
    part_all(base);
    part_all(newer);
    pair_numbers(base, newer);
    return true;
}

bool line_match(struct match_lines *base, struct match_lines *newer)
{
    part_all(base);
    part_all(newer);
    if (base->count == 0 || newer->count == 0)
        return true;
    if (!are_in_step(base, newer) || have_changed_places(base, newer))
        return match_figures(base, newer);
    for (size_t i = 0; i < base->count; i++)
        pair(base, i, newer, i);
    return true;
}
