#include "store/write_profile.h"

#include <stdlib.h>

#include "profile/quantity.h"
#include "store/writing.h"

/* The node at which a stack of the model ends now; STACK_NONE where the filter leaves nothing of it. */
static uint32_t node_of(const struct writing *writing, uint32_t stack)
{
    const struct selection *selection = writing->profile->selection;
    uint32_t left = selection_stack(selection, stack);
    return left == STACK_NONE ? STACK_NONE : selection->profile.trie.ends[left];
}

static void mark(struct writing *writing, uint32_t node)
{
    const struct stack_trie *trie = &writing->profile->selection->profile.trie;
    for (; node != STACK_ROOT && !writing->needed[node]; node = trie->nodes[node].parent)
        writing->needed[node] = true;
}

/* ---- The profile itself -------------------------------------------------------------- */

static void put_profile(struct writing *writing)
{
    const struct store_profile *profile = writing->profile;
    const struct model *model = writing->model;
    const struct model_module *program = model_program(model);
    bool has_blocks = model->kind == MODEL_OBJECTS;
    sqlite3_stmt *statement = database_insert_into(writing->database, "profile", 14);
    struct row row = row_of(writing, statement);
    row_text(&row, profile->name);
    row_text(&row, has_blocks ? model->info.executable : program ? program->path : "");
    row_text(&row, program ? program->build_id : "");
    row_text(&row, has_blocks ? model->info.host : "");
    if (has_blocks)
        row_int(&row, (int64_t)model->info.pid);
    else
        row_null(&row);
    row_int(&row, model->info.start_us);
    row_int(&row, model->end_us);
    row_real(&row, has_blocks ? model->estimate.sample_rate : 1);
    row_real(&row, has_blocks ? model->estimate.word_bytes : 1);
    row_real(&row, has_blocks ? model->estimate.header_words : 0);
    if (has_blocks)
        row_int(&row, model->peak.time_us);
    else
        row_null(&row);
    row_text(&row, profile->filter->text);
    row_int(&row, profile->is_whole);
    database_put(writing->database, statement);
    database_end(statement);
}

static void put_domains(struct writing *writing)
{
    const struct model *model = writing->model;
    sqlite3_stmt *statement = database_insert_into(writing->database, "domain", 4);
    for (size_t i = 0; i < model->domain_count && database_works(writing->database); i++) {
        struct row row = row_of(writing, statement);
        row_int(&row, (int64_t)i);
        row_text(&row, model->domains[i].name);
        row_int(&row, (int64_t)model->domains[i].thread);
        database_put(writing->database, statement);
    }
    database_end(statement);
}

/* ---- Blocks -------------------------------------------------------------------------- */

static const char *source_name(uint8_t source)
{
    return source == HEAPTAP_MINOR ? "minor" : source == HEAPTAP_MAJOR ? "major" : "external";
}

static void row_time(struct row *row, int64_t time_us)
{
    if (time_us == MODEL_NEVER)
        row_null(row);
    else
        row_int(row, time_us);
}

static void put_block(struct writing *writing, sqlite3_stmt *statement, size_t number,
                      const struct matcher_life *life, uint32_t node)
{
    const struct model *model = writing->model;
    struct model_object object = model_object(model, number);
    const struct model_shape *shape = object.shape;
    uint64_t samples = model_shape_samples(shape, life->halves);
    uint32_t type = model_stack_type(model, object.stack);
    struct row row = {statement, 1};
    sqlite3_bind_null(statement, 1); /* SQLite numbers the blocks */
    row_int(&row, writing->number);
    row_int(&row, node);
    row_text(&row, source_name(shape->source));
    row_int(&row, shape->domain);
    row_int(&row, (int64_t)shape->words);
    row_int(&row, (int64_t)model_shape_bytes(model, shape));
    row_int(&row, (int64_t)samples);
    if (type == MODEL_NONE)
        row_null(&row);
    else
        row_text(&row, model->types[type]);
    row_int(&row, life->born_us);
    row_time(&row, object.promoted_us);
    row_time(&row, life->died_us);
    row_real(&row, estimate_bytes(&model->estimate, (double)samples));
    row_real(&row, model_shape_density(shape, life->halves) / model->estimate.sample_rate);
    database_put(writing->database, statement);
    mark(writing, node);
}

static void put_blocks(struct writing *writing)
{
    const struct model *model = writing->model;
    sqlite3_stmt *statement = database_insert_into(writing->database, "block", 14);
    struct matcher_life life;
    for (size_t i = 0; i < model->objects.count && database_works(writing->database); i++) {
        if (!matcher_object(writing->profile->matcher, i, &life))
            continue;
        uint32_t node = node_of(writing, model->objects.stack[i]);
        if (node != STACK_NONE)
            put_block(writing, statement, i, &life, node);
    }
    database_end(statement);
}

/* ---- Sums ---------------------------------------------------------------------------- */

static void put_type(struct writing *writing, size_t number, const char *name, const char *unit)
{
    sqlite3_stmt *statement = database_insert_into(writing->database, "sample_type", 4);
    struct row row = row_of(writing, statement);
    row_int(&row, (int64_t)number);
    row_text(&row, name);
    row_text(&row, unit);
    database_put(writing->database, statement);
    database_end(statement);
}

/* Of blocks: bytes or objects of one stack. */
static void put_sum(struct writing *writing, sqlite3_stmt *statement, size_t type, uint32_t node,
                    const struct stack_tally *tally)
{
    const struct estimate *estimate = &writing->model->estimate;
    struct estimate_sum sum = quantity_at(type)->weight == WEIGHT_BYTES
                                  ? stack_tally_bytes_sum(tally, estimate)
                                  : stack_tally_objects_sum(tally, estimate);
    struct row row = row_of(writing, statement);
    row_int(&row, (int64_t)type);
    row_int(&row, node);
    row_int(&row, 0);
    row_real(&row, sum.value);
    row_int(&row, (int64_t)tally->samples);
    row_real(&row, sum.squares);
    database_put(writing->database, statement);
}

/* False when there is no memory. */
static bool put_quantity(struct writing *writing, sqlite3_stmt *statement, size_t type)
{
    const struct store_profile *profile = writing->profile;
    struct selection_options what = {.quantity = quantity_at(type)->quantity};
    struct selection selection;
    if (!selection_init(&selection, profile->matcher, profile->filter, &what, NULL))
        return false;
    const struct stack_profile *sums = &selection.profile;
    for (size_t i = 0; i < sums->trie.stack_count && database_works(writing->database); i++)
        if (sums->tallies[i].events > 0)
            put_sum(writing, statement, type, sums->trie.ends[i], &sums->tallies[i]);
    selection_release(&selection);
    return true;
}

static bool put_block_sums(struct writing *writing)
{
    bool done = true;
    sqlite3_stmt *statement = database_insert_into(writing->database, "sample", 7);
    for (size_t type = 0; done && quantity_at(type); type++) {
        put_type(writing, type, quantity_at(type)->name, quantity_at(type)->unit);
        done = put_quantity(writing, statement, type);
    }
    database_end(statement);
    return done;
}

/* ---- Values of a profile that has no blocks ------------------------------------------ */

static void put_value_types(struct writing *writing)
{
    const struct model_samples *samples = &writing->model->samples;
    for (size_t i = 0; i < samples->type_count; i++)
        put_type(writing, i, samples->types[i].name, samples->types[i].unit);
}

static void put_value(struct writing *writing, sqlite3_stmt *statement, size_t number, size_t type,
                      uint32_t node)
{
    const struct model_samples *samples = &writing->model->samples;
    int64_t value = samples->values[number * samples->type_count + type];
    struct row row = row_of(writing, statement);
    if (value == 0)
        return;
    row_int(&row, (int64_t)type);
    row_int(&row, node);
    row_int(&row, samples->labels[number]);
    row_real(&row, (double)value);
    row_null(&row);
    row_null(&row);
    database_put(writing->database, statement);
}

static void put_values(struct writing *writing)
{
    const struct model_samples *samples = &writing->model->samples;
    sqlite3_stmt *statement = database_insert_into(writing->database, "sample", 7);
    for (size_t i = 0; i < samples->count && database_works(writing->database); i++) {
        uint32_t node = matcher_sample(writing->profile->matcher, i)
                            ? node_of(writing, samples->stack[i])
                            : STACK_NONE;
        if (node == STACK_NONE)
            continue;
        mark(writing, node);
        for (size_t type = 0; type < samples->type_count; type++)
            put_value(writing, statement, i, type, node);
    }
    database_end(statement);
}

static void put_labels(struct writing *writing)
{
    const struct model_samples *samples = &writing->model->samples;
    sqlite3_stmt *statement = database_insert_into(writing->database, "label", 6);
    for (size_t set = 0; set < samples->set_count; set++)
        for (size_t i = 0; i < samples->sets[set].count; i++) {
            const struct model_label *label = &samples->label[samples->sets[set].first + i];
            struct row row = row_of(writing, statement);
            row_int(&row, (int64_t)set);
            row_text(&row, label->key);
            if (label->text)
                row_text(&row, label->text);
            else
                row_null(&row);
            if (label->text)
                row_null(&row);
            else
                row_int(&row, label->number);
            row_text(&row, label->unit);
            database_put(writing->database, statement);
        }
    database_end(statement);
}

/* ---- All ----------------------------------------------------------------------------- */

bool store_write_profile(struct database *database, int64_t number,
                         const struct store_profile *profile)
{
    const struct model *model = profile->matcher->model;
    bool *needed = calloc(profile->selection->profile.trie.count, sizeof *needed);
    struct writing writing = {database, number, profile, model, needed};
    bool done = needed;
    if (!done)
        return false;
    put_profile(&writing);
    put_domains(&writing);
    if (model->kind == MODEL_OBJECTS) {
        put_blocks(&writing);
        done = put_block_sums(&writing);
    } else {
        put_value_types(&writing);
        put_values(&writing);
        put_labels(&writing);
    }
    done = done && store_write_places(&writing);
    free(needed);
    return done;
}
