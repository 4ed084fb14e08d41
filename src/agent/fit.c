#include "agent/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/utf8.h"

enum { NESTED_FIRST = 5, ROWS_LEAST = 3, STRING_MOST = 240, ARRAYS_MOST = 32 };

static const size_t FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY;

static int count_bytes(const char *bytes, size_t size, void *sum)
{
    (void)bytes;
    *(size_t *)sum += size;
    return 0;
}

/* How long it is as fit_text writes it. */
static size_t fit_size(const json_t *value)
{
    size_t size = 0;
    json_dump_callback(value, count_bytes, &size, FLAGS);
    return size;
}

char *fit_text(const json_t *value)
{
    return json_dumps(value, FLAGS);
}

/* ---- Texts ------------------------------------------------------------------------------- */

/* At most STRING_MOST bytes, whole characters of UTF-8, and what says that there was more. */
static json_t *shortened(const char *text)
{
    char kept[STRING_MOST + 8];
    size_t size = utf8_cut(text, STRING_MOST);
    memcpy(kept, text, size);
    strcpy(kept + size, "...");
    return json_string(kept);
}

/* What a file says, in plain form (base/plain.h). */
static json_t *shown(const char *text, bool is_row)
{
    const char *plain = plain_as(text, PLAIN_KEEP_LINES | PLAIN_KEEP_TABS);
    return is_row && strlen(plain) > STRING_MOST ? shortened(plain) : json_string(plain);
}

/* Long ones of rows; what an answer says once stays whole. */
static void shorten_texts(json_t *value, bool is_row)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value))
        json_object_foreach (value, key, member) {
            if (json_is_string(member))
                json_object_set_new(value, key, shown(json_string_value(member), is_row));
            else
                shorten_texts(member, is_row);
        }
    json_array_foreach (value, i, member)
        shorten_texts(member, true);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static void cut_array(json_t *array, size_t most)
{
    while (json_array_size(array) > most)
        json_array_remove(array, json_array_size(array) - 1);
}

/* Cuts the arrays within the rows of `rows` to `most`. */
static void cut_within(json_t *rows, size_t most)
{
    const char *key;
    json_t *row, *member;
    size_t i;
    json_array_foreach (rows, i, row)
        json_object_foreach (row, key, member) {
            cut_array(member, most);
            cut_within(member, most);
        }
}

/* The arrays of an answer, its own and those of objects in it. */
struct arrays {
    json_t *items[ARRAYS_MOST]; /* borrowed, as are the keys */
    const char *keys[ARRAYS_MOST];
    size_t count;
};

static void collect(struct arrays *arrays, const json_t *object)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)object, key, member) {
        if (json_is_array(member) && arrays->count < ARRAYS_MOST) {
            arrays->keys[arrays->count] = key;
            arrays->items[arrays->count++] = member;
        }
        collect(arrays, member);
    }
}

/* The array that takes most room and has more than `least` rows; NULL for none. */
static json_t *largest(const json_t *answer, size_t least)
{
    struct arrays arrays = {.count = 0};
    json_t *found = NULL;
    size_t most = 0;
    collect(&arrays, answer);
    for (size_t i = 0; i < arrays.count; i++) {
        bool is_long = json_array_size(arrays.items[i]) > least;
        size_t size = is_long ? fit_size(arrays.items[i]) : 0;
        if (size > most) {
            most = size;
            found = arrays.items[i];
        }
    }
    return found;
}

static void cut_all_within(const json_t *answer, size_t most)
{
    struct arrays arrays = {.count = 0};
    collect(&arrays, answer);
    for (size_t i = 0; i < arrays.count; i++)
        cut_within(arrays.items[i], most);
}

/* Takes rows off until it fits, or each array has `least`. */
static void cut_rows(json_t *answer, size_t budget, size_t least)
{
    json_t *rows;
    while (fit_size(answer) > budget && (rows = largest(answer, least))) {
        size_t count = json_array_size(rows), fewer = count * 3 / 4;
        cut_array(rows, fewer < least ? least : fewer);
    }
}

/* ---- All of it --------------------------------------------------------------------------- */

static json_t *say_cut(const json_t *answer, const size_t *counts)
{
    struct arrays arrays = {.count = 0};
    json_t *cut = json_object();
    collect(&arrays, answer);
    for (size_t i = 0; i < arrays.count; i++) {
        size_t shown = json_array_size(arrays.items[i]);
        if (shown < counts[i])
            json_object_set_new(
                cut, arrays.keys[i],
                json_pack("{s:I,s:I}", "shown", (json_int_t)shown, "of", (json_int_t)counts[i]));
    }
    return cut;
}

static bool is_empty(const json_t *value)
{
    return json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* Keys that stand with nothing; of the answer itself, empty arrays stay: there are none of those. */
static void drop_empty(json_t *value, bool is_row)
{
    const char *key;
    json_t *member;
    void *next;
    size_t i;
    json_object_foreach_safe(value, next, key, member)
    {
        drop_empty(member, is_row);
        if (is_empty(member) && (is_row || !json_is_array(member)))
            json_object_del(value, key);
    }
    json_array_foreach (value, i, member)
        drop_empty(member, true);
}

static void cut_to(json_t *answer, size_t budget)
{
    shorten_texts(answer, false);
    if (fit_size(answer) > budget)
        cut_all_within(answer, NESTED_FIRST);
    cut_rows(answer, budget, ROWS_LEAST);
    for (size_t most = NESTED_FIRST; fit_size(answer) > budget && most-- > 0;)
        cut_all_within(answer, most);
    cut_rows(answer, budget, 0);
}

void fit_result(json_t *result, size_t budget)
{
    enum { CUT_ROOM = 60 }; /* of what says that an array was cut */
    struct arrays arrays = {.count = 0};
    size_t counts[ARRAYS_MOST];
    json_t *answer = json_object_get(result, "answer");
    drop_empty(answer, false);
    collect(&arrays, answer);
    for (size_t i = 0; i < arrays.count; i++)
        counts[i] = json_array_size(arrays.items[i]);
    if (fit_size(result) > budget)
        json_object_del(result, "command");
    size_t around = fit_size(result) - fit_size(answer);
    if (around + fit_size(answer) > budget)
        around += CUT_ROOM * arrays.count;
    cut_to(answer, budget > around ? budget - around : 0);
    json_t *cut = say_cut(answer, counts);
    if (json_object_size(cut) > 0)
        json_object_set(result, "cut", cut);
    json_decref(cut);
}
