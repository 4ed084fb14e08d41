#include "cli/store_input.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/affix.h"
#include "base/error.h"
#include "cli/input_files.h"
#include "cli/lack.h"
#include "profile/filter.h"
#include "store/store.h"

static const char scheme[] = "store:";

bool store_input_is(const char *path)
{
    return begins_with(path, scheme);
}

/* ---- The command line ---------------------------------------------------------------- */

static bool is_clause(const char *word, size_t size)
{
    for (int i = 0; i < FILTER_WORD_COUNT; i++) {
        const char *name = filter_word_name((enum filter_word)i);
        if (strlen(name) == size && memcmp(name, word, size) == 0)
            return true;
    }
    return false;
}

bool store_input_takes(const char *path, const char *argument)
{
    size_t size = strcspn(argument, "=!<>");
    bool is_condition = argument[size] == '=' || begins_with(argument + size, "!=");
    bool is_quoted = size > 2 && strchr("\"'", argument[0]) && argument[size - 1] == argument[0];
    if (!path || !store_input_is(path) || !is_condition)
        return false;
    return is_quoted ? label_is_key(argument + 1, size - 2)
                     : label_is_key(argument, size) && !is_clause(argument, size);
}

const char *store_input_with(const char *path, const char *argument)
{
    return input_text("%s %s", path, argument);
}

/* ---- Opening ------------------------------------------------------------------------- */

/* Where the name of the file ends: at a space before a word with an `=`. */
static size_t name_size(const char *text)
{
    for (const char *space = strchr(text, ' '); space; space = strchr(space + 1, ' '))
        if (memchr(space + 1, '=', strcspn(space + 1, " ")))
            return (size_t)(space - text);
    return strlen(text);
}

enum heaptap_status store_input_choose(struct store **store, struct store_selector *selector,
                                       const char *path, struct heaptap_error *error)
{
    const char *text = path + strlen(scheme);
    size_t size = name_size(text);
    char *name = strndup(text, size);
    *store = NULL;
    *selector = store_selector_all();
    if (!name)
        return error_no_memory(error);
    enum heaptap_status status =
        store_selector_parse(selector, text + size, (int64_t)time(NULL) * 1000000, error);
    if (status == HEAPTAP_OK)
        status = store_open(store, name, STORE_READ, error);
    free(name);
    return status;
}

void store_input_close(struct store *store, const char *path)
{
    char lack[STORE_LACK_BYTES] = "";
    if (store)
        store_lack(store, lack);
    if (*lack)
        lack_say(path, lack);
    store_close(store);
}

enum heaptap_status store_input_read(struct model **model, const char *path, bool with_moments,
                                     struct heaptap_error *error)
{
    struct store *store;
    struct store_selector selector;
    *model = NULL;
    enum heaptap_status status = store_input_choose(&store, &selector, path, error);
    if (status != HEAPTAP_OK)
        return status;
    status = store_read(store, &selector, with_moments, model, error);
    store_input_close(store, path);
    return status;
}

const char *store_input_day_before(const char *path)
{
    static const int64_t second_us = 1000000, day_s = 86400;
    struct store_selector selector = store_selector_all();
    const int64_t never = selector.until_us, always = selector.after_us;
    const char *text = path + strlen(scheme);
    int64_t now_s = (int64_t)time(NULL);
    struct heaptap_error error;
    struct model *model = NULL;
    if (!store_input_is(path) ||
        store_selector_parse(&selector, text + name_size(text), now_s * second_us, &error) !=
            HEAPTAP_OK ||
        selector.after_us == always)
        return NULL;
    int64_t until_s = selector.until_us == never ? now_s : selector.until_us / second_us;
    const char *before =
        input_text("%s time=%lld..%lld", path, (long long)(selector.after_us / second_us - day_s),
                   (long long)(until_s - day_s));
    bool is_there = store_input_read(&model, before, false, &error) == HEAPTAP_OK;
    model_free(model);
    return is_there ? before : NULL;
}
