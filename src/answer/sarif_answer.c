/* An answer as SARIF 2.1.0, in which tools that look at sources say what they have found:
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "heaptap/version.h"
#include "answer/findings.h"
#include "answer/forms.h"

enum { RULES_MAX = 16 };

struct sarif_answer {
    struct answer answer; /* first: the form's functions get it */
    struct json json;
    struct {
        const char *id, *help;
    } rules[RULES_MAX]; /* that were broken, in the order in which they came */
    size_t count;
};

static size_t rule_number(struct sarif_answer *self, const struct answer_finding *finding)
{
    size_t number = 0;
    while (number < self->count && strcmp(self->rules[number].id, finding->rule) != 0)
        number++;
    if (number == self->count && number < RULES_MAX) {
        self->rules[number].id = finding->rule;
        self->rules[number].help = finding->help;
        self->count++;
    }
    return number;
}

static void put_message(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_begin_object(json);
    json_put_string(json, "text", text);
    json_end(json);
}

/* A URI: of a file below the working folder a relative one, which has a base. */
static void put_uri(struct json *json, const char *path)
{
    static const char plain_ones[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    bool is_absolute = *path == '/';
    json_key(json, "uri");
    json_begin_raw_string(json);
    if (is_absolute)
        fputs("file://", json->file);
    for (; *path; path++)
        if (strchr(plain_ones, *path))
            fputc(*path, json->file);
        else
            fprintf(json->file, "%%%02X", (unsigned char)*path);
    json_end_raw_string(json);
    if (!is_absolute)
        json_put_string(json, "uriBaseId", "%SRCROOT%");
}

static void put_file(struct json *json, const struct answer_spot *spot)
{
    json_key(json, "physicalLocation");
    json_begin_object(json);
    json_key(json, "artifactLocation");
    json_begin_object(json);
    put_uri(json, findings_path(spot->file));
    json_end(json);
    if (spot->line > 0) {
        json_key(json, "region");
        json_begin_object(json);
        json_put_uint(json, "startLine", spot->line);
        json_end(json);
    }
    json_end(json);
}

/* What has no file is told by its function alone. */
static void put_place(struct json *json, const struct answer_spot *spot)
{
    if (spot->file)
        put_file(json, spot);
    json_key(json, "logicalLocations");
    json_begin_array(json);
    json_begin_object(json);
    json_put_string(json, "fullyQualifiedName", spot->function ? spot->function : spot->name);
    json_put_string(json, "kind", "function");
    json_end(json);
    json_end(json);
}

static void put_places(struct json *json, const struct answer_finding *finding)
{
    json_key(json, "locations");
    json_begin_array(json);
    if (finding->count > 0) {
        json_begin_object(json);
        put_place(json, &finding->spots[0]);
        json_end(json);
    }
    json_end(json);
    if (finding->count < 2)
        return;
    json_key(json, "relatedLocations");
    json_begin_array(json);
    for (size_t i = 1; i < finding->count; i++) {
        json_begin_object(json);
        json_put_uint(json, "id", i);
        put_message(json, "message", finding->spots[i].name);
        put_place(json, &finding->spots[i]);
        json_end(json);
    }
    json_end(json);
}

static void find(struct answer *answer, const struct answer_finding *finding)
{
    struct sarif_answer *self = (struct sarif_answer *)answer;
    struct json *json = &self->json;
    if (finding->level == ANSWER_HOLDS)
        return;
    json_begin_object(json);
    json_put_string(json, "ruleId", finding->rule);
    json_put_uint(json, "ruleIndex", rule_number(self, finding));
    json_put_string(json, "level", finding->level == ANSWER_DOUBTFUL ? "warning" : "error");
    put_message(json, "message", finding->sentence);
    put_places(json, finding);
    json_key(json, "properties");
    json_begin_object(json);
    json_put_string(json, "file", finding->subject);
    if (finding->part)
        json_put_string(json, "test", finding->part);
    if (finding->limit)
        json_put_string(json, "limit", finding->limit);
    json_end(json);
    json_end(json);
}

static void put_tool(const struct sarif_answer *self, struct json *json)
{
    json_key(json, "tool");
    json_begin_object(json);
    json_key(json, "driver");
    json_begin_object(json);
    json_put_string(json, "name", "heaptap");
    json_put_string(json, "version", HEAPTAP_VERSION_STRING);
    json_key(json, "rules");
    json_begin_array(json);
    for (size_t i = 0; i < self->count; i++) {
        json_begin_object(json);
        json_put_string(json, "id", self->rules[i].id);
        put_message(json, "shortDescription", self->rules[i].help);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    json_end(json);
}

static void finish(struct answer *answer)
{
    struct sarif_answer *self = (struct sarif_answer *)answer;
    struct json *json = &self->json;
    json_end(json);
    put_tool(self, json);
    json_end(json);
    json_end(json);
    json_end(json);
}

struct answer *sarif_answer(FILE *file)
{
    static const struct answer_form form = {.name = "sarif", .close = finish, .find = find};
    struct sarif_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    struct json *json = &self->json;
    json_init(json, file);
    json_begin_object(json);
    json_put_string(
        json, "$schema",
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json");
    json_put_string(json, "version", "2.1.0");
    json_key(json, "runs");
    json_begin_array(json);
    json_begin_object(json);
    json_key(json, "results");
    json_begin_array(json);
    return &self->answer;
}
