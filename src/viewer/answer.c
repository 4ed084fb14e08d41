#include "viewer/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/json.h"
#include "export/range_json.h"
#include "viewer/answer_time.h"
#include "profile/filter_words.h"
#include "viewer/answer_report.h"
#include "viewer/answering.h"

/* ---- What the files are ------------------------------------------------------------------ */

static void put_info(struct json *json, const struct heaptap_trace_info *info)
{
    json_put_uint(json, "version", info->version);
    json_put_double(json, "sample_rate", info->sample_rate);
    json_put_uint(json, "word_bits", info->word_bits);
    json_put_string(json, "executable", info->executable);
    json_put_string(json, "host", info->host);
    json_put_string(json, "runtime_params", info->runtime_params);
    json_put_string(json, "context", info->context);
    json_put_uint(json, "pid", info->pid);
    json_put_int(json, "start_us", info->start_us);
}

static void put_objects(struct json *json, const struct model *model)
{
    put_info(json, &model->info);
    json_put_double(json, "thinned", model->thinned);
    json_put_double(json, "sample_bytes", model->estimate.bytes_per_sample);
    json_put_int(json, "duration_us", model->end_us);
    json_put_uint(json, "objects", model->objects.count);
    json_put_bool(json, "promotes", model->objects.promoted_us);
    json_put_uint(json, "domains", model->domain_count);
    json_put_int(json, "peak_us", model->peak.time_us);
    json_put_double(json, "peak_bytes",
                    estimate_bytes(&model->estimate, (double)model->peak.samples));
    range_json_put(json, "peak_", peak_range(&model->peak, &model->estimate));
    json_put_uint(json, "peak_samples", (uint64_t)model->peak.samples);
}

static void put_types(struct json *json, const struct model_samples *samples)
{
    json_put_uint(json, "samples", samples->count);
    json_put_uint(json, "default_type", samples->default_type);
    json_key(json, "types");
    json_begin_array(json);
    for (size_t i = 0; i < samples->type_count; i++) {
        json_begin_object(json);
        json_put_string(json, "type", samples->types[i].name);
        json_put_string(json, "unit", samples->types[i].unit);
        json_end(json);
    }
    json_end(json);
}

static void put_file(struct json *json, const struct viewer_dataset *file)
{
    const struct model *model = file->model;
    json_begin_object(json);
    json_put_string(json, "name", file->name);
    json_put_string(json, "remark", file->remark);
    json_put_string(json, "filter", file->filter);
    json_put_string(json, "kind", model->kind == MODEL_OBJECTS ? "trace" : "profile");
    if (model->kind == MODEL_OBJECTS)
        put_objects(json, model);
    else
        put_types(json, &model->samples);
    json_end(json);
}

static void put_clause(struct json *json, const struct filter_word_info *info)
{
    json_begin_object(json);
    json_put_string(json, "word", info->name);
    json_put_string(json, "takes", info->takes);
    json_put_string(json, "help", info->help);
    json_put_bool(json, "times", info->traits & WORD_NEEDS_TIMES);
    json_put_bool(json, "frames", info->traits & WORD_TAKES_PART);
    json_key(json, "values");
    json_begin_array(json);
    for (int i = 0; i < FILTER_VALUES_MAX && info->values[i]; i++)
        json_text(json, info->values[i]);
    json_end(json);
    json_end(json);
}

/* The words of the filter language, for the page's filter bar. */
static void put_clauses(struct json *json)
{
    json_key(json, "clauses");
    json_begin_array(json);
    for (int word = 0; word < FILTER_WORD_COUNT; word++)
        put_clause(json, filter_word_info((enum filter_word)word));
    json_end(json);
}

static void put_about(struct json *json, const struct viewer_state *state)
{
    bool is_ready = state->file_count > 0;
    json_put_string(json, "name", state->name);
    json_put_string(json, "state", *state->failure ? "failed" : is_ready ? "ready" : "reading");
    json_put_uint(json, "bytes_read", state->bytes_read);
    json_put_uint(json, "bytes_whole", state->bytes_whole);
    json_put_uint(json, "generation", state->generation);
    json_put_bool(json, "live", state->is_live);
    if (state->home)
        json_put_string(json, "home", state->home);
    if (!is_ready && *state->program) {
        json_put_string(json, "program", state->program);
        json_put_int(json, "start_us", state->start_us);
    }
    if (*state->failure)
        json_put_string(json, "failure", state->failure);
    json_key(json, "files");
    json_begin_array(json);
    for (size_t i = 0; i < state->file_count; i++)
        put_file(json, state->files[i]);
    json_end(json);
    if (state->base) {
        json_key(json, "base");
        put_file(json, state->base);
    }
    put_clauses(json);
}

/* ---- Answers about a selection ----------------------------------------------------------- */

enum viewer_verdict answering_refuse(struct answering *answering, const char *message)
{
    error_set(&answering->error, HEAPTAP_BAD_ARGUMENT, "%s", message);
    return VIEWER_BAD_REQUEST;
}

static bool put_series(struct answering *answering, const struct viewer_selected *selected,
                       int64_t to_us)
{
    struct series series;
    const struct viewer_request *request = answering->request;
    if (!series_init_steps(&series, &selected->report.matcher, request->from_us, to_us,
                           request->steps))
        return false;
    answer_put_series(answering->json, &series);
    series_release(&series);
    return true;
}

/* The base's beside it are of the same times. */
static enum viewer_verdict put_timeline(struct answering *answering)
{
    const struct viewer_request *request = answering->request;
    const struct model *model = answering->file->model;
    int64_t end = request->to_us ? request->to_us : model->end_us + 1;
    if (model->kind != MODEL_OBJECTS)
        return answering_refuse(answering, "this file has no times");
    if (request->from_us >= end)
        return answering_refuse(answering, "'from' has to be before 'to'");
    bool done = put_series(answering, answering->selected, end);
    if (done && answering->base) {
        json_key(answering->json, "base");
        json_begin_object(answering->json);
        done = put_series(answering, answering->compared, end);
        json_end(answering->json);
    }
    return answering_end(done);
}

static bool put_spread(struct answering *answering, const struct viewer_dataset *file,
                       const struct viewer_selected *selected)
{
    struct distributions distributions;
    if (!distributions_init(&distributions, &selected->report.matcher,
                            answering->request->quantity))
        return false;
    answer_put_distributions(answering->json, &distributions, file->model);
    distributions_release(&distributions);
    return true;
}

static enum viewer_verdict put_distributions(struct answering *answering)
{
    if (answering->file->model->kind != MODEL_OBJECTS)
        return answering_refuse(answering, "this file has no sizes and times of single blocks");
    bool done = put_spread(answering, answering->file, answering->selected);
    if (done && answering->base) {
        json_key(answering->json, "base");
        json_begin_object(answering->json);
        done = put_spread(answering, answering->base, answering->compared);
        json_end(answering->json);
    }
    return answering_end(done);
}

static enum viewer_verdict put_selected(struct answering *answering)
{
    switch (answering->request->subject) {
    case VIEWER_TREE:
        return answering_put_tree(answering);
    case VIEWER_TIMELINE:
        return put_timeline(answering);
    case VIEWER_DISTRIBUTIONS:
        return put_distributions(answering);
    default:
        return VIEWER_UNKNOWN;
    }
}

/* ---- Any answer -------------------------------------------------------------------------- */

static enum viewer_verdict verdict_of(enum heaptap_status status)
{
    return status == HEAPTAP_OK          ? VIEWER_FINE
           : status == HEAPTAP_NO_MEMORY ? VIEWER_NO_MEMORY
                                         : VIEWER_BAD_REQUEST;
}

/* Selects the same of the base; of a profile's values, those of the same name. */
static enum viewer_verdict find_base(struct answering *answering, const struct viewer_state *state,
                                     struct selection_options *options, size_t *length)
{
    const struct model *model = answering->file->model;
    if (!state->base)
        return answering_refuse(answering, "there is no base to compare with");
    if (state->base->model->kind != model->kind)
        return answering_refuse(answering, "a trace and a profile of values cannot be compared");
    if (model->kind == MODEL_SAMPLES) {
        const char *name = model->samples.types[options->value_type].name;
        long type = model_find_value_type(state->base->model, name);
        if (type < 0)
            return answering_refuse(answering, "the base has no values of this type");
        if (strcmp(state->base->model->samples.types[type].unit,
                   model->samples.types[options->value_type].unit) != 0)
            return answering_refuse(answering, "the base's values are in another unit");
        options->value_type = (size_t)type;
    }
    answering->base = state->base;
    return verdict_of(viewer_dataset_select(state->base, answering->request->filter, options,
                                            &answering->compared, length, &answering->error));
}

/* Finds the file and the selection that a request is about. */
static enum viewer_verdict find_selected(struct answering *answering,
                                         const struct viewer_state *state, size_t *length)
{
    const struct viewer_request *request = answering->request;
    struct selection_options options = {.quantity = request->quantity,
                                        .value_type = request->value_type};
    if (state->file_count == 0) {
        answering_refuse(answering,
                         *state->failure ? state->failure : "the trace is still being read");
        return VIEWER_NOT_YET;
    }
    if (request->file >= state->file_count)
        return answering_refuse(answering, "there is no file of this number");
    answering->file = state->files[request->file];
    const struct model *model = answering->file->model;
    if (model->kind == MODEL_SAMPLES && request->value_type >= model->samples.type_count)
        return answering_refuse(answering, "there is no sample type of this number");
    enum heaptap_status status =
        viewer_dataset_select(answering->file, request->filter, &options, &answering->selected,
                              length, &answering->error);
    if (status == HEAPTAP_OK && request->against_base)
        return find_base(answering, state, &options, length);
    return verdict_of(status);
}

static void put_refusal(struct json *json, const struct heaptap_error *error, size_t length)
{
    json_put_string(json, "error", error->message);
    if (length > 0) {
        json_put_uint(json, "offset", error->offset);
        json_put_uint(json, "length", length);
    }
}

/* An answer's bytes, as they grow. */
struct document {
    char *text;
    size_t size;
    FILE *file;
};

/* Throws away what has been written. */
static void begin_again(struct document *document)
{
    rewind(document->file);
}

static void put_error(struct document *document, const struct heaptap_error *error, size_t length)
{
    struct json json;
    begin_again(document);
    json_init_compact(&json, document->file);
    json.shown = true;
    json_begin_object(&json);
    put_refusal(&json, error, length);
    json_end(&json);
}

static enum viewer_verdict put_views(struct document *document, const struct viewer_state *state,
                                     const struct viewer_request *request, size_t *length,
                                     struct heaptap_error *error)
{
    struct json json;
    struct answering answering = {.json = &json, .state = state, .request = request};
    enum viewer_verdict verdict = VIEWER_FINE;
    json_init_compact(&json, document->file);
    json.shown = true;
    json_begin_object(&json);
    if (request->subject == VIEWER_ABOUT)
        put_about(&json, state);
    else if (request->subject == VIEWER_REPORTS)
        answer_put_reports(&json, state->base);
    else
        verdict = find_selected(&answering, state, length);
    if (request->subject > VIEWER_ANSWER && verdict == VIEWER_FINE)
        verdict = put_selected(&answering);
    json_end(&json);
    *error = answering.error;
    return verdict;
}

static enum viewer_verdict put_document(struct document *document, const struct viewer_state *state,
                                        const struct viewer_request *request)
{
    struct heaptap_error error = {0};
    size_t length = 0;
    enum viewer_verdict verdict =
        request->subject == VIEWER_ANSWER
            ? answer_report_put(document->file, state, request, &length, &error)
            : put_views(document, state, request, &length, &error);
    if (verdict != VIEWER_FINE && verdict != VIEWER_NO_MEMORY)
        put_error(document, &error, length);
    return verdict;
}

void viewer_answer_make(struct viewer_answer *answer, const struct viewer_state *state,
                        const struct viewer_request *request)
{
    struct document document = {0};
    *answer = (struct viewer_answer){.verdict = VIEWER_NO_MEMORY};
    document.file = open_memstream(&document.text, &document.size);
    if (!document.file)
        return;
    enum viewer_verdict verdict = put_document(&document, state, request);
    bool failed = ferror(document.file);
    if (fclose(document.file) != 0 || failed || verdict == VIEWER_NO_MEMORY)
        free(document.text);
    else
        *answer = (struct viewer_answer){verdict, document.text, document.size};
}
