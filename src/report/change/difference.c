#include "report/change/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "report/change/line_twins.h"
#include "report/source_twins.h"

struct merging {
    struct model *model;
    struct map frame_by_hash; /* -> the newest frame of that hash */
    uint32_t *older;          /* by frame: another of the same hash, or MODEL_NONE */
    size_t older_capacity;
    uint32_t *path; /* frames of a stack, the innermost first */
    size_t path_capacity;
    struct wrappers wrappers; /* that either side has left out */
    struct module_twins
        modules[2]; /* of the base, whose paths `model` has at first; of the newer */
    struct source_twins sources[2]; /* the same of source files */
    bool by_line;
    struct line_twins twins;        /* of rows by line; in the base's files */
    struct heaptap_location *lines; /* of the frame at hand */
    size_t line_capacity;
};

/* ---- Frames ---------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = map_mix(hash, (unsigned char)*text);
    return map_mix(hash, 0);
}

/* What a frame is, in either profile. */
struct place {
    const struct heaptap_location *lines;
    size_t count;
    const char *module; /* of a frame without lines; else "" */
    uint64_t address;   /* in it */
};

/* What the base calls a file of the newer one; of what has its module's path in place of a source file, the module. */
static const char *base_file(struct merging *merging, const struct heaptap_location *line,
                             const char *module)
{
    if (module && strcmp(line->file, module) == 0)
        return module_twins_of(&merging->modules[0], &merging->modules[1], module);
    return source_twins_of(&merging->sources[0], &merging->sources[1], line->function, line->file);
}

/* Its lines, with the base's files.  False when there is no memory. */
static bool name_files(struct merging *merging, struct place *place, const char *module)
{
    if (!ARRAY_RESERVE(&merging->lines, &merging->line_capacity, place->count))
        return false;
    for (size_t i = 0; i < place->count; i++) {
        merging->lines[i] = place->lines[i];
        merging->lines[i].file = base_file(merging, &place->lines[i], module);
        merging->lines[i].line = line_twins_base(&merging->twins, merging->lines[i].function,
                                                 merging->lines[i].file, merging->lines[i].line);
    }
    place->lines = merging->lines;
    return true;
}

/* False when there is no memory. */
static bool place_init(struct place *place, struct merging *merging,
                       const struct difference_side *side, uint32_t frame, int type)
{
    const struct frame_source *source = &side->selection->frames;
    const struct model_frame *of = &side->model->frames[frame];
    const struct model_module *module =
        of->module == MODEL_NONE ? NULL : &side->model->modules[of->module];
    *place = (struct place){.module = ""};
    place->lines = source->locations(source->context, frame, &place->count);
    if (place->count > 0)
        return type == DIFFERENCE_BASE || name_files(merging, place, module ? module->path : NULL);
    place->address = of->code;
    if (!module)
        return true;
    place->module = type == DIFFERENCE_BASE
                        ? module->path
                        : module_twins_of(&merging->modules[0], &merging->modules[1], module->path);
    place->address -= module->start - module->file_offset;
    return true;
}

static uint64_t hash_place(const struct place *place)
{
    uint64_t hash = map_mix(hash_text(place->count, place->module), place->address);
    for (size_t i = 0; i < place->count; i++) {
        hash = hash_text(hash, place->lines[i].function);
        hash = map_mix(hash_text(hash, place->lines[i].file), place->lines[i].line);
    }
    return hash;
}

static bool is_same(const struct model *model, uint32_t frame, const struct place *place)
{
    const struct model_frame *mine = &model->frames[frame];
    const char *module = mine->module == MODEL_NONE ? "" : model->modules[mine->module].path;
    if (mine->line_count != place->count || mine->code != place->address ||
        strcmp(module, place->module) != 0)
        return false;
    for (size_t i = 0; i < place->count; i++) {
        const struct heaptap_location *a = &model->lines[mine->first_line + i];
        const struct heaptap_location *b = &place->lines[i];
        if (a->line != b->line || strcmp(a->function, b->function) != 0 ||
            strcmp(a->file, b->file) != 0)
            return false;
    }
    return true;
}

static uint32_t module_number(struct model *model, const char *path)
{
    for (uint32_t i = 0; i < model->module_count; i++)
        if (strcmp(model->modules[i].path, path) == 0)
            return i;
    struct model_module module = {.path = path, .build_id = ""};
    return model_add_module(model, &module);
}

static uint32_t add_frame(struct merging *merging, const struct place *place)
{
    struct model *model = merging->model;
    uint32_t module = *place->module ? module_number(model, place->module) : MODEL_NONE;
    if (*place->module && module == MODEL_NONE)
        return MODEL_NONE;
    if (!ARRAY_RESERVE(&merging->older, &merging->older_capacity, model->frame_count + 1))
        return MODEL_NONE;
    return model_add_frame(model, place->address, module, place->lines, place->count);
}

/* The frame of the merged model; MODEL_NONE when there is no memory. */
static uint32_t frame_number(struct merging *merging, const struct place *place)
{
    bool fresh;
    uint32_t *newest = map_put(&merging->frame_by_hash, hash_place(place), MODEL_NONE, &fresh);
    if (!newest)
        return MODEL_NONE;
    for (uint32_t i = *newest; i != MODEL_NONE; i = merging->older[i])
        if (is_same(merging->model, i, place))
            return i;
    uint32_t frame = add_frame(merging, place);
    if (frame == MODEL_NONE)
        return MODEL_NONE;
    merging->older[frame] = *newest;
    return *newest = frame;
}

/* ---- Stacks ---------------------------------------------------------------------------- */

static bool is_estimate(const struct difference_side *side)
{
    return side->weight != WEIGHT_VALUE && side->selection->profile.estimate.sample_rate < 1;
}

static bool add_stack(struct merging *merging, const struct difference_side *side, int type,
                      const uint32_t *frames, uint32_t stack)
{
    const struct stack_profile *profile = &side->selection->profile;
    const struct stack_node *nodes = profile->trie.nodes;
    double weight = stack_tally_weight(&profile->tallies[stack], &profile->estimate, side->weight);
    int64_t values[DIFFERENCE_TYPES] = {0};
    size_t depth = 0;
    values[type] = saturate_round(weight * side->scale);
    if (is_estimate(side))
        values[type == DIFFERENCE_NEW ? DIFFERENCE_NEW_SAMPLES : DIFFERENCE_BASE_SAMPLES] =
            (int64_t)profile->tallies[stack].samples;
    values[DIFFERENCE_CHANGE] =
        type == DIFFERENCE_NEW ? values[type] : saturate_subtract(0, values[type]);
    if (values[type] == 0)
        return true;
    for (uint32_t node = profile->trie.ends[stack]; node != STACK_ROOT; node = nodes[node].parent) {
        if (!ARRAY_RESERVE(&merging->path, &merging->path_capacity, depth + 1))
            return false;
        merging->path[depth++] = frames[nodes[node].frame];
    }
    uint32_t merged = model_stack(merging->model, merging->path, depth, HEAPTAP_SITE_FIRST);
    uint32_t none = merged == MODEL_NONE ? MODEL_NONE : model_label_set(merging->model, NULL, 0);
    return none != MODEL_NONE && model_add_sample(merging->model, merged, none, values);
}

/* What each frame has itself, where it is the innermost; NULL when there is no memory. */
static struct line_weight *weigh_frames(const struct difference_side *side)
{
    const struct stack_profile *profile = &side->selection->profile;
    const struct stack_trie *trie = &profile->trie;
    struct line_weight *weights =
        calloc((size_t)side->selection->frames.frame_count + 1, sizeof *weights);
    for (uint32_t i = 0; weights && i < trie->stack_count; i++) {
        const struct stack_tally *tally = &profile->tallies[i];
        if (trie->ends[i] == STACK_ROOT)
            continue;
        struct line_weight *weight = &weights[trie->nodes[trie->ends[i]].frame];
        weight->weight += side->scale * stack_tally_weight(tally, &profile->estimate, side->weight);
        weight->samples += is_estimate(side) ? (double)tally->samples : 0;
    }
    return weights;
}

/* Of rows by line: which lines there are, and once both sides are known, which of them have moved.  False when there is no memory. */
static bool add_lines(struct merging *merging, const struct difference_side *side, bool is_new)
{
    const struct frame_source *source = &side->selection->frames;
    static const struct line_weight nothing;
    struct line_weight *weights = merging->by_line ? weigh_frames(side) : NULL;
    bool done = weights || !merging->by_line;
    for (uint32_t frame = 0; done && merging->by_line && frame < source->frame_count; frame++) {
        size_t count;
        const char *module = source->module ? source->module(source->context, frame) : NULL;
        const struct heaptap_location *at = source->locations(source->context, frame, &count);
        for (size_t i = 0; done && i < count; i++)
            done = line_twins_add(&merging->twins, &at[i],
                                  is_new ? base_file(merging, &at[i], module) : at[i].file,
                                  i + 1 == count ? &weights[frame] : &nothing, is_new);
    }
    free(weights);
    return done && (!is_new || line_twins_find(&merging->twins));
}

bool difference_add(struct merging *merging, const struct difference_side *side, int type)
{
    uint32_t count = side->selection->frames.frame_count;
    uint32_t *frames = malloc(((size_t)count + 1) * sizeof *frames);
    bool is_new = type == DIFFERENCE_NEW;
    bool done = frames && module_twins_add(&merging->modules[is_new], &side->selection->frames) &&
                source_twins_add_frames(&merging->sources[is_new], &side->selection->frames) &&
                add_lines(merging, side, is_new);
    for (uint32_t i = 0; done && i < count; i++) {
        struct place place;
        done = place_init(&place, merging, side, i, type);
        frames[i] = done ? frame_number(merging, &place) : MODEL_NONE;
        done = frames[i] != MODEL_NONE;
    }
    for (uint32_t i = 0; done && i < side->selection->profile.trie.stack_count; i++)
        done = add_stack(merging, side, type, frames, i);
    free(frames);
    const struct wrappers *left_out = selection_wrappers(side->selection);
    return done && (!left_out || wrappers_join(&merging->wrappers, left_out));
}

/* ---- Wrappers -------------------------------------------------------------------------- */

/* How many locations at its inner end are functions that one of the sides has left out; the other may not have seen enough of
 * them to tell what they are. */
static uint32_t count_wrappers(const struct merging *merging, const struct model_frame *frame)
{
    uint32_t left = frame->line_count;
    while (left > 0 &&
           wrappers_have(&merging->wrappers, &merging->model->lines[frame->first_line + left - 1]))
        left--;
    return frame->line_count - left;
}

/* The node at which a stack ends without frames of nothing else; `end` where that is all of it. */
static uint32_t leave(const struct merging *merging, uint32_t end)
{
    const struct model *model = merging->model;
    const struct stack_node *nodes = model->trie.nodes;
    uint32_t node = end;
    while (node != STACK_ROOT) {
        const struct model_frame *frame = &model->frames[nodes[node].frame];
        if (frame->line_count == 0 || count_wrappers(merging, frame) < frame->line_count)
            return node;
        node = nodes[node].parent;
    }
    return end;
}

/* Both sides leave out the same: what only one has known for a wrapper would be a difference else.  False without memory. */
static bool leave_out(struct merging *merging)
{
    struct model *model = merging->model;
    struct model_samples old = model->samples, *samples = &model->samples;
    bool done = true;
    if (merging->wrappers.by_name.count == 0)
        return true;
    samples->stack = samples->labels = NULL;
    samples->values = NULL;
    samples->count = samples->capacity = samples->value_capacity = 0;
    samples->rows = (struct map){0};
    for (size_t i = 0; done && i < old.count; i++) {
        uint32_t stack =
            stack_trie_stack(&model->trie, leave(merging, model->trie.ends[old.stack[i]]));
        done = stack != STACK_NONE &&
               model_add_sample(model, stack, old.labels[i], old.values + i * old.type_count);
    }
    for (size_t i = 0; i < model->frame_count; i++) {
        uint32_t inner = count_wrappers(merging, &model->frames[i]);
        model->frames[i].line_count -= inner < model->frames[i].line_count ? inner : 0;
    }
    free(old.stack);
    free(old.labels);
    free(old.values);
    map_release(&old.rows);
    return done;
}

/* ---- Modules and files ----------------------------------------------------------------- */

/* The newer one's path of a module, as a text of the model; NULL when there is no memory. */
static const char *newer_path(struct merging *merging, const char *path)
{
    struct module_twins *modules = merging->modules;
    return model_text(merging->model, module_twins_of(&modules[1], &modules[0], path));
}

/* The same of a line's file. */
static const char *newer_file(struct merging *merging, const struct heaptap_location *line)
{
    struct source_twins *sources = merging->sources;
    if (module_twins_have(&merging->modules[0], line->file))
        return newer_path(merging, line->file);
    return model_text(merging->model,
                      source_twins_of(&sources[1], &sources[0], line->function, line->file));
}

static uint64_t moved_key(const char *function, const char *file, uint32_t line)
{
    uint64_t key = map_mix(0, (uint64_t)(uintptr_t)function);
    return map_mix(map_mix(key, (uint64_t)(uintptr_t)file), line);
}

uint32_t difference_base_line(const struct model *difference, const struct symbol *symbol)
{
    const uint32_t *line =
        map_find(&difference->moved_lines, moved_key(symbol->function, symbol->file, symbol->line));
    return line ? *line : 0;
}

/* Gives a line of the base the file and the number that it has in the newer one.  What is gone keeps its own: the file's name as a
 * text apart, as the newer file may have another line of that number.  False when there is no memory. */
static bool take_newer_line(struct merging *merging, struct heaptap_location *line)
{
    bool fresh;
    const struct line_twin twin =
        line_twins_newer(&merging->twins, line->function, line->file, line->line);
    line->file = twin.is_gone ? names_copy(&merging->model->gone_files, line->file)
                              : newer_file(merging, line);
    line->line = twin.line;
    return line->file &&
           (twin.base_line == 0 ||
            map_put(&merging->model->moved_lines, moved_key(line->function, line->file, line->line),
                    twin.base_line, &fresh));
}

static bool take_newer_paths(struct merging *merging)
{
    struct model *model = merging->model;
    bool done = true;
    for (size_t i = 0; done && i < model->module_count; i++)
        if (module_twins_have(&merging->modules[0], model->modules[i].path)) {
            model->modules[i].path = newer_path(merging, model->modules[i].path);
            done = model->modules[i].path;
        }
    for (size_t i = 0; done && i < model->line_count; i++)
        done = take_newer_line(merging, &model->lines[i]);
    return done;
}

/* ---- Both ------------------------------------------------------------------------------ */

struct merging *difference_begin(const char *unit, enum symbol_grain grain)
{
    struct merging *merging = calloc(1, sizeof *merging);
    if (merging)
        merging->model = model_new(MODEL_SAMPLES);
    for (int i = 0; merging && i < 2; i++)
        merging->sources[i].by_name = grain == GRAIN_LINE || grain == GRAIN_FILE;
    if (merging)
        merging->by_line = grain == GRAIN_LINE;
    if (merging && merging->model && model_add_value_type(merging->model, "base", unit) &&
        model_add_value_type(merging->model, "new", unit) &&
        model_add_value_type(merging->model, "difference", unit) &&
        model_add_value_type(merging->model, "base samples", "count") &&
        model_add_value_type(merging->model, "new samples", "count"))
        return merging;
    if (merging)
        model_free(difference_end(merging));
    return NULL;
}

struct model *difference_end(struct merging *merging)
{
    struct model *model = merging->model;
    bool done =
        model && leave_out(merging) && take_newer_paths(merging) && model_samples_end(model);
    wrappers_release(&merging->wrappers);
    for (int i = 0; i < 2; i++) {
        module_twins_release(&merging->modules[i]);
        source_twins_release(&merging->sources[i]);
    }
    line_twins_release(&merging->twins);
    free(merging->lines);
    map_release(&merging->frame_by_hash);
    free(merging->older);
    free(merging->path);
    free(merging);
    if (done)
        return model;
    model_free(model);
    return NULL;
}

/* ---- Widths ---------------------------------------------------------------------------- */

/* The nodes of a trie again in another, by their numbers in the first; malloc'ed, NULL when there
 * is no memory. */
static uint32_t *copy_nodes(struct stack_trie *trie, const struct stack_trie *from)
{
    uint32_t *nodes = malloc(from->count * sizeof *nodes);
    if (nodes)
        nodes[STACK_ROOT] = STACK_ROOT;
    for (uint32_t i = 1; nodes && i < from->count; i++) {
        nodes[i] = stack_trie_child(trie, nodes[from->nodes[i].parent], from->nodes[i].frame);
        if (nodes[i] != STACK_NONE)
            continue;
        free(nodes);
        nodes = NULL;
    }
    return nodes;
}

/* `both` has the two values of each stack. */
static bool add_widths(struct stack_profile *profile, const struct model *difference,
                       const double *both)
{
    uint32_t *nodes = copy_nodes(&profile->trie, &difference->trie);
    bool done = nodes;
    for (size_t i = 0; done && i < difference->trie.stack_count; i++) {
        uint32_t node = nodes[difference->trie.ends[i]];
        double width = fmax(both[2 * i], both[2 * i + 1]);
        done = stack_profile_add_value(profile, node, (int64_t)width);
        if (!done)
            break;
        struct stack_tally *tally = &profile->tallies[profile->trie.links[node].stack];
        tally->density += both[2 * i + 1] - both[2 * i];
        tally->squares += both[2 * i + 1];
    }
    free(nodes);
    return done;
}

bool difference_widths(struct stack_profile *profile, const struct model *difference)
{
    const struct model_samples *samples = &difference->samples;
    struct stack_measure measure = {"larger of base and new", samples->types[0].unit};
    double *both = calloc(2 * difference->trie.stack_count + 1, sizeof *both);
    bool is_open = both && stack_profile_init_values(profile, &measure);
    for (size_t i = 0; is_open && i < samples->count; i++)
        for (int type = 0; type < 2; type++)
            both[2 * samples->stack[i] + (unsigned)type] +=
                (double)samples->values[i * DIFFERENCE_TYPES + (unsigned)type];
    bool done = is_open && add_widths(profile, difference, both);
    if (done)
        stack_profile_finish(profile);
    else if (is_open)
        stack_profile_release(profile);
    free(both);
    return done;
}

struct model *difference_of(const struct report *before, const struct report *after,
                            enum symbol_grain grain)
{
    struct merging *merging = difference_begin(before->unit, grain);
    struct difference_side base = {&before->selection, before->input.model, before->weight, 1},
                           other = {&after->selection, after->input.model, after->weight, 1};
    if (!merging)
        return NULL;
    bool done = difference_add(merging, &base, DIFFERENCE_BASE) &&
                difference_add(merging, &other, DIFFERENCE_NEW);
    struct model *model = difference_end(merging);
    if (done)
        return model;
    model_free(model);
    return NULL;
}
