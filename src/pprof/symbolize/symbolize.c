/* A profile's addresses are those of calls, not of where they return to, so they are looked up as
 * they are.  Its mappings are of segments mostly; the symbolizer takes these. */
#include "pprof/symbolize/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/code.h"
#include "base/hex.h"

/* None, where the text is not in hexadecimal: other tools have ids of their own. */
size_t symbolize_build_id(const struct model_module *mapping, uint8_t id[HEAPTAP_BUILD_ID_MAX])
{
    const char *text = mapping->build_id;
    size_t size = strlen(text);
    if (size % 2 || size / 2 > HEAPTAP_BUILD_ID_MAX)
        return 0;
    for (size_t i = 0; i < size; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return 0;
        id[i / 2] = (uint8_t)(high << 4 | low);
    }
    return size / 2;
}

/* How a profile's modules are found. */
struct finding {
    bool by_id; /* by their build ids alone, and never by their paths */
    int64_t
        since_us; /* files without a build id that have changed later are not used; 0: whenever they have */
};

/* A path that leads nowhere, with the name of the mapping's file: what is looked up by its id alone is opened by that.  "" for none;
 * to be cut off again, see take_answer. */
static const char nowhere[] = "/nowhere/of/another/machine";

static const char *path_of(struct model *model, const struct model_module *mapping,
                           const struct finding *finding)
{
    char *path;
    if (!finding->by_id)
        return mapping->path;
    if (asprintf(&path, "%s%s", nowhere, mapping->path) < 0)
        return NULL;
    const char *kept = names_copy(&model->names, path);
    free(path);
    return kept;
}

static bool add_module(struct model *model, struct symbolizer *symbolizer, size_t number,
                       const struct finding *finding)
{
    const struct model_module *mapping = &model->modules[number];
    struct heaptap_metadata module = {.kind = HEAPTAP_MODULE,
                                      .name = path_of(model, mapping, finding),
                                      .address = mapping->start,
                                      .size_bytes = mapping->size,
                                      .file_offset = mapping->file_offset,
                                      .number = number,
                                      .unloaded_us = -1};
    module.build_id_size = (uint8_t)symbolize_build_id(mapping, module.build_id);
    if (finding->by_id && module.build_id_size == 0)
        return true;
    return module.name && symbolizer_add_module(symbolizer, &module, NULL) == HEAPTAP_OK;
}

static bool add_modules(struct model *model, struct symbolizer *symbolizer,
                        const struct finding *finding)
{
    if (finding->since_us > 0)
        symbolizer_check_files(symbolizer, finding->since_us);
    for (size_t i = 0; i < model->module_count; i++) {
        const struct model_module *mapping = &model->modules[i];
        if (mapping->path[0] == '/' && model_module_limit(mapping) > mapping->start &&
            !add_module(model, symbolizer, i, finding))
            return false;
    }
    return true;
}

static bool is_named(const struct model *model, const struct model_frame *location)
{
    return location->line_count > 1 ||
           (location->line_count == 1 &&
            !ends_with_offset(model->lines[location->first_line].function));
}

bool symbolize_pprof_wants(const struct model *model, const struct model_frame *location)
{
    return !is_named(model, location) && location->code != 0 && location->module != MODEL_NONE &&
           model->modules[location->module].path[0] == '/';
}

/* Is it no more than where in the module the address is? */
static bool is_nothing(const struct symbol_answer *answer)
{
    return answer->count == 0 ||
           (answer->count == 1 && ends_with_offset(answer->locations[0].function));
}

/* Names of files are cut where they begin with `nowhere`. */
static bool take_answer(struct model *model, uint32_t number, const struct symbol_answer *answer)
{
    const struct model_frame *location = &model->frames[number];
    bool done = model_name_frame(model, number, answer->locations, answer->count);
    for (uint32_t i = 0; done && i < location->line_count; i++) {
        const char **file = &model->lines[location->first_line + i].file;
        if (strncmp(*file, nowhere, strlen(nowhere)) == 0)
            *file = names_copy(&model->names, *file + strlen(nowhere));
        done = *file;
    }
    return done;
}

/* Mappings can be of what stood at one address in turn, so each is an epoch. */
static struct symbol_query query_of(const struct model_frame *location)
{
    return (struct symbol_query){.code = code_address(location->code) | (uint64_t)location->module
                                                                            << CODE_EPOCH_SHIFT};
}

/* `places`: also where nothing is known of the code. */
static bool symbolize(struct model *model, struct symbolizer *symbolizer,
                      const struct finding *finding, bool places, size_t *found)
{
    struct symbol_query *queries = calloc(model->frame_count + 1, sizeof *queries);
    struct symbol_answer *answers = calloc(model->frame_count + 1, sizeof *answers);
    uint32_t *locations = malloc((model->frame_count + 1) * sizeof *locations);
    bool done = queries && answers && locations && add_modules(model, symbolizer, finding);
    size_t count = 0;
    for (size_t i = 0; done && i < model->frame_count; i++) {
        if (!symbolize_pprof_wants(model, &model->frames[i]))
            continue;
        queries[count] = query_of(&model->frames[i]);
        locations[count++] = (uint32_t)i;
    }
    done = done && (count == 0 ||
                    symbolizer_resolve(symbolizer, queries, count, answers, NULL) == HEAPTAP_OK);
    for (size_t i = 0; done && i < count; i++) {
        struct model_frame *location = &model->frames[locations[i]];
        bool is_new = !is_nothing(&answers[i]) || (places && location->line_count == 0);
        if (is_new && answers[i].count > 0) {
            done = take_answer(model, locations[i], &answers[i]);
            ++*found;
        }
    }
    free(queries);
    free(answers);
    free(locations);
    return done;
}

int64_t symbolize_pprof_time(const struct model *model)
{
    return model->file ? model->file->time_ns / 1000 : 0;
}

bool symbolize_pprof(struct model *model, struct symbolizer *symbolizer, int64_t since_us,
                     size_t *found)
{
    *found = 0;
    return symbolize(model, symbolizer, &(struct finding){.since_us = since_us}, true, found);
}

bool symbolize_pprof_by_id(struct model *model, struct symbolizer *symbolizer, size_t *found)
{
    *found = 0;
    return symbolize(model, symbolizer, &(struct finding){.by_id = true}, true, found);
}

static bool has_wanted(const struct model *model)
{
    for (size_t i = 0; i < model->frame_count; i++)
        if (symbolize_pprof_wants(model, &model->frames[i]))
            return true;
    return false;
}

bool symbolize_pprof_quietly(struct model *model)
{
    struct symbolizer *symbolizer;
    size_t found = 0;
    if (!has_wanted(model))
        return true;
    if (symbolizer_new(&symbolizer, NULL, NULL) != HEAPTAP_OK)
        return false;
    struct finding finding = {.since_us = symbolize_pprof_time(model)};
    bool done = symbolize(model, symbolizer, &finding, false, &found);
    symbolizer_free(symbolizer);
    return done;
}
