#include "page/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "answer/json.h"
#include "answer/range_json.h"
#include "profile/filter_words.h"
#include "profile/holders.h"
#include "page/answer_report.h"

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
    json_put_bool(json, "promotes", model_has_promotions(model));
    json_put_uint(json, "domains", model->domain_count);
    json_put_int(json, "peak_us", model->peak.time_us);
    json_put_double(json, "peak_bytes",
                    estimate_bytes(&model->estimate, (double)model->peak.samples));
    range_json_put(json, "peak_", peak_range(&model->peak, &model->estimate));
    json_put_uint(json, "peak_samples", (uint64_t)model->peak.samples);
    json_put_uint(json, "snapshots", model->holders ? model->holders->count : 0);
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
    json_put_bool(json, "growing", file->is_growing);
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
    json_put_bool(json, "blocks", info->stage == STAGE_SHAPES || info->stage == STAGE_LIVES);
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
    json_put_string(json, "state", is_ready ? "ready" : "reading");
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

/* ---- Any answer -------------------------------------------------------------------------- */

static void put_refusal(struct json *json, const struct heaptap_error *error, size_t length)
{
    json_put_string(json, "error", error->message);
    if (length > 0) {
        json_put_uint(json, "offset", error->offset);
        json_put_uint(json, "length", length);
    }
}

/* Throws away what has been written. */
static void put_error(FILE *file, const struct heaptap_error *error, size_t length)
{
    struct json json;
    rewind(file);
    json_init_compact(&json, file);
    json.shown = true;
    json_begin_object(&json);
    put_refusal(&json, error, length);
    json_end(&json);
}

/* What is known without a question. */
static void put_known(FILE *file, const struct viewer_state *state,
                      const struct viewer_request *request)
{
    struct json json;
    json_init_compact(&json, file);
    json.shown = true;
    json_begin_object(&json);
    if (request->subject == VIEWER_ABOUT)
        put_about(&json, state);
    else
        answer_put_reports(&json, state);
    json_end(&json);
}

static enum viewer_verdict put(FILE *file, const struct viewer_state *state,
                               const struct viewer_request *request)
{
    struct heaptap_error error = {0};
    size_t length = 0;
    if (request->subject < VIEWER_ANSWER)
        return put_known(file, state, request), VIEWER_FINE;
    enum viewer_verdict verdict = answer_report_put(file, state, request, &length, &error);
    if (verdict != VIEWER_FINE && verdict != VIEWER_NO_MEMORY)
        put_error(file, &error, length);
    return verdict;
}

struct net_answer viewer_answer_json(unsigned status, FILE *file, char **text, size_t *size)
{
    bool failed = ferror(file) || status == VIEWER_NO_MEMORY;
    if (fclose(file) != 0 || failed) {
        free(*text);
        return (struct net_answer){.status = VIEWER_NO_MEMORY};
    }
    return (struct net_answer){status, "application/json", *text, *size, false};
}

struct net_answer viewer_answer_make(const struct viewer_state *state,
                                     const struct viewer_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return (struct net_answer){.status = VIEWER_NO_MEMORY};
    enum viewer_verdict verdict = put(file, state, request);
    return viewer_answer_json(verdict, file, &text, &size);
}

struct net_answer viewer_answer_refuse(unsigned status, const char *sentence)
{
    char *text = NULL;
    size_t size = 0;
    struct heaptap_error error;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return (struct net_answer){.status = VIEWER_NO_MEMORY};
    error_set(&error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
    put_error(file, &error, 0);
    return viewer_answer_json(status, file, &text, &size);
}
