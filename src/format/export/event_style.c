#include "format/export/event_style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/csv.h"
#include "answer/json.h"

#define PUT(text, literal) text_put(text, literal, sizeof(literal) - 1)

enum { TIME_DIGITS = 10, ID_DIGITS = 10 };

/* A number, and what stands before it. */
static inline __attribute__((always_inline)) void put_number(struct text *text, const char *before,
                                                             uint64_t number)
{
    text_put(text, before, strlen(before));
    text_put_uint(text, number, 1);
}

/* Microseconds and id, as memtrace's dump and the notebooks begin a line. */
static void put_time_and_id(struct text *text, const struct heaptap_event *event)
{
    text_put_int(text, event->time_us, TIME_DIGITS);
    text_put_char(text, ' ');
    text_put_uint(text, event->id, ID_DIGITS);
    text_put_char(text, ' ');
}

/* ---- memtrace */

static void memtrace_frame(struct text *text, const struct heaptap_location *locations,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_put_char(text, ' ');
        plain_put(text, locations[i].function, PLAIN_NAME);
        text_put_char(text, '@');
        plain_put(text, locations[i].file, PLAIN_NAME);
        put_number(text, ":", locations[i].line);
        put_number(text, ":", locations[i].start_char);
        put_number(text, "-", locations[i].end_char);
    }
}

static void memtrace_unknown(struct text *text, uint64_t code)
{
    PUT(text, " $");
    text_put_int(text, (int64_t)code, 1);
}

/* In four columns, the first of them a space or a minus at least. */
static void put_common_prefix(struct text *text, int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    for (uint64_t least = 100; least > size && least >= 10; least /= 10)
        text_put_char(text, ' ');
    if (value >= 0)
        text_put_char(text, ' ');
    text_put_int(text, value, 1);
}

static void memtrace_line(struct text *text, const struct heaptap_event *event,
                          const struct event_stack *stack)
{
    static const char *const sources[] = {"alloc ", "alloc_major ", "alloc_ext "};
    put_time_and_id(text, event);
    if (event->kind == HEAPTAP_PROMOTE) {
        PUT(text, "promote\n");
        return;
    }
    if (event->kind == HEAPTAP_COLLECT) {
        PUT(text, "collect\n");
        return;
    }
    text_put_string(text, sources[event->source]);
    text_put_uint(text, event->samples, 1);
    put_number(text, " len=", event->length);
    put_number(text, " dom=", event->domain);
    text_put_char(text, ' ');
    put_common_prefix(text, event->common_prefix);
    text_put_char(text, ':');
    text_put(text, stack->frames, stack->frames_size);
    text_put_char(text, '\n');
}

const struct event_style event_style_memtrace = {
    .frame = memtrace_frame,
    .unknown = memtrace_unknown,
    .line = memtrace_line,
};

/* ---- alloc-stats */

static void alloc_stats_line(struct text *text, const struct heaptap_event *event,
                             const struct event_stack *stack)
{
    static const char *const sources[] = {"a ", "A ", "AE "};
    (void)stack;
    put_time_and_id(text, event);
    if (event->kind == HEAPTAP_ALLOC) {
        text_put_string(text, sources[event->source]);
        text_put_uint(text, event->length, 1);
    } else {
        text_put_char(text, event->kind == HEAPTAP_PROMOTE ? 'P' : 'C');
    }
    text_put_char(text, '\n');
}

const struct event_style event_style_alloc_stats = {.line = alloc_stats_line};

/* ---- CSV */

static const char *const source_names[] = {"minor", "major", "external"};
static const char *const kind_names[] = {"alloc", "promote", "collect"};

/* The inside of a quoted field. */
static void put_csv(struct text *text, const char *string, unsigned form)
{
    string = plain_as(string, form);
    for (const char *quote; (quote = strchr(string, '"')); string = quote + 1) {
        text_put(text, string, (size_t)(quote - string));
        PUT(text, "\"\"");
    }
    text_put_string(text, string);
}

static void csv_frame(struct text *text, const struct heaptap_location *locations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_put_char(text, ';');
        put_csv(text, locations[i].function, CSV_STACK);
    }
}

static void csv_unknown(struct text *text, uint64_t code)
{
    PUT(text, ";$");
    text_put_int(text, (int64_t)code, 1);
}

static void csv_site(struct text *text, const struct heaptap_location *location)
{
    text_put_char(text, '"');
    put_csv(text, location->file, CSV_TEXT);
    put_number(text, "\",", location->line);
    put_number(text, ",", location->start_char);
    put_number(text, ",", location->end_char);
}

/* The site and the functions, as the last fields of a row. */
static void csv_stack(struct text *text, const struct event_stack *stack)
{
    if (stack->site_size > 0)
        text_put(text, stack->site, stack->site_size);
    else
        PUT(text, ",,,");
    PUT(text, ",\"");
    if (stack->frames_size > 0)
        text_put(text, stack->frames + 1, stack->frames_size - 1);
    PUT(text, "\"\r\n");
}

/* What comes before that; of other events than allocations, source, samples and length are empty. */
static void csv_event(struct text *text, const struct heaptap_event *event)
{
    text_put_int(text, event->time_us, 1);
    text_put_char(text, ',');
    text_put_string(text, kind_names[event->kind]);
    put_number(text, ",", event->id);
    put_number(text, ",", event->domain);
    if (event->kind != HEAPTAP_ALLOC) {
        PUT(text, ",,,");
        return;
    }
    text_put_char(text, ',');
    text_put_string(text, source_names[event->source]);
    put_number(text, ",", event->samples);
    put_number(text, ",", event->length);
}

static void csv_line(struct text *text, const struct heaptap_event *event,
                     const struct event_stack *stack)
{
    csv_event(text, event);
    if (event->kind != HEAPTAP_ALLOC) {
        PUT(text, ",,,,,\r\n");
        return;
    }
    text_put_char(text, ',');
    csv_stack(text, stack);
}

static void csv_numbers_line(struct text *text, const struct heaptap_event *event,
                             const struct event_stack *stack)
{
    csv_event(text, event);
    text_put_char(text, ',');
    if (event->kind == HEAPTAP_ALLOC)
        text_put_uint(text, stack->number, 1);
    PUT(text, "\r\n");
}

static void csv_numbered_stack(struct text *text, const struct event_stack *stack)
{
    text_put_uint(text, stack->number, 1);
    text_put_char(text, ',');
    csv_stack(text, stack);
}

const struct event_style event_style_csv = {
    .heading = "time_us,event,id,domain,source,samples,length,"
               "site_file,site_line,site_start_char,site_end_char,stack\r\n",
    .frame = csv_frame,
    .unknown = csv_unknown,
    .site = csv_site,
    .line = csv_line,
};

const struct event_style event_style_csv_numbers = {
    .heading = "time_us,event,id,domain,source,samples,length,stack\r\n",
    .frame = csv_frame,
    .unknown = csv_unknown,
    .site = csv_site,
    .line = csv_numbers_line,
    .stack = csv_numbered_stack,
    .stacks_heading = "stack,site_file,site_line,site_start_char,site_end_char,functions\r\n",
};

/* ---- JSON lines */

static void json_location(struct json *json, const struct heaptap_location *location)
{
    json_begin_object(json);
    json_put_string(json, "function", location->function);
    json_put_string(json, "file", location->file);
    json_put_uint(json, "line", location->line);
    json_put_uint(json, "start_char", location->start_char);
    json_put_uint(json, "end_char", location->end_char);
    json_end(json);
}

/* Each location with a comma before it. */
static void json_lines_frame(struct text *text, const struct heaptap_location *locations,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *bytes = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&bytes, &size);
        struct json json;
        if (!file) {
            text->failed = true;
            return;
        }
        json_init_compact(&json, file);
        json_location(&json, &locations[i]);
        if (fclose(file) != 0)
            text->failed = true;
        else
            size--; /* the end of the line */
        text_put_char(text, ',');
        text_put(text, bytes, size);
        free(bytes);
    }
}

static void json_lines_unknown(struct text *text, uint64_t code)
{
    char bytes[48];
    int size = snprintf(bytes, sizeof bytes, ",{\"code\":\"0x%llx\"}", (unsigned long long)code);
    text_put(text, bytes, (size_t)size);
}

static void json_lines_line(struct text *text, const struct heaptap_event *event,
                            const struct event_stack *stack)
{
    PUT(text, "{\"time_us\":");
    text_put_int(text, event->time_us, 1);
    PUT(text, ",\"event\":\"");
    text_put_string(text, kind_names[event->kind]);
    put_number(text, "\",\"id\":", event->id);
    put_number(text, ",\"domain\":", event->domain);
    if (event->kind == HEAPTAP_ALLOC) {
        PUT(text, ",\"source\":\"");
        text_put_string(text, source_names[event->source]);
        put_number(text, "\",\"samples\":", event->samples);
        put_number(text, ",\"length\":", event->length);
        PUT(text, ",\"stack\":[");
        if (stack->frames_size > 0)
            text_put(text, stack->frames + 1, stack->frames_size - 1);
        text_put_char(text, ']');
    }
    PUT(text, "}\n");
}

const struct event_style event_style_json_lines = {
    .frame = json_lines_frame,
    .unknown = json_lines_unknown,
    .line = json_lines_line,
};
