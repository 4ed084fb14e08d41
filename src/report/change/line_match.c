#include "report/change/line_match.h"

#include <math.h>
#include <stdlib.h>

static const double alike_part = 0.01, alike_most = 0.2; /* of the larger figure */
static const double sigmas = 3;                          /* of an estimate */
enum { COMPARED_MOST = 500 };                            /* lines of a function, each with each */

static bool are_alike(const struct match_line *a, const struct match_line *b)
{
    double larger = fmax(fabs(a->figure), fabs(b->figure));
    double variance = (a->samples > 0 ? 1 / a->samples : 0) + (b->samples > 0 ? 1 / b->samples : 0);
    double part = fmin(fmax(alike_part, sigmas * sqrt(variance)), alike_most);
    return a->figure != 0 && b->figure != 0 && fabs(a->figure - b->figure) <= part * larger;
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

/* Pairs what has one number; how many of these are alike. */
static size_t pair_numbers(struct match_lines *base, struct match_lines *newer)
{
    size_t alike = 0;
    for (size_t i = 0, k = 0; i < base->count && k < newer->count;) {
        int64_t shift = shift_of(&base->items[i], &newer->items[k]);
        if (shift == 0) {
            alike += are_alike(&base->items[i], &newer->items[k]);
            pair(base, i, newer, k);
        }
        i += shift >= 0;
        k += shift <= 0;
    }
    return alike;
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
            if (are_alike(&base->items[i], &newer->items[k]) &&
                !are_alike(&base->items[k], &newer->items[k]))
                return true;
    return false;
}

/* ---- By figures ----------------------------------------------------------------------------- */

enum {
    ANCHOR_SCORE = 1024
}; /* any number of anchors that have not moved is worth less than one more anchor */

/* best[i][k]: what the anchors among the base's lines from i and the newer ones from k are worth. */
static void count_anchors(uint32_t *best, const struct match_lines *base,
                          const struct match_lines *newer)
{
    size_t width = newer->count + 1;
    for (size_t i = base->count; i-- > 0;)
        for (size_t k = newer->count; k-- > 0;) {
            const struct match_line *a = &base->items[i], *b = &newer->items[k];
            uint32_t below = best[(i + 1) * width + k], right = best[i * width + k + 1];
            uint32_t both = best[(i + 1) * width + k + 1] + ANCHOR_SCORE + (a->number == b->number);
            uint32_t most = below > right ? below : right;
            best[i * width + k] = are_alike(a, b) && both > most ? both : most;
        }
}

/* How many there are. */
static size_t pair_anchors(const uint32_t *best, struct match_lines *base,
                           struct match_lines *newer)
{
    size_t width = newer->count + 1, found = 0;
    for (size_t i = 0, k = 0; i < base->count && k < newer->count;) {
        uint32_t here = best[i * width + k], below = best[(i + 1) * width + k],
                 right = best[i * width + k + 1];
        if (here > below && here > right) {
            pair(base, i++, newer, k++);
            found++;
        } else if (here == below) {
            i++;
        } else {
            k++;
        }
    }
    return found;
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

/* Of exact figures: pairs what is left and alike, wherever it stands, where nothing else is; how many of these. */
static size_t pair_crosswise(struct match_lines *base, struct match_lines *newer)
{
    size_t found = 0;
    for (size_t i = 0; i < base->count; i++) {
        size_t twin = only_alike(&base->items[i], newer);
        if (twin == MATCH_NONE || only_alike(&newer->items[twin], base) != i)
            continue;
        pair(base, i, newer, twin);
        found++;
    }
    return found;
}

/* Where most are alike, and more than by their numbers; false without memory, true where they are not. */
static bool match_figures(struct match_lines *base, struct match_lines *newer)
{
    size_t fewer = base->count < newer->count ? base->count : newer->count;
    if (base->count > COMPARED_MOST || newer->count > COMPARED_MOST) {
        pair_numbers(base, newer);
        return true;
    }
    uint32_t *best = calloc((base->count + 1) * (newer->count + 1), sizeof *best);
    if (!best)
        return false;
    size_t by_number = pair_numbers(base, newer);
    part_all(base);
    part_all(newer);
    count_anchors(best, base, newer);
    size_t anchors = pair_anchors(best, base, newer);
    anchors += pair_crosswise(base, newer);
    free(best);
    if (2 * anchors > fewer && anchors > by_number) {
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
