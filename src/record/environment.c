#include "record/environment.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "record/settings.h"
#include "record/text.h"

#define PRELOAD "LD_PRELOAD"
static const char library[] = "libheaptap-preload.so";

/* What asks for a recording. */
static const char *const asked[] = {
    SETTING_FOLLOWED, SETTING_RATE,   SETTING_ALL,      SETTING_CALLSTACK,
    SETTING_CONTEXT,  SETTING_FOLLOW, SETTING_DURATION, SETTING_MAX_SIZE,
    SETTING_TOGGLE,   SETTING_SIGNAL, SETTING_START,    SETTING_TRACE,
};
enum { ASKED = sizeof asked / sizeof asked[0] };

/* The entries that followed programs must find; NULL or empty where they are not followed. */
static char *inherited[ASKED];
static char preload_entry[PATH_MAX];
static char followed_entry[PATH_MAX + sizeof SETTING_FOLLOWED];

static char **find(char *const *environment, const char *name)
{
    size_t size = strlen(name);
    for (char *const *entry = environment; entry && *entry; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            return (char **)entry;
    return NULL;
}

const char *environment_get(char *const *environment, const char *name)
{
    char **entry = find(environment, name);
    return entry ? *entry + strlen(name) + 1 : NULL;
}

static void take_out(char **environment, const char *name)
{
    char **entry;
    while ((entry = find(environment, name)))
        for (; *entry; entry++)
            entry[0] = entry[1];
}

/* Whether one of the names in a value of LD_PRELOAD is ours. */
static bool is_ours(const char *name, size_t size)
{
    const char *base = name;
    for (const char *p = name; p < name + size; p++)
        if (*p == '/')
            base = p + 1;
    return (size_t)(name + size - base) >= sizeof library - 1 &&
           memcmp(base, library, sizeof library - 1) == 0;
}

/* Goes over the names in a value of LD_PRELOAD; NULL at the end. */
static const char *next_name(const char *at, size_t *size)
{
    at += strspn(at, ": ");
    *size = strcspn(at, ": ");
    return *size ? at : NULL;
}

static bool preloads_us(const char *value)
{
    size_t size = 0;
    for (const char *name = value; (name = next_name(name, &size)); name += size)
        if (is_ours(name, size))
            return true;
    return false;
}

/* LD_PRELOAD without us: shortened where it stands, or taken out. */
static void leave_preload(char **environment)
{
    char **entry = find(environment, PRELOAD);
    struct text text;
    size_t size = 0;
    bool others = false;
    if (!entry || strlen(*entry) >= sizeof preload_entry)
        return;
    text_init(&text, preload_entry, sizeof preload_entry);
    text_add(&text, PRELOAD "=");
    for (const char *name = *entry + sizeof PRELOAD; (name = next_name(name, &size));
         name += size) {
        if (is_ours(name, size))
            continue;
        text_add(&text, others ? ":" : "");
        text_add_bytes(&text, name, size);
        others = true;
    }
    if (others)
        *entry = preload_entry;
    else
        take_out(environment, PRELOAD);
}

void environment_prepare(char **environment, const struct settings *settings,
                         const char *child_pattern)
{
    struct text text;
    if (!settings->follow) {
        leave_preload(environment);
        for (size_t i = 0; i < ASKED; i++)
            take_out(environment, asked[i]);
        return;
    }
    text_init(&text, followed_entry, sizeof followed_entry);
    text_add(&text, SETTING_FOLLOWED "=");
    text_add(&text, child_pattern);
    char **entry = find(environment, SETTING_FOLLOWED);
    if (!entry)
        entry = find(environment, SETTING_TRACE);
    if (entry)
        *entry = followed_entry;
    take_out(environment, SETTING_TRACE);
    for (size_t i = 0; i < ASKED; i++) {
        entry = find(environment, asked[i]);
        inherited[i] = entry ? *entry : NULL;
    }
    const char *preload = environment_get(environment, PRELOAD);
    text_init(&text, preload_entry, sizeof preload_entry);
    text_add(&text, PRELOAD "=");
    text_add(&text, preload ? preload : "");
}

/* Whether `environment` lacks the entry number `i`. */
static bool lacks(char *const *environment, size_t i)
{
    return inherited[i] && !find(environment, asked[i]);
}

static bool lacks_preload(char *const *environment)
{
    const char *preload = environment_get(environment, PRELOAD);
    return !(preload && preloads_us(preload));
}

size_t environment_missing(char *const *environment)
{
    size_t count = followed_entry[0] && lacks_preload(environment);
    for (size_t i = 0; i < ASKED; i++)
        count += lacks(environment, i);
    return count;
}

/* What the caller preloads besides gives way to what this program was started with: of two entries
 * of one name only the first counts. */
void environment_with(char **extended, char *const *environment)
{
    bool add_preload = lacks_preload(environment);
    size_t count = 0;
    for (char *const *entry = environment; entry && *entry; entry++)
        if (!add_preload || strncmp(*entry, PRELOAD "=", sizeof PRELOAD) != 0)
            extended[count++] = *entry;
    if (add_preload)
        extended[count++] = preload_entry;
    for (size_t i = 0; i < ASKED; i++)
        if (lacks(environment, i))
            extended[count++] = inherited[i];
    extended[count] = NULL;
}
