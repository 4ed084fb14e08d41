/* A root is the same in both if it has the same name, of the same kind, in a file that is the same by report/source_twins.h: its line may differ.  The stack of
 * a thread goes by the thread's name alone, for its number is another in each run. */
#include "report/holders/root_changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/array.h"
#include "base/map.h"
#include "profile/estimate.h"
#include "profile/holders.h"
#include "report/holders/holders_parts.h"
#include "report/source_twins.h"

enum { BEFORE, AFTER, SIDES };

struct root_change {
    const struct holders_root *root; /* first: ROOT_COLUMNS; of the later side that has it */
    const char *file;                /* of the earlier side, where that has it */
    double bytes[SIDES], retained[SIDES];
    uint64_t blocks[SIDES], samples[SIDES];
};

struct root_changes {
    const struct model *models[SIDES];
    struct source_twins files[SIDES];
    struct root_change *items;
    size_t count, capacity;
    struct map by_hash; /* numbers of the first root of each */
    double total;       /* of what is alive, on the side that has more */
};

/* ---- Roots of both sides ------------------------------------------------------------- */

static const struct holders_snapshot *last_snapshot(const struct model *model)
{
    const struct model_holders *holders = model->holders;
    return holders && holders->count > 0 ? &holders->snapshots[holders->count - 1] : NULL;
}

enum { NAME_BYTES = 256 };

/* Without a thread's number. */
static const char *name_of(char text[NAME_BYTES], const struct holders_root *root)
{
    const char *name = holders_root_name(root), *number = strrchr(name, ',');
    bool is_of_thread =
        root->kind == HOLDERS_STACK || (root->kind == HOLDERS_LOCAL && !*root->module);
    if (!is_of_thread || !number)
        return name;
    snprintf(text, NAME_BYTES, "%.*s", (int)(number - name), name);
    return text;
}

static bool is_same(const struct root_change *change, const struct holders_root *root,
                    const char *file)
{
    char one[NAME_BYTES], other[NAME_BYTES];
    return change->root->kind == root->kind && strcmp(change->file, file) == 0 &&
           strcmp(name_of(one, change->root), name_of(other, root)) == 0;
}

static uint64_t hash_of(const struct holders_root *root, const char *file)
{
    char text[NAME_BYTES];
    const char *name = name_of(text, root);
    return XXH3_64bits_withSeed(name, strlen(name),
                                XXH3_64bits_withSeed(file, strlen(file), (uint64_t)root->kind));
}

/* What the earlier side calls its file. */
static const char *file_of(struct root_changes *changes, const struct holders_root *root, int side)
{
    char text[NAME_BYTES];
    return side == BEFORE ? root->file
                          : source_twins_of(&changes->files[BEFORE], &changes->files[AFTER],
                                            name_of(text, root), root->file);
}

/* NULL when there is no memory. */
static struct root_change *find(struct root_changes *changes, const struct holders_root *root,
                                int side)
{
    bool fresh;
    const char *file = file_of(changes, root, side);
    uint32_t *number =
        map_put(&changes->by_hash, hash_of(root, file), (uint32_t)changes->count, &fresh);
    if (!number)
        return NULL;
    if (!fresh && is_same(&changes->items[*number], root, file))
        return &changes->items[*number];
    if (!ARRAY_RESERVE(&changes->items, &changes->capacity, changes->count + 1))
        return NULL;
    changes->items[changes->count] = (struct root_change){.root = root, .file = file};
    return &changes->items[changes->count++];
}

static bool add_files(struct root_changes *changes, int side)
{
    const struct holders_snapshot *snapshot = last_snapshot(changes->models[side]);
    char text[NAME_BYTES];
    bool done = true;
    for (size_t i = 0; done && i < snapshot->root_count; i++) {
        const struct holders_root *root = &snapshot->roots[i];
        done = !*root->file ||
               source_twins_add(&changes->files[side], name_of(text, root), root->file);
    }
    return done;
}

static bool add_side(struct root_changes *changes, int side)
{
    const struct holders_snapshot *snapshot = last_snapshot(changes->models[side]);
    size_t *of = calloc(snapshot->root_count + 1, sizeof *of);
    double total = 0;
    bool done = of && add_files(changes, side);
    for (size_t i = 0; done && i < snapshot->root_count; i++) {
        struct root_change *change = find(changes, &snapshot->roots[i], side);
        done = change != NULL;
        of[i] = done ? (size_t)(change - changes->items) : 0;
        if (done)
            change->root = &snapshot->roots[i];
    }
    for (size_t i = 0; done && i < snapshot->paths.count; i++) {
        const struct holders_way *way = &snapshot->paths.items[i];
        struct root_change *change = &changes->items[of[way->root]];
        change->bytes[side] += (double)way->bytes;
        change->blocks[side] += way->blocks;
        change->samples[side] += way->samples;
        total += (double)way->bytes;
    }
    for (size_t i = 0; done && i < snapshot->dominated.count; i++) {
        const struct holders_way *way = &snapshot->dominated.items[i];
        changes->items[of[way->root]].retained[side] += (double)way->bytes;
    }
    changes->total = fmax(changes->total, total);
    free(of);
    return done;
}

/* ---- Which of them ------------------------------------------------------------------- */

static double change_of(const struct root_change *change)
{
    return change->bytes[AFTER] - change->bytes[BEFORE];
}

static struct estimate_range range_of(const struct root_changes *changes,
                                      const struct root_change *change, int side)
{
    const struct estimate *estimate = &changes->models[side]->estimate;
    struct estimate_sum sum = estimate_bytes_sum(estimate, (double)change->samples[side]);
    return estimate->sample_rate < 1
               ? estimate_range(&sum, estimate->sample_rate)
               : (struct estimate_range){change->bytes[side], change->bytes[side], false};
}

/* Bounds that lie apart are a change beyond chance. */
static bool is_told(const struct root_changes *changes, const struct root_change *change,
                    double least)
{
    struct estimate_range before = range_of(changes, change, BEFORE),
                          after = range_of(changes, change, AFTER);
    return change->root->kind != HOLDERS_SEVERAL && change_of(change) != 0 &&
           fabs(change_of(change)) >= least && (after.low > before.high || after.high < before.low);
}

static int by_change(const void *left, const void *right)
{
    double a = fabs(change_of(left)), b = fabs(change_of(right));
    const struct root_change *one = left, *other = right;
    return a != b ? (a < b) - (a > b) : (one->root > other->root) - (one->root < other->root);
}

/* ---- The table ----------------------------------------------------------------------- */

#define OF_CHANGE(member) ANSWER_FIELD(struct root_change, member)

static struct answer_value get_name(const void *row, const void *context)
{
    const struct holders_root *root = ((const struct root_change *)row)->root;
    char text[NAME_BYTES];
    const char *name = name_of(text, root);
    return *name ? answer_made(strdup(name)) : answer_text(root->kind_name);
}

ANSWER_GET(get_change, const struct root_change *of = row, const void *all = context,
           answer_number(change_of(of)))

static const struct answer_column columns[] = {
    {"name", "ROOT", ANSWER_NAME, get_name,
     "the variable, the thread, the mapping; lost: what nothing holds"},
    ROOT_COLUMNS,
    {"before", "BEFORE", ANSWER_BYTES, OF_CHANGE(bytes[BEFORE]),
     "bytes of the blocks to which the shortest way was from here"},
    {"after", "AFTER", ANSWER_BYTES, OF_CHANGE(bytes[AFTER]), "the same now"},
    {"change", "CHANGE", ANSWER_CHANGE, get_change, "after less before"},
    {"before_blocks", NULL, ANSWER_COUNT, OF_CHANGE(blocks[BEFORE]),
     "how many blocks those of before are"},
    {"after_blocks", NULL, ANSWER_COUNT, OF_CHANGE(blocks[AFTER]), "the same now"},
    {"before_retained", NULL, ANSWER_BYTES, OF_CHANGE(retained[BEFORE]),
     "bytes that were held through this root alone"},
    {"after_retained", NULL, ANSWER_BYTES, OF_CHANGE(retained[AFTER]), "the same now"},
};
const struct answer_table root_changes_table = ANSWER_TABLE(
    ANSWER_ROWS, "roots", ANSWER_IN_TEXT | ANSWER_IN_JSON, columns,
    "a root that holds more or less than before, where both were recorded with --holders");

static void put(struct answer *answer, struct root_changes *changes, double least, size_t most)
{
    struct answer_section section = {.table = &root_changes_table, .unit = "bytes"};
    size_t told = 0, shown = 0;
    qsort(changes->items, changes->count, sizeof *changes->items, by_change);
    for (size_t i = 0; i < changes->count; i++)
        told += is_told(changes, &changes->items[i], least);
    shown = told < most ? told : most;
    answer_say(answer, "%s", "");
    if (told == 0)
        answer_say(answer, "No root holds more or less.");
    else
        answer_say(answer, "%zu of %zu roots that hold more or less", shown, told);
    answer_begin(answer, &section);
    for (size_t i = 0; i < changes->count && shown > 0; i++)
        if (is_told(changes, &changes->items[i], least)) {
            answer_row(answer, &changes->items[i]);
            shown--;
        }
    answer_end(answer);
}

bool root_changes_put(struct answer *answer, const struct model *before, const struct model *after,
                      double smallest, size_t most)
{
    struct root_changes changes = {.models = {before, after}};
    if (!last_snapshot(before) || !last_snapshot(after))
        return true;
    bool done = add_side(&changes, BEFORE) && add_side(&changes, AFTER);
    if (done)
        put(answer, &changes, smallest * changes.total, most);
    for (int i = 0; i < SIDES; i++)
        source_twins_release(&changes.files[i]);
    free(changes.items);
    map_release(&changes.by_hash);
    return done;
}
