/* JSON, written as it comes: nothing is kept but how deep we are.
 *
 *     json_init(&json, stdout);
 *     json_begin_object(&json);
 *     json_key(&json, "sites"); json_begin_array(&json); ... json_end(&json);
 *     json_end(&json);
 *
 * Write errors show in the FILE. */
#ifndef ANSWER_JSON_H
#define ANSWER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 32 };

struct json {
    FILE *file;     /* borrowed */
    int depth;      /* of open objects and arrays */
    bool shown;     /* what reads it shows it: strings are in plain form (base/plain.h) */
    bool compact;   /* one line, for JSON Lines; else indented by two spaces */
    bool after_key; /* the next value belongs to a key just written */
    char close[JSON_DEPTH_MAX];  /* what ends each level: '}' or ']' */
    bool filled[JSON_DEPTH_MAX]; /* the level has a member already */
};

void json_init(struct json *json, FILE *file);
void json_init_compact(struct json *json, FILE *file);

void json_begin_object(struct json *json);
void json_begin_array(struct json *json);
void json_end(
    struct json *json); /* the innermost object or array; ends the line after the outermost */

void json_key(struct json *json, const char *key);

/* Text is taken as UTF-8; bytes that aren't become U+FFFD.  NULL becomes null. */
void json_text(struct json *json, const char *text);

/* A string that the caller writes itself, to json->file, between the two: nothing in it may need an
 * escape. */
void json_begin_raw_string(struct json *json);
void json_end_raw_string(struct json *json);

void json_uint(struct json *json, uint64_t value);
void json_int(struct json *json, int64_t value);
void json_double(struct json *json,
                 double value); /* shortest form that reads back equal; null if not finite */
void json_bool(struct json *json, bool value);
void json_no_value(struct json *json);

/* Key and value in one. */
void json_put_string(struct json *json, const char *key, const char *text);
void json_put_uint(struct json *json, const char *key, uint64_t value);
void json_put_int(struct json *json, const char *key, int64_t value);
void json_put_double(struct json *json, const char *key, double value);
void json_put_bool(struct json *json, const char *key, bool value);

#endif
