#define PCRE2_CODE_UNIT_WIDTH 8
#include "profile/pattern.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What a match may cost, at least and by byte of the name: more than any expression needs that goes along a name a few times.
 * What tries all ways to divide a name costs 2 to the power of its length, and is stopped within a tenth of a second. */
enum { STEPS = 1000000, STEPS_A_BYTE = 10, HEAP_KB = 20000, HEAP_KB_A_BYTE = 1 };

enum { NAME_BYTES = 49 };

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    int problem;           /* of PCRE2, of the first match that was given up; 0 for none */
    char name[NAME_BYTES]; /* the beginning of what that was on */
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

static uint32_t limit(uint32_t least, uint32_t by_byte, size_t size)
{
    return size < (UINT32_MAX - least) / by_byte ? least + by_byte * (uint32_t)size : UINT32_MAX;
}

bool pattern_matches(struct pattern *pattern, const char *text)
{
    size_t size = strlen(text);
    if (pattern->problem)
        return false;
    pcre2_set_match_limit(pattern->limits, limit(STEPS, STEPS_A_BYTE, size));
    pcre2_set_depth_limit(pattern->limits, limit(STEPS, STEPS_A_BYTE, size));
    pcre2_set_heap_limit(pattern->limits, limit(HEAP_KB, HEAP_KB_A_BYTE, size));
    int found =
        pcre2_match(pattern->code, (PCRE2_SPTR)text, size, 0, 0, pattern->data, pattern->limits);
    if (found >= 0 || found == PCRE2_ERROR_NOMATCH)
        return found >= 0;
    pattern->problem = found;
    snprintf(pattern->name, sizeof pattern->name, "%s", text);
    return false;
}

enum heaptap_status pattern_check(const struct pattern *pattern, struct heaptap_error *error)
{
    if (!pattern->problem)
        return HEAPTAP_OK;
    if (pattern->problem == PCRE2_ERROR_NOMEMORY)
        return error_no_memory(error);
    bool is_cut = strlen(pattern->name) == sizeof pattern->name - 1;
    return error_set(
        error, HEAPTAP_BAD_ARGUMENT,
        "the regular expression is too complex for the name '%s%s': write it more simply",
        pattern->name, is_cut ? "..." : "");
}
