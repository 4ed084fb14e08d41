#include "agent/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/root.h"
#include "base/affix.h"
#include "base/plain.h"
#include "base/utf8.h"

enum { LINE_MOST = 240 };

bool call_refuse(struct call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    call->error.status = HEAPTAP_BAD_ARGUMENT;
    vsnprintf(call->error.message, sizeof call->error.message, format, arguments);
    va_end(arguments);
    return false;
}

const char *call_text(const struct call *call, const char *name)
{
    return json_string_value(json_object_get(call->arguments, name));
}

bool call_wants_json(const struct call *call)
{
    return json_is_true(json_object_get(call->arguments, "json"));
}

/* ---- The command --------------------------------------------------------------------------- */

void call_command(struct call *call, const char *words)
{
    words_add(&call->command, "%s", call->options->heaptap);
    for (size_t size; *words; words += size + (words[size] == ' ')) {
        size = strcspn(words, " ");
        words_add(&call->command, "%.*s", (int)size, words);
    }
    if (call->step == CALL_JSON)
        words_add(&call->command, "--json");
}

void call_end_options(struct call *call)
{
    const char *filter = call_text(call, "filter");
    if (filter && *filter)
        words_add(&call->command, "--filter=%s", filter);
    words_add(&call->command, "--");
}

bool call_add_file(struct call *call, const char *name)
{
    char *path = root_file(call->options->root, name, &call->error);
    if (path)
        words_add(&call->command, "%s", path);
    free(path);
    return path;
}

static void put_word(struct text *text, const char *word)
{
    bool is_plain = *word && !word[strcspn(word, " '\"\\$`*?<>|&;()[]{}!#~\n\t")];
    text_put_string(text, is_plain ? " " : " '");
    for (; *word; word++)
        *word == '\'' ? text_put_string(text, "'\\''") : text_put_char(text, *word);
    text_put_string(text, is_plain ? "" : "'");
}

char *call_command_text(const struct call *call)
{
    struct text text = {0};
    size_t root = strlen(call->options->root);
    text_put_string(&text, "heaptap");
    for (size_t i = 1; i < call->command.count; i++) {
        const char *word = call->command.items[i];
        bool is_below = strncmp(word, call->options->root, root) == 0 && word[root] == '/';
        put_word(&text, is_below ? word + root + 1 : word);
    }
    return text_take(&text);
}

/* ---- What it says -------------------------------------------------------------------------- */

void call_take_warning(struct call *call)
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
    char *colon = begins_with(text, "heaptap") ? strstr(text, ": ") : NULL;
    call_refuse(call, "%s",
                size == 0 ? "the question ended without an answer"
                : colon   ? colon + 2
                          : text);
}

bool call_failed(struct call *call, int status)
{
    if (call->job.is_late)
        return !call_refuse(call, "no answer within %ld seconds; a filter, or --timeout, may help",
                            call->seconds);
    if (call->job.is_too_long)
        return !call_refuse(
            call, "the answer is longer than %d MB: ask for less, by a filter or by `top`",
            JOB_OUTPUT_MAX >> 20);
    if (call->job.said.size > 0 && status != 2 && status < 4)
        return false;
    call_take_warning(call);
    return true;
}

void call_say(struct call *call, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line, format, arguments) >= 0) {
        text_put_string(&call->text, plain(line));
        text_put_char(&call->text, '\n');
    } else {
        call->text.failed = true;
    }
    va_end(arguments);
    free(line);
}

/* One line of data, in plain form, and no longer than LINE_MOST. */
static void quote_line(struct text *text, const char *bytes, size_t size)
{
    char line[LINE_MOST + 1];
    size_t kept = size < LINE_MOST ? size : LINE_MOST;
    if (kept < size)
        kept = utf8_cut(bytes, kept);
    memcpy(line, bytes, kept);
    line[kept] = 0;
    while (kept > 0 && line[kept - 1] == ' ')
        line[--kept] = 0;
    text_put_string(text, kept > 0 ? "| " : "|");
    plain_put(text, line, PLAIN_KEEP_TABS | PLAIN_KEEP_ESCAPES);
    text_put_string(text, kept < size && size > LINE_MOST ? "...\n" : "\n");
}

void call_quote(struct call *call, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    size_t left = 0;
    while (bytes < end && end[-1] == '\n')
        end--;
    while (bytes < end) {
        const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t before = call->text.size;
        stop = stop ? stop : end;
        quote_line(&call->text, bytes, (size_t)(stop - bytes));
        if (left > 0 || call->text.size > call->text_budget) {
            call->text.size = before;
            left++;
        }
        bytes = stop + (stop < end);
    }
    if (left > 0)
        call_say(call, "(%zu more lines: ask for less, by a filter or `top`)", left);
}
