#include "profile/lives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void lives_init(struct lives *lives, int64_t end_us)
{
    *lives = (struct lives){.end_us = end_us};
}

void lives_release(struct lives *lives)
{
    map_release(&lives->by_key);
    free(lives->cells);
    free(lives->latest);
    *lives = (struct lives){0};
}

struct lives *lives_new(int64_t end_us)
{
    struct lives *lives = malloc(sizeof *lives);
    if (lives)
        lives_init(lives, end_us);
    return lives;
}

void lives_free(struct lives *lives)
{
    if (lives)
        lives_release(lives);
    free(lives);
}

unsigned lives_place(const struct lives *lives, int64_t time_us)
{
    double whole = (double)lives->end_us + 1, step = whole / LIVES_STEPS;
    double left = whole - (double)time_us;
    if (left >= step)
        return time_us <= 0 ? 0 : (unsigned)fmin((double)time_us / step, LIVES_STEPS - 1);
    double octaves = log2(step / fmax(left, 1));
    return LIVES_STEPS - 1 + (unsigned)fmin(octaves * LIVES_OCTAVE, LIVES_PLACES - LIVES_STEPS);
}

/* Room for an owner; what is new has no cell. */
static bool reserve_owner(struct lives *lives, uint32_t owner)
{
    size_t known = lives->latest_capacity;
    if (owner < known)
        return true;
    if (!ARRAY_RESERVE(&lives->latest, &lives->latest_capacity, (size_t)owner + 1))
        return false;
    memset(lives->latest + known, 0xff, (lives->latest_capacity - known) * sizeof *lives->latest);
    return true;
}

static bool is_of(const struct lives_cell *cell, uint32_t owner, unsigned born, unsigned ended)
{
    return cell->owner == owner && cell->born == born && cell->ended == ended;
}

/* The cell of such blocks, perhaps a new one; NULL when there is no memory. */
static struct lives_cell *cell_of(struct lives *lives, uint32_t owner, unsigned born,
                                  unsigned ended)
{
    if (!reserve_owner(lives, owner))
        return NULL;
    uint32_t *latest = &lives->latest[owner];
    if (*latest != MODEL_NONE && is_of(&lives->cells[*latest], owner, born, ended))
        return &lives->cells[*latest];
    bool fresh;
    uint64_t key = (uint64_t)owner << 16 | born << 8 | ended;
    uint32_t *index = map_put(&lives->by_key, key, (uint32_t)lives->count, &fresh);
    if (!index || !ARRAY_RESERVE(&lives->cells, &lives->capacity, lives->count + 1))
        return NULL;
    if (fresh)
        lives->cells[lives->count++] =
            (struct lives_cell){.owner = owner, .born = (uint8_t)born, .ended = (uint8_t)ended};
    *latest = *index;
    return &lives->cells[*index];
}

unsigned lives_end_place(const struct lives *lives, int64_t ended_us)
{
    return ended_us == MODEL_NEVER ? LIVES_LEFT : lives_place(lives, ended_us);
}

static void count_places(struct lives *lives, unsigned born, unsigned ended, uint64_t blocks)
{
    lives->born[born] += blocks;
    if (ended != LIVES_LEFT)
        lives->ended[ended] += blocks;
}

void lives_count(struct lives *lives, int64_t born_us, int64_t ended_us, uint64_t blocks)
{
    count_places(lives, lives_place(lives, born_us), lives_end_place(lives, ended_us), blocks);
}

bool lives_add(struct lives *lives, uint32_t owner, int64_t born_us, int64_t ended_us,
               uint64_t blocks, double samples, double run_us, uint64_t words)
{
    unsigned born = lives_place(lives, born_us), ended = lives_end_place(lives, ended_us);
    struct lives_cell *cell = cell_of(lives, owner, lives_step(born), ended);
    if (!cell)
        return false;
    cell->blocks += blocks;
    cell->samples += samples;
    cell->run_us += samples * run_us;
    cell->largest = fmax(cell->largest, (double)words);
    count_places(lives, born, ended, blocks);
    return true;
}

bool lives_add_cell(struct lives *lives, uint32_t owner, const struct lives_cell *cell)
{
    struct lives_cell *to = cell_of(lives, owner, cell->born, cell->ended);
    if (!to)
        return false;
    to->blocks += cell->blocks;
    to->samples += cell->samples;
    to->run_us += cell->run_us;
    to->largest = fmax(to->largest, cell->largest);
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct lives_cell *a = left, *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->born != b->born)
        return a->born < b->born ? -1 : 1;
    return (a->ended > b->ended) - (a->ended < b->ended);
}

void lives_sort(struct lives *lives)
{
    if (lives->count > 1)
        qsort(lives->cells, lives->count, sizeof *lives->cells, compare);
}
