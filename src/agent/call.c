#include "agent/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/root.h"

bool call_refuse(struct call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    call->error.status = HEAPTAP_BAD_ARGUMENT;
    vsnprintf(call->error.message, sizeof call->error.message, format, arguments);
    va_end(arguments);
    return false;
}

const char *call_text(struct call *call, const char *name)
{
    const json_t *value = json_object_get(call->arguments, name);
    if (value && !json_is_null(value) && !json_is_string(value))
        call_refuse(call, "'%s' takes a text", name);
    return json_string_value(value);
}

const char *call_need(struct call *call, const char *name)
{
    const char *text = call_text(call, name);
    if (!text && call->error.status == HEAPTAP_OK)
        call_refuse(call, "'%s' is missing", name);
    return text;
}

bool call_add_file(struct call *call, const char *name)
{
    const char *given = call_need(call, name);
    char *path = given ? root_file(call->options->root, given, &call->error) : NULL;
    if (path)
        words_add(&call->command, "%s", path);
    free(path);
    return path;
}

bool call_add_filter(struct call *call)
{
    const char *filter = call_text(call, "filter");
    if (filter && *filter)
        words_add(&call->command, "--filter=%s", filter);
    return call->error.status == HEAPTAP_OK;
}

/* The last sentence that a command said of itself, without its name: "heaptap top: there is no ..." */
static void take_warning(struct call *call)
{
    struct text *warned = &call->job.warned;
    text_put_char(warned, 0);
    if (warned->failed)
        return;
    char *text = warned->bytes, *end = strstr(text, "\nTry `");
    if (end)
        *end = 0;
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '\n')
        text[--size] = 0;
    char *colon = strncmp(text, "heaptap", strlen("heaptap")) == 0 ? strstr(text, ": ") : NULL;
    call_refuse(call, "%s",
                size == 0 ? "the question ended without an answer"
                : colon   ? colon + 2
                          : text);
}

json_t *call_answer(struct call *call, int status)
{
    json_error_t wrong;
    const struct text *said = &call->job.said;
    if (call->job.is_late)
        return call_refuse(call, "no answer within %ld seconds; a filter, or --timeout, may help",
                           call->seconds),
               NULL;
    if (call->job.is_too_long)
        return call_refuse(call,
                           "the answer is longer than %d MB: ask for less, by a filter or by `top`",
                           JOB_OUTPUT_MAX >> 20),
               NULL;
    json_t *answer = said->size > 0 ? json_loadb(said->bytes, said->size, 0, &wrong) : NULL;
    if (json_object_size(answer) == 0 || status >= 128) {
        json_decref(answer);
        return take_warning(call), NULL;
    }
    if (status == 3) { /* of a damaged file, what stands before the damage */
        take_warning(call);
        json_object_set_new(answer, "remark", json_string(call->error.message));
        call->error = (struct heaptap_error){0};
    }
    return answer;
}
