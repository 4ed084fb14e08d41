#include "store/labels.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

bool label_is_key(const char *text, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (size == 0 || size > LABEL_KEY_MAX || !strchr(letters, text[0]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!text[i] || (!strchr(letters, text[i]) && !strchr("0123456789.", text[i])))
            return false;
    return true;
}

/* Characters of UTF-8, none of which moves a cursor. */
static bool is_text(const char *value)
{
    uint32_t character;
    for (; *value; value += utf8_decode(value, &character))
        if (utf8_decode(value, &character) < 1 || character == UTF8_BAD || character < 0x20 ||
            (character >= 0x7f && character < 0xa0))
            return false;
    return true;
}

static enum heaptap_status check_sizes(const char *key, size_t key_size, size_t size,
                                       struct heaptap_error *error)
{
    if (!label_is_key(key, key_size))
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "a label's name is 1 to %d letters, digits, _ and ., and begins with no "
                         "digit",
                         LABEL_KEY_MAX);
    if (size == 0 || size > LABEL_VALUE_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "the value of the label %.*s is %zu bytes long; it may be 1 to %d",
                         (int)key_size, key, size, LABEL_VALUE_MAX);
    return HEAPTAP_OK;
}

/* The first label whose key is not before this one. */
static size_t place_of(const struct store_labels *labels, const char *key)
{
    size_t i = 0;
    while (i < labels->count && strcmp(labels->items[i].key, key) < 0)
        i++;
    return i;
}

enum heaptap_status store_labels_set(struct store_labels *labels, const char *key, size_t key_size,
                                     const char *value, size_t value_size,
                                     struct heaptap_error *error)
{
    struct store_label label = {0};
    enum heaptap_status status = check_sizes(key, key_size, value_size, error);
    if (status != HEAPTAP_OK)
        return status;
    memcpy(label.key, key, key_size);
    memcpy(label.value, value, value_size);
    if (strlen(label.value) != value_size || !is_text(label.value))
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the value of the label %s is no text",
                         label.key);
    size_t place = place_of(labels, label.key);
    bool is_there = place < labels->count && strcmp(labels->items[place].key, label.key) == 0;
    if (!is_there && labels->count == LABELS_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there are more than %d labels", LABELS_MAX);
    if (!is_there) {
        memmove(labels->items + place + 1, labels->items + place,
                (labels->count - place) * sizeof *labels->items);
        labels->count++;
    }
    labels->items[place] = label;
    return HEAPTAP_OK;
}

enum heaptap_status store_labels_parse(struct store_labels *labels, const char *text,
                                       struct heaptap_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "a label is NAME=VALUE, not '%.60s'", text);
    return store_labels_set(labels, text, (size_t)(equals - text), equals + 1, strlen(equals + 1),
                            error);
}

const char *store_labels_find(const struct store_labels *labels, const char *key)
{
    size_t place = place_of(labels, key);
    bool is_there = place < labels->count && strcmp(labels->items[place].key, key) == 0;
    return is_there ? labels->items[place].value : NULL;
}

void store_labels_put(const struct store_labels *labels, struct text *text)
{
    for (size_t i = 0; i < labels->count; i++) {
        if (i > 0)
            text_put_char(text, ',');
        text_put_string(text, labels->items[i].key);
        text_put_string(text, "=\"");
        for (const char *c = labels->items[i].value; *c; c++) {
            if (*c == '"' || *c == '\\')
                text_put_char(text, '\\');
            text_put_char(text, *c);
        }
        text_put_char(text, '"');
    }
}
