/* heaptap/profile.h on the model: a profile is a model, a selection a filter with what it leaves.
 */
#include "heaptap/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/calls/call_graph.h"
#include "base/array.h"
#include "base/error.h"
#include "library/open_model.h"
#include "profile/quantity.h"

struct heaptap_profile {
    struct model *model;
};

struct heaptap_selection {
    const struct model *model;
    struct selection_options what;
    enum stack_weight weight;
    struct heaptap_sample_type type;
    struct selection selection;
    struct call_graph graph; /* of the latest rows */
    struct heaptap_row *rows;
    bool has_graph;
};

/* ---- Files -------------------------------------------------------------------------- */

enum heaptap_status heaptap_profile_open_fd(struct heaptap_profile **profile, int fd,
                                            struct heaptap_error *error)
{
    struct model *model = NULL;
    if (profile)
        *profile = NULL;
    else
        close(fd);
    if (!profile)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no place for the profile");
    enum heaptap_status status = open_model(&model, fd, error);
    if (model)
        *profile = malloc(sizeof **profile);
    if (*profile)
        (*profile)->model = model;
    else
        model_free(model);
    return model && !*profile ? error_no_memory(error) : status;
}

enum heaptap_status heaptap_profile_open(struct heaptap_profile **profile, const char *path,
                                         struct heaptap_error *error)
{
    if (profile)
        *profile = NULL;
    if (!profile || !path)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "there is no path, or no place for the profile");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_system(error, "cannot open")
                  : heaptap_profile_open_fd(profile, fd, error);
}

void heaptap_profile_close(struct heaptap_profile *profile)
{
    if (profile)
        model_free(profile->model);
    free(profile);
}

const struct heaptap_trace_info *heaptap_profile_info(const struct heaptap_profile *profile)
{
    return profile && profile->model->kind == MODEL_OBJECTS ? &profile->model->info : NULL;
}

int64_t heaptap_profile_end_us(const struct heaptap_profile *profile)
{
    return profile ? profile->model->end_us : 0;
}

int64_t heaptap_profile_peak_us(const struct heaptap_profile *profile)
{
    return profile ? profile->model->peak.time_us : 0;
}

bool heaptap_profile_type(const struct heaptap_profile *profile, size_t number,
                          struct heaptap_sample_type *type)
{
    if (!profile || !type)
        return false;
    const struct model *model = profile->model;
    const struct quantity *quantity = quantity_at(number);
    if (model->kind == MODEL_OBJECTS) {
        if (quantity)
            *type = (struct heaptap_sample_type){quantity->name, quantity->unit};
        return quantity;
    }
    if (number >= model->samples.type_count)
        return false;
    const struct model_value_type *own = &model->samples.types[number];
    *type = (struct heaptap_sample_type){own->name, own->unit};
    return true;
}

/* ---- Filters ------------------------------------------------------------------------ */

enum heaptap_status heaptap_filter_check(const char *text, size_t *length,
                                         struct heaptap_error *error)
{
    struct filter filter;
    enum heaptap_status status = filter_parse(&filter, text ? text : "", length, error);
    if (status == HEAPTAP_OK)
        filter_release(&filter);
    return status;
}

static enum heaptap_status choose_type(struct heaptap_selection *selection, const char *name,
                                       struct heaptap_error *error)
{
    const struct model *model = selection->model;
    const struct quantity *quantity = quantity_find(name);
    if (model->kind == MODEL_OBJECTS && quantity) {
        selection->what.quantity = quantity->quantity;
        selection->weight = quantity->weight;
        selection->type = (struct heaptap_sample_type){quantity->name, quantity->unit};
        return HEAPTAP_OK;
    }
    long type = model->kind == MODEL_OBJECTS ? -1
                : name                       ? model_find_value_type(model, name)
                                             : (long)model->samples.default_type;
    if (type < 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no sample type '%s'", name);
    selection->what.value_type = (size_t)type;
    selection->weight = WEIGHT_VALUE;
    selection->type = (struct heaptap_sample_type){model->samples.types[type].name,
                                                   model->samples.types[type].unit};
    return HEAPTAP_OK;
}

static enum heaptap_status select_rows(struct heaptap_selection *selection, const char *text,
                                       struct heaptap_error *error)
{
    struct filter filter;
    struct matcher matcher;
    enum heaptap_status status = filter_parse(&filter, text ? text : "", NULL, error);
    if (status != HEAPTAP_OK)
        return status;
    status = matcher_init(&matcher, selection->model, &filter, NULL, error);
    if (status == HEAPTAP_OK) {
        if (!selection_init(&selection->selection, &matcher, &filter, &selection->what, NULL))
            status = error_no_memory(error);
        matcher_release(&matcher);
    }
    filter_release(&filter);
    return status;
}

enum heaptap_status heaptap_profile_select(struct heaptap_selection **selection,
                                           const struct heaptap_profile *profile,
                                           const char *filter, const char *sample_type,
                                           struct heaptap_error *error)
{
    if (selection)
        *selection = NULL;
    if (!selection || !profile)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "there is no profile, or no place for the selection");
    *selection = calloc(1, sizeof **selection);
    if (!*selection)
        return error_no_memory(error);
    (*selection)->model = profile->model;
    enum heaptap_status status = choose_type(*selection, sample_type, error);
    if (status == HEAPTAP_OK)
        status = select_rows(*selection, filter, error);
    if (status != HEAPTAP_OK) {
        free(*selection);
        *selection = NULL;
    }
    return status;
}

static void release_rows(struct heaptap_selection *selection)
{
    if (selection->has_graph)
        call_graph_release(&selection->graph);
    free(selection->rows);
    selection->rows = NULL;
    selection->has_graph = false;
}

void heaptap_selection_free(struct heaptap_selection *selection)
{
    if (!selection)
        return;
    release_rows(selection);
    selection_release(&selection->selection);
    free(selection);
}

/* ---- Values ------------------------------------------------------------------------- */

static double value_of(const struct heaptap_selection *selection, const struct stack_tally *tally)
{
    return stack_tally_weight(tally, &selection->selection.profile.estimate, selection->weight);
}

struct heaptap_sample_type heaptap_selection_type(const struct heaptap_selection *selection)
{
    return selection ? selection->type : (struct heaptap_sample_type){0};
}

double heaptap_selection_total(const struct heaptap_selection *selection)
{
    return selection ? value_of(selection, &selection->selection.profile.total) : 0;
}

double heaptap_selection_whole(const struct heaptap_selection *selection)
{
    return selection ? value_of(selection, &selection->selection.whole) : 0;
}

static struct estimate_range range_of(const struct heaptap_selection *selection,
                                      const struct stack_tally *tally)
{
    return stack_tally_range(tally, &selection->selection.profile.estimate, selection->weight);
}

void heaptap_selection_bounds(const struct heaptap_selection *selection, double *low, double *high,
                              uint64_t *samples)
{
    static const struct stack_tally none;
    const struct stack_tally *total = selection ? &selection->selection.profile.total : &none;
    struct estimate_range range =
        selection ? range_of(selection, total) : (struct estimate_range){0};
    if (low)
        *low = range.low;
    if (high)
        *high = range.high;
    if (samples)
        *samples = total->samples;
}

static void fill_bounds(const struct heaptap_selection *selection, struct heaptap_row *row,
                        const struct call_tallies *tallies)
{
    struct estimate_range of_flat = range_of(selection, &tallies->flat);
    struct estimate_range of_cum = range_of(selection, &tallies->cum);
    row->flat_low = of_flat.low;
    row->flat_high = of_flat.high;
    row->cum_low = of_cum.low;
    row->cum_high = of_cum.high;
    row->flat_samples = tallies->flat.samples;
    row->cum_samples = tallies->cum.samples;
}

static bool fill_rows(struct heaptap_selection *selection)
{
    const struct call_graph *graph = &selection->graph;
    selection->rows = malloc((graph->count + 1) * sizeof *selection->rows);
    for (size_t i = 0; selection->rows && i < graph->count; i++) {
        const struct call_node *node = &graph->nodes[i];
        const struct symbol *symbol = &graph->symbols.items[node->symbol];
        selection->rows[i] = (struct heaptap_row){
            .name = node->name,
            .function = symbol->function ? symbol->function : "",
            .file = symbol->file ? symbol->file : "",
            .line = symbol->line,
            .address = symbol->address,
            .flat = node->flat,
            .cum = node->cum,
        };
        fill_bounds(selection, &selection->rows[i], &graph->tallies[node->symbol]);
    }
    return selection->rows;
}

static bool make_rows(struct heaptap_selection *selection, const struct call_graph_options *how)
{
    selection->has_graph = call_graph_init(&selection->graph, &selection->selection.profile,
                                           &selection->selection.frames, how);
    return selection->has_graph && fill_rows(selection);
}

enum heaptap_status heaptap_selection_rows(struct heaptap_selection *selection,
                                           enum heaptap_granularity granularity,
                                           const struct heaptap_row **rows, size_t *count,
                                           struct heaptap_error *error)
{
    static const enum symbol_grain grains[] = {GRAIN_NAME, GRAIN_FUNCTION, GRAIN_FILE, GRAIN_LINE,
                                               GRAIN_ADDRESS};
    if (count)
        *count = 0;
    if (!selection || !rows || !count)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "there is no selection, or no place for its rows");
    if ((unsigned)granularity >= sizeof grains / sizeof grains[0])
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no granularity %d",
                         (int)granularity);
    struct call_graph_options how = {.grain = grains[granularity],
                                     .has_tallies = true,
                                     .weight = selection->weight,
                                     .order = ORDER_FLAT,
                                     .no_edges = true};
    release_rows(selection);
    if (!make_rows(selection, &how))
        return error_no_memory(error);
    *rows = selection->rows;
    *count = selection->graph.count;
    return HEAPTAP_OK;
}

struct path {
    uint32_t *frames; /* the innermost first */
    size_t capacity;
    struct heaptap_location *locations;
    size_t count, location_capacity;
};

static bool add_locations(struct path *path, const struct frame_source *source, uint32_t frame)
{
    static const struct heaptap_location unknown = {.file = "", .function = ""};
    size_t count;
    const struct heaptap_location *locations = frame_source_locations(source, frame, &count);
    if (count == 0)
        locations = &unknown;
    count = count > 0 ? count : 1;
    if (!ARRAY_RESERVE(&path->locations, &path->location_capacity, path->count + count))
        return false;
    memcpy(path->locations + path->count, locations, count * sizeof *locations);
    path->count += count;
    return true;
}

static bool follow(struct path *path, const struct selection *selection, uint32_t stack)
{
    const struct stack_trie *trie = &selection->profile.trie;
    size_t depth = 0;
    path->count = 0;
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent) {
        if (!ARRAY_RESERVE(&path->frames, &path->capacity, depth + 1))
            return false;
        path->frames[depth++] = trie->nodes[node].frame;
    }
    while (depth-- > 0)
        if (!add_locations(path, &selection->frames, path->frames[depth]))
            return false;
    return true;
}

enum heaptap_status heaptap_selection_stacks(const struct heaptap_selection *selection,
                                             heaptap_stack_visitor *visit, void *context,
                                             struct heaptap_error *error)
{
    if (!selection || !visit)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no selection, or no visitor");
    const struct stack_profile *profile = &selection->selection.profile;
    struct path path = {0};
    bool done = true, goes_on = true;
    for (uint32_t i = 0; goes_on && i < profile->trie.stack_count; i++) {
        double value = value_of(selection, &profile->tallies[i]);
        if (value == 0)
            continue;
        done = follow(&path, &selection->selection, i);
        goes_on = done && visit(context, path.locations, path.count, value);
    }
    free(path.frames);
    free(path.locations);
    return done ? HEAPTAP_OK : error_no_memory(error);
}
