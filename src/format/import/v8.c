/* V8's sampling heap profiles, as Node.js (`node --heap-prof`) and Chrome's developer tools save them
 * in files called .heapprofile.
 *
 *     {"head": {"callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1, ...},
 *               "selfSize": 0, "id": 1, "children": [...]}, "samples": [...]}
 *
 * A node is a function that is called from its parent, selfSize the estimated bytes that it
 * allocated and that were in use at the end: the sample type inuse_space.  Lines count from 0.  heaptap's own export
 * says which type its values are (spec/own_member.h).
 *
 * The tree may be deeper than the stack of this thread, so it is walked by a loop: `path` has the
 * nodes that have begun, of which the innermost is being read, or else its children. */
#include "format/import/file_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "format/import/json_profile.h"
#include "format/import/json_start.h"
#include "spec/own_member.h"

enum { DEEPEST = 4096 };

struct node {
    uint32_t location;
    int64_t bytes;
};

struct reading {
    struct profile_builder builder;
    struct json_reader json;
    struct node *path;
    size_t depth, capacity;
};

static bool looks_like_one(const uint8_t *bytes, size_t size)
{
    return json_start_has_key(bytes, size, "head") && json_start_has_key(bytes, size, "callFrame");
}

static const char *file_of(const char *url)
{
    static const char scheme[] = "file://";
    return strncmp(url, scheme, strlen(scheme)) == 0 ? url + strlen(scheme) : url;
}

static void read_frame(struct reading *reading, uint32_t location)
{
    struct json_reader *json = &reading->json;
    char *function = NULL, *file = NULL;
    const char *key;
    int64_t line = -1;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        if (strcmp(key, "functionName") == 0) {
            free(function);
            function = strdup(json_reader_string(json));
        } else if (strcmp(key, "url") == 0) {
            free(file);
            file = strdup(file_of(json_reader_string(json)));
        } else if (strcmp(key, "lineNumber") == 0) {
            line = json_reader_integer(json);
        } else {
            json_reader_skip(json);
        }
    }
    if (!profile_builder_line(&reading->builder, location,
                              function && *function ? function : "(anonymous)", file ? file : "",
                              line >= 0 && line < INT32_MAX ? (uint32_t)line + 1 : 0))
        json_reader_fail_memory(json);
    free(function);
    free(file);
}

static void begin_node(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    json_reader_object(json);
    if (reading->depth == DEEPEST)
        json_reader_fail(json, "calls are nested more than %d deep", DEEPEST);
    else if (!ARRAY_RESERVE(&reading->path, &reading->capacity, reading->depth + 1))
        json_reader_fail_memory(json);
    else
        reading->path[reading->depth++] =
            (struct node){profile_builder_location(&reading->builder), 0};
}

/* What the innermost node allocated itself; the root is no function. */
static void end_node(struct reading *reading)
{
    const struct node *node = &reading->path[reading->depth - 1];
    bool done = true;
    if (node->bytes != 0) {
        for (size_t i = reading->depth; done && i-- > 1;)
            done = profile_builder_frame(&reading->builder, reading->path[i].location);
        done = done && profile_builder_sample(&reading->builder, &node->bytes);
    }
    if (!done)
        json_reader_fail_memory(&reading->json);
    reading->depth--;
}

/* Reads on in the innermost node; true when it has come to its children. */
static bool read_to_children(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    struct node *node = &reading->path[reading->depth - 1];
    const char *key;
    while ((key = json_reader_key(json))) {
        if (strcmp(key, "children") == 0) {
            json_reader_array(json);
            return true;
        }
        if (strcmp(key, "callFrame") == 0 && node->location != MODEL_NONE &&
            reading->builder.model->frames[node->location].line_count == 0)
            read_frame(reading, node->location);
        else if (strcmp(key, "selfSize") == 0)
            node->bytes = json_reader_integer(json);
        else
            json_reader_skip(json);
    }
    return false;
}

static void read_tree(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    begin_node(reading);
    while (reading->depth > 0 && json->status == HEAPTAP_OK) {
        bool in_children = read_to_children(reading);
        if (!in_children)
            end_node(reading);
        if (reading->depth > 0 && json_reader_item(json))
            begin_node(reading);
    }
}

static void read_all(struct reading *reading)
{
    struct json_reader *json = &reading->json;
    const char *key;
    bool has_head = false;
    for (json_reader_object(json); (key = json_reader_key(json));) {
        if (strcmp(key, "head") == 0) {
            has_head = true;
            read_tree(reading);
        } else if (strcmp(key, OWN_MEMBER) == 0) {
            json_profile_own_member(json, &reading->builder);
        } else {
            json_reader_skip(json);
        }
    }
    if (!has_head)
        json_reader_fail(json, "this heap profile has no head");
}

static enum heaptap_status read_profile(struct model **result, struct input *input,
                                        struct heaptap_error *error)
{
    struct reading reading = {0};
    json_reader_init(&reading.json, input, error);
    if (profile_builder_init(&reading.builder, "V8 heap") &&
        model_add_value_type(reading.builder.model, "inuse_space", "bytes"))
        read_all(&reading);
    else
        json_reader_fail_memory(&reading.json);
    enum heaptap_status status = json_profile_end(&reading.json, &reading.builder, result, error);
    free(reading.path);
    return status;
}

const struct file_format v8_format = {"V8 heap", .looks_like_one = looks_like_one,
                                      .read = read_profile, .lacks_names = true};
