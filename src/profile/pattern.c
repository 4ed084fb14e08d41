#define PCRE2_CODE_UNIT_WIDTH 8
#include "profile/pattern.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

/* What a match may cost: more than any sensible expression needs on a name. */
enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KB = 4096 };

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
};

struct pattern *pattern_new(const char *text, size_t length, char *message, size_t size,
                            size_t *offset)
{
    int error = 0;
    PCRE2_SIZE at = 0;
    struct pattern *pattern = calloc(1, sizeof *pattern);
    message[0] = 0;
    *offset = 0;
    if (!pattern)
        return NULL;
    pattern->code =
        pcre2_compile((PCRE2_SPTR)text, length, PCRE2_MATCH_INVALID_UTF, &error, &at, NULL);
    if (!pattern->code) {
        if (error != PCRE2_ERROR_NOMEMORY)
            pcre2_get_error_message(error, (PCRE2_UCHAR *)message, size);
        *offset = at < length ? at : length;
        free(pattern);
        return NULL;
    }
    pattern->data = pcre2_match_data_create(1, NULL);
    pattern->limits = pcre2_match_context_create(NULL);
    if (!pattern->data || !pattern->limits) {
        pattern_free(pattern);
        return NULL;
    }
    pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(pattern->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(pattern->limits, HEAP_LIMIT_KB);
    return pattern;
}

void pattern_free(struct pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_match_context_free(pattern->limits);
    pcre2_match_data_free(pattern->data);
    pcre2_code_free(pattern->code);
    free(pattern);
}

bool pattern_matches(const struct pattern *pattern, const char *text)
{
    return pcre2_match(pattern->code, (PCRE2_SPTR)text, strlen(text), 0, 0, pattern->data,
                       pattern->limits) >= 0;
}
