#include "profile/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/code.h"
#include "base/hex.h"
#include "profile/growth.h"
#include "profile/lives.h"
#include "profile/holders.h"
#include "profile/profile_file.h"

struct model *model_new(enum model_kind kind)
{
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->kind = kind;
    model->estimate = (struct estimate){1, 1, 1, 0, 0, 0};
    model->info = (struct heaptap_trace_info){
        .sample_rate = 1, .word_bits = 8, .executable = "", .host = "", .context = ""};
    model->info.runtime_params = "";
    if (!stack_trie_init(&model->trie) || model_label_set(model, NULL, 0) == MODEL_NONE) {
        model_free(model);
        return NULL;
    }
    return model;
}

static void free_objects(struct model_objects *objects)
{
    free(objects->stack);
    free(objects->shape);
    wide_column_release(&objects->born_us);
    wide_column_release(&objects->died_us);
    wide_column_release(&objects->promoted_us);
    wide_column_release(&objects->birth);
    wide_column_release(&objects->end);
    free(objects->end_domain);
    free(objects->blocks);
    free(objects->lived_us);
}

static void free_samples(struct model_samples *samples)
{
    free(samples->stack);
    free(samples->labels);
    free(samples->values);
    free(samples->types);
    free(samples->sets);
    free(samples->label);
    map_release(&samples->sets_by_hash);
    map_release(&samples->rows);
}

void model_free(struct model *model)
{
    if (!model)
        return;
    names_release(&model->names);
    free(model->modules);
    free(model->frames);
    free(model->lines);
    stack_trie_release(&model->trie);
    free(model->domains);
    free(model->types);
    free(model->processes);
    free(model->tests);
    holders_free(model->holders);
    free(model->shapes);
    map_release(&model->shapes_by_hash);
    free_objects(&model->objects);
    free_samples(&model->samples);
    growth_free(model->growth);
    lives_free(model->lives);
    free(model->sums);
    profile_file_free(model->file);
    wrappers_release(&model->wrappers);
    map_release(&model->moved_lines);
    names_release(&model->gone_files);
    free(model);
}

/* ---- Frames as reports ask for them -------------------------------------------------- */

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    const struct model *model = context;
    *count = model->frames[frame].line_count;
    return *count > 0 ? model->lines + model->frames[frame].first_line : NULL;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct model *model = context;
    return model->frames[frame].code;
}

static const char *module_of(void *context, uint32_t frame)
{
    const struct model *model = context;
    uint32_t module = model->frames[frame].module;
    return module == MODEL_NONE ? NULL : model->modules[module].path;
}

static const char *program_of(void *context, size_t number)
{
    return model_program_of(context, number);
}

struct frame_source model_frames(const struct model *model)
{
    return (struct frame_source){.locations = locations_of,
                                 .code = code_of,
                                 .frame_count = (uint32_t)model->frame_count,
                                 .context = (void *)model,
                                 .module = module_of,
                                 .program = model_program_path(model),
                                 .program_of = program_of,
                                 .tells_codes = model_tells_codes(model),
                                 .is_nameless_runtime = model->info.word_bits > 8,
                                 .wrappers = &model->wrappers};
}

/* ---- Building: what all kinds share -------------------------------------------------- */

const char *model_text(struct model *model, const char *text)
{
    return text ? names_copy(&model->names, text) : names_empty;
}

uint32_t model_add_module(struct model *model, const struct model_module *module)
{
    struct model_module added = *module;
    added.path = model_text(model, module->path);
    added.build_id = model_text(model, module->build_id);
    if (!added.path || !added.build_id || model->module_count >= MODEL_NONE ||
        !ARRAY_RESERVE(&model->modules, &model->module_capacity, model->module_count + 1))
        return MODEL_NONE;
    model->modules[model->module_count] = added;
    return (uint32_t)model->module_count++;
}

uint32_t model_take_module(struct model *model, const struct heaptap_metadata *record)
{
    char build_id[2 * HEAPTAP_BUILD_ID_MAX + 1];
    hex_put(build_id, record->build_id, record->build_id_size);
    struct model_module module = {.path = record->name,
                                  .build_id = build_id,
                                  .start = record->address,
                                  .size = record->size_bytes,
                                  .epoch = record->number,
                                  .file_offset = record->file_offset};
    return model_add_module(model, &module);
}

uint32_t model_module_of(const struct model *model, uint64_t code)
{
    const struct model_module *modules = model->modules;
    size_t found = CODE_MODULE(i, model->module_count,
                               code_fit(code, modules[i].start, modules[i].size, modules[i].epoch));
    return found < model->module_count ? (uint32_t)found : MODEL_NONE;
}

const struct model_module *model_program(const struct model *model)
{
    if (model->kind == MODEL_SAMPLES)
        return model->module_count > 0 ? &model->modules[0] : NULL;
    for (size_t i = 0; i < model->module_count; i++)
        if (strcmp(model->modules[i].path, model->info.executable) == 0)
            return &model->modules[i];
    return NULL;
}

const char *model_program_path(const struct model *model)
{
    const struct model_module *program = model_program(model);
    return program ? program->path : model->info.executable;
}

const char *model_program_of(const struct model *model, size_t number)
{
    if (model->kind == MODEL_OBJECTS)
        return number < model->process_count ? model->processes[number].program : NULL;
    if (number >= model->module_count)
        return NULL;
    return model->modules[number].is_program ? model->modules[number].path : "";
}

const char *model_program_name(const struct model *model)
{
    const char *path = model_program_path(model);
    return path ? basename(path) : "";
}

bool model_add_line(struct model *model, uint32_t frame, const struct heaptap_location *line)
{
    struct model_frame *to = &model->frames[frame];
    struct heaptap_location added = *line;
    added.file = model_text(model, line->file);
    added.function = model_text(model, line->function);
    if (!added.file || !added.function || model->line_count >= MODEL_NONE ||
        !ARRAY_RESERVE(&model->lines, &model->line_capacity, model->line_count + 1))
        return false;
    if (to->line_count++ == 0)
        to->first_line = (uint32_t)model->line_count;
    model->lines[model->line_count++] = added;
    return true;
}

uint32_t model_add_frame(struct model *model, uint64_t code, uint32_t module,
                         const struct heaptap_location *locations, size_t count)
{
    if (model->frame_count >= MODEL_NONE ||
        !ARRAY_RESERVE(&model->frames, &model->frame_capacity, model->frame_count + 1))
        return MODEL_NONE;
    uint32_t frame = (uint32_t)model->frame_count++;
    model->frames[frame] = (struct model_frame){.code = code, .module = module, .type = MODEL_NONE};
    for (size_t i = 0; i < count; i++)
        if (!model_add_line(model, frame, &locations[i]))
            return MODEL_NONE;
    return frame;
}

bool model_name_frame(struct model *model, uint32_t frame, const struct heaptap_location *lines,
                      size_t count)
{
    uint32_t module = model->frames[frame].module;
    bool done = true;
    model->frames[frame].line_count = 0;
    for (size_t i = 0; done && i < count; i++)
        done = model_add_line(model, frame, &lines[i]);
    if (module != MODEL_NONE)
        model_module_set_named(&model->modules[module]);
    return done;
}

bool model_add_type(struct model *model, uint32_t frame, const char *name)
{
    const char *copy = model_text(model, name);
    if (!copy || !ARRAY_RESERVE(&model->types, &model->type_capacity, model->type_count + 1))
        return false;
    if (frame != MODEL_NONE)
        model->frames[frame].type = (uint32_t)model->type_count;
    model->types[model->type_count++] = copy;
    model->is_guest = true;
    return true;
}

uint32_t model_stack(struct model *model, const uint32_t *frames, size_t count,
                     enum heaptap_stack_direction direction)
{
    uint32_t node = STACK_ROOT;
    bool reversed = direction == HEAPTAP_SITE_FIRST;
    for (size_t i = 0; i < count && node != STACK_NONE; i++)
        node = stack_trie_child(&model->trie, node, frames[reversed ? count - 1 - i : i]);
    return node == STACK_NONE ? MODEL_NONE : stack_trie_stack(&model->trie, node);
}
