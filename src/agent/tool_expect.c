/* expect: an estimate that was made before looking, held against what was measured.  More than a factor of ten apart, something
 * is misunderstood: the program, the recording or the question. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/tool.h"
#include "base/amount.h"
#include "base/magnitude.h"

/* What can be estimated, and which report has it. */
static const struct measure {
    const char *name;
    const char *report, *option;
    const char *within; /* the object of the answer that has it; NULL: the answer itself */
    const char *value, *low, *high; /* its members */
} measures[] = {
    {"allocated", "top", "--sample=alloc_space", NULL, "selected", "selected_low", "selected_high"},
    {"objects", "top", "--sample=alloc_objects", NULL, "selected", "selected_low", "selected_high"},
    {"live", "top", "--sample=inuse_space", NULL, "selected", "selected_low", "selected_high"},
    {"peak", "timeline", "--steps=1", "series", "peak_bytes", "peak_bytes_low", "peak_bytes_high"},
};

static const struct measure *find_measure(const char *name)
{
    for (size_t i = 0; name && i < sizeof measures / sizeof measures[0]; i++)
        if (strcmp(measures[i].name, name) == 0)
            return &measures[i];
    return NULL;
}

static json_t *schema(const struct agent_options *options)
{
    json_t *measure = tool_property(
        "string", "allocated: bytes; objects: blocks; live: bytes alive at the end; peak: "
                  "bytes alive at once");
    json_t *names = json_array();
    (void)options;
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        json_array_append_new(names, json_string(measures[i].name));
    json_object_set_new(measure, "enum", names);
    return tool_schema(
        json_pack("{s:o,s:o,s:o,s:o}", "file",
                  tool_property("string", "A recording or profile, as `files` lists it"), "measure",
                  measure, "estimate",
                  tool_property("string", "What you expect, before looking: 20MB, 317kB, 1.5M "
                                          "(objects)"),
                  "filter", tool_property("string", "Clauses, as in `ask`")),
        "file measure estimate");
}

static bool read_estimate(const struct call *call, double *estimate)
{
    const json_t *value = json_object_get(call->arguments, "estimate");
    const char *text = json_string_value(value);
    bool is_count =
        strcmp(json_string_value(json_object_get(call->arguments, "measure")), "objects") == 0;
    *estimate = json_number_value(value);
    return text ? (is_count ? amount_count(text, estimate) : amount_bytes(text, estimate))
                : json_is_number(value) && *estimate >= 0;
}

static bool begin(struct call *call)
{
    double estimate;
    const struct measure *measure = find_measure(call_need(call, "measure"));
    if (call->error.status == HEAPTAP_OK && !measure)
        return call_refuse(call, "'measure' takes allocated, objects, live or peak");
    if (!measure)
        return false;
    if (!read_estimate(call, &estimate))
        return call_refuse(call, "'estimate' takes an amount such as 20MB or 1.5M");
    words_add(&call->command, "%s", call->options->heaptap);
    words_add(&call->command, "%s", measure->report);
    words_add(&call->command, "--json");
    words_add(&call->command, "%s", measure->option);
    if (strcmp(measure->report, "top") == 0)
        words_add(&call->command, "--node-count=1");
    return call_add_filter(call) && call_add_file(call, "file");
}

/* Nothing recorded is never as expected, were it 0. */
static const char *verdict_of(double measured, double estimate)
{
    if (measured == 0)
        return "nothing was recorded under this filter: an estimate of nothing can't be judged";
    if (!magnitude_is_near(measured, estimate))
        return "more than a factor of ten apart: something is misunderstood; look before you change anything";
    return fabs(log10(measured / estimate)) > log10(2) ? "within a factor of ten"
                                                       : "within a factor of two";
}

static void finish(struct call *call, int status)
{
    json_t *answer = call_answer(call, status);
    const struct measure *measure =
        find_measure(json_string_value(json_object_get(call->arguments, "measure")));
    double estimate = 0;
    if (!answer)
        return;
    const json_t *of = measure->within ? json_object_get(answer, measure->within) : answer;
    double measured = json_number_value(json_object_get(of, measure->value));
    read_estimate(call, &estimate);
    bool is_near = measured > 0 && magnitude_is_near(measured, estimate);
    json_t *judged = json_pack("{s:s,s:f,s:f,s:b,s:s}", "measure", measure->name, "measured",
                               measured, "estimate", estimate, "as_expected", is_near, "verdict",
                               verdict_of(measured, estimate));
    if (json_object_get(of, measure->low)) {
        json_object_set(judged, "measured_low", json_object_get(of, measure->low));
        json_object_set(judged, "measured_high", json_object_get(of, measure->high));
    }
    json_decref(answer);
    call->result = tool_result(call, judged, NULL);
}

const struct tool tool_expect = {
    .name = "expect",
    .title = "Check an estimate",
    .description =
        "Compares an estimate that you made before looking with what was measured. A difference of an order of magnitude "
        "means that something is misunderstood.",
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
