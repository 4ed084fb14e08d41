#include "report/advice/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/advice/advised.h"

enum { BEFORE, AFTER };

static const double grown_least = 0.02; /* of what was allocated before: less is not told */

/* ---- Places ---------------------------------------------------------------------------- */

/* The length of a function's name without what is within it: OCaml's "f.(fun)", Python's "f.<locals>.g". */
static size_t outer_length(const char *function)
{
    const char *ocaml = strstr(function, ".(fun"), *python = strstr(function, ".<locals>");
    return ocaml    ? (size_t)(ocaml - function)
           : python ? (size_t)(python - function)
                    : strlen(function);
}

static struct trial_place *find_place(struct trial *trial, const struct symbol *symbol)
{
    const char *function = symbol_name(symbol), *file = symbol->file ? symbol->file : "";
    size_t length = outer_length(function);
    for (size_t i = 0; i < trial->count; i++)
        if (strlen(trial->places[i].function) == length &&
            memcmp(trial->places[i].function, function, length) == 0 &&
            strcmp(trial->places[i].file, file) == 0)
            return &trial->places[i];
    if (!ARRAY_RESERVE(&trial->places, &trial->capacity, trial->count + 1))
        return NULL;
    struct trial_place place = {.function = strndup(function, length), .file = strdup(file)};
    if (!place.function || !place.file) {
        free(place.function);
        free(place.file);
        return NULL;
    }
    trial->places[trial->count] = place;
    return &trial->places[trial->count++];
}

void trial_release(struct trial *trial)
{
    for (size_t i = 0; i < trial->count; i++) {
        free(trial->places[i].function);
        free(trial->places[i].file);
    }
    free(trial->places);
    for (size_t i = 0; i < trial->maker_count; i++) {
        free(trial->makers[i].function);
        free(trial->makers[i].caller);
    }
    free(trial->makers);
}

static bool is_maker(const struct trial *trial, const char *function, const char *caller)
{
    for (size_t i = 0; i < trial->maker_count; i++)
        if (strcmp(trial->makers[i].function, function) == 0 &&
            strcmp(trial->makers[i].caller, caller) == 0)
            return true;
    return false;
}

/* Where advice names another function than that which allocates. */
static bool add_maker(struct trial *trial, const struct advice *advice)
{
    const char *function = symbol_name(&advice->site->symbol),
               *caller = symbol_name(&advice->symbol);
    if (strcmp(function, caller) == 0 || is_maker(trial, function, caller))
        return true;
    if (!ARRAY_RESERVE(&trial->makers, &trial->maker_capacity, trial->maker_count + 1))
        return false;
    struct trial_maker *maker = &trial->makers[trial->maker_count++];
    *maker = (struct trial_maker){strdup(function), strdup(caller)};
    return maker->function && maker->caller;
}

/* Whose blocks these are. */
static struct trial_place *place_of(struct trial *trial, const struct sites *sites,
                                    const struct origin *origin)
{
    struct symbol symbol = sites->items[origin->site].symbol;
    if (trial->maker_count > 0) {
        struct evidence evidence = evidence_of(sites, origin, NULL);
        const struct heaptap_location *caller = evidence.caller;
        if (caller && caller->function && is_maker(trial, symbol_name(&symbol), caller->function)) {
            symbol.function = caller->function;
            symbol.file = caller->file;
        }
    }
    return find_place(trial, &symbol);
}

static bool add_sites(struct trial *trial, int side, const struct sites *sites)
{
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct site *site = &sites->origins[i].figures;
        struct trial_place *place = place_of(trial, sites, &sites->origins[i]);
        if (!place)
            return false;
        place->bytes[side][MEASURE_ALLOCATED] += site->bytes;
        place->bytes[side][MEASURE_LIVE] += site->live_bytes;
        place->bytes[side][MEASURE_OVERHEAD] +=
            site->objects * advice_header_bytes((double)site->common_bytes);
    }
    trial->allocated[side] = sites->whole.bytes;
    trial->peak[side] = sites->whole.peak_bytes;
    trial->live[side] = sites->whole.live_bytes;
    trial->is_sampled |= sites->model->info.sample_rate < 1;
    return true;
}

/* ---- Promises -------------------------------------------------------------------------- */

static void add_cause(struct trial_place *place, const struct advice *advice)
{
    const char *name = advice_name(advice);
    double promised =
        advice->cause->measure == MEASURE_OVERHEAD ? advice->overhead_bytes : advice->saved_bytes;
    if (promised > place->most) {
        place->most = promised;
        place->measure = advice->cause->measure;
        place->line = advice->symbol.line;
    }
    place->promised += promised;
    if (!strstr(place->causes, name)) {
        size_t used = strlen(place->causes);
        snprintf(place->causes + used, sizeof place->causes - used, "%s%s", used > 0 ? ", " : "",
                 name);
    }
}

static bool add_promises(struct trial *trial, const struct advised *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct advice *advice = &before->items[i];
        struct trial_place *place = advice->cause ? find_place(trial, &advice->symbol) : NULL;
        if (advice->cause && (!place || !add_maker(trial, advice)))
            return false;
        if (place)
            add_cause(place, advice);
    }
    return true;
}

bool trial_add(struct trial *trial, int side, const struct report *report)
{
    struct advised of;
    advised_init(&of, report);
    bool done = side == AFTER
                    ? sites_init(&of.sites, report, GRAIN_LINE, report->options->no_inlines, true)
                    : advised_find(&of, report, GRAIN_LINE) && add_promises(trial, &of);
    done = done && add_sites(trial, side, &of.sites);
    advised_release(&of);
    return done;
}

/* ---- The answer ------------------------------------------------------------------------ */

static double side_of(const struct trial_place *place, int side)
{
    return place->bytes[side][place->measure];
}

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct trial_place *place = row, const void *all = context,       \
               expression)

static const char *const measures[] = {
    [MEASURE_ALLOCATED] = "allocated",
    [MEASURE_LIVE] = "live at the end",
    [MEASURE_OVERHEAD] = "overhead",
};

GETTER(measure, answer_text(measures[place->measure]))
GETTER(before, answer_number(side_of(place, BEFORE)))
GETTER(after, answer_number(side_of(place, AFTER)))
GETTER(saved, answer_number(side_of(place, BEFORE) - side_of(place, AFTER)))
GETTER(more, answer_number(side_of(place, AFTER) - side_of(place, BEFORE)))
GETTER(place, answer_place(*place->file ? place->file : NULL, place->line))

static const struct answer_column promise_columns[] = {
    {"promised", "PROMISED", ANSWER_BYTES, ANSWER_FIELD(struct trial_place, promised),
     "bytes that the remedies of all its causes save at most"},
    {"saved", "SAVED", ANSWER_BYTES, get_saved, "before less after"},
    {"before", "BEFORE", ANSWER_BYTES, get_before, "bytes of the function before"},
    {"after", "AFTER", ANSWER_BYTES, get_after, "and after the change"},
    {"measure", NULL, ANSWER_TEXT, get_measure,
     "what is measured: allocated; live at the end, where the cause is of what stays; overhead, what glibc's malloc takes for each "
     "block beside its bytes, where the remedy spares that and no bytes"},
    {"causes", "CAUSES", ANSWER_TEXT, ANSWER_FILLED(struct trial_place, causes),
     "names of the rules"},
    {"function", "FUNCTION", ANSWER_NAME, ANSWER_FIELD(struct trial_place, function),
     "the function, with those within it"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FILLED(struct trial_place, file), "its source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct trial_place, line),
     "line of the cause that promises most, before the change", .flags = ANSWER_OMIT},
    {NULL, "PLACE", ANSWER_PLACE, get_place, .flags = ANSWER_WIDE},
};
static const struct answer_table promises_table = ANSWER_TABLE(
    ANSWER_ROWS, "promises", ANSWER_IN_ALL, promise_columns, "functions of which advice promised");

static const struct answer_column grown_columns[] = {
    {"more", "MORE", ANSWER_BYTES, get_more, "after less before"},
    {"before", "BEFORE", ANSWER_BYTES, get_before, "bytes allocated before"},
    {"after", "AFTER", ANSWER_BYTES, get_after, "and after the change"},
    {"function", "FUNCTION", ANSWER_NAME, ANSWER_FIELD(struct trial_place, function),
     "name of the function"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FILLED(struct trial_place, file), "its source file"},
    {NULL, "FILE", ANSWER_PLACE, get_place, .flags = ANSWER_WIDE},
};
static const struct answer_table grown_table = {
    .key = "grown",
    .forms = ANSWER_IN_TEXT | ANSWER_IN_JSON,
    ANSWER_COLUMNS(grown_columns),
    .help =
        "functions without a promise that allocate more, by 2 % of what all allocated before at least"};

static const struct answer_column total_columns[] = {
    {"allocated_before", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, allocated[BEFORE]),
     "bytes allocated in all, before"},
    {"allocated_after", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, allocated[AFTER]),
     "and after the change"},
    {"peak_before", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, peak[BEFORE]),
     "alive at the peak, before"},
    {"peak_after", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, peak[AFTER]),
     "and after the change"},
    {"live_before", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, live[BEFORE]),
     "alive at the end, before"},
    {"live_after", NULL, ANSWER_BYTES, ANSWER_FIELD(struct trial, live[AFTER]),
     "and after the change"},
    {"sampled", NULL, ANSWER_FLAG, ANSWER_FIELD(struct trial, is_sampled),
     "the figures are estimates"},
};
static const struct answer_table totals_table =
    ANSWER_JSON(ANSWER_RECORD, "totals", total_columns, "the whole program, before and after");

const struct answer_table *const trial_tables[] = {&totals_table, &promises_table, &grown_table,
                                                   NULL};

static int compare(const void *left, const void *right)
{
    const struct trial_place *a = left, *b = right;
    double first = a->promised, second = b->promised;
    if (first == 0 && second == 0) {
        first = side_of(a, AFTER) - side_of(a, BEFORE);
        second = side_of(b, AFTER) - side_of(b, BEFORE);
    }
    return first != second ? (first > second ? -1 : 1) : strcmp(a->function, b->function);
}

static bool is_grown(const struct trial *trial, const struct trial_place *place)
{
    return side_of(place, AFTER) - side_of(place, BEFORE) >= grown_least * trial->allocated[BEFORE];
}

/* "Allocated 2.1 MB, 4.5 MB before; ..." */
static void say_totals(struct answer *answer, const struct trial *trial)
{
    static const char *const titles[] = {"Allocated", "at the peak", "left at the end"};
    const double *pairs[] = {trial->allocated, trial->peak, trial->live};
    char line[400] = "", now[UNITS_TEXT_BYTES], was[UNITS_TEXT_BYTES];
    for (size_t i = 0, used = 0; i < sizeof pairs / sizeof *pairs; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s, %s before",
                                 i > 0 ? "; " : "", titles[i], units_bytes(now, pairs[i][AFTER]),
                                 units_bytes(was, pairs[i][BEFORE]));
    answer_say(answer, "%s%s", line, trial->is_sampled ? "; estimates of samples" : "");
}

void trial_put(struct answer *answer, struct trial *trial)
{
    size_t promised = 0, grown;
    if (trial->count > 1)
        qsort(trial->places, trial->count, sizeof *trial->places, compare);
    while (promised < trial->count && trial->places[promised].promised > 0)
        promised++;
    for (grown = promised; grown < trial->count && is_grown(trial, &trial->places[grown]);)
        grown++;
    say_totals(answer, trial);
    answer_record(answer, &(struct answer_section){.table = &totals_table}, trial);
    if (promised == 0)
        answer_say(answer, "%s", "Advice had promised nothing: no cause was named.");
    answer_items(answer, &(struct answer_section){.table = &promises_table, .context = trial},
                 trial->places, promised, sizeof *trial->places);
    for (size_t i = 0; i < promised; i++)
        if (trial->places[i].measure == MEASURE_OVERHEAD)
            answer_say(answer, "Of %s: what malloc takes for each block beside its bytes.",
                       trial->places[i].causes);
    if (grown > promised)
        answer_say(answer, "%s", "These allocate more than before:");
    answer_begin(answer, &(struct answer_section){.table = &grown_table, .context = trial});
    for (size_t i = promised; i < grown; i++)
        answer_row(answer, &trial->places[i]);
    answer_end(answer);
}
