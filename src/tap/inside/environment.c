#include "tap/inside/environment.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include "tap/inside/pages.h"
#include "tap/inside/text.h"

static const char library_name[] = "libheaptap-preload.so";

/* What asks for a recording. */
static const char *const asked[] = {
    SETTING_TRACE,     SETTING_FOLLOWED, SETTING_RATE,          SETTING_ALL,
    SETTING_CALLSTACK, SETTING_CONTEXT,  SETTING_FOLLOW,        SETTING_DURATION,
    SETTING_MAX_SIZE,  SETTING_TOGGLE,   SETTING_SIGNAL,        SETTING_START,
    SETTING_NOTES,     SETTING_EVERY,    SETTING_KEEP,          SETTING_BUDGET,
    SETTING_GUESTS,    SETTING_HOLDERS,  SETTING_HOLDERS_ABOVE, SETTING_HOLDERS_EVERY,
};
enum { ASKED = sizeof asked / sizeof asked[0], ADDED_MOST = ASKED + 2 };

/* ---- Reading ------------------------------------------------------------------------ */

static bool is_named(const char *entry, const char *name)
{
    size_t size = strlen(name);
    return strncmp(entry, name, size) == 0 && entry[size] == '=';
}

static char **find(char *const *environment, const char *name)
{
    for (char *const *entry = environment; entry && *entry; entry++)
        if (is_named(*entry, name))
            return (char **)entry;
    return NULL;
}

const char *environment_get(char *const *environment, const char *name)
{
    char **entry = find(environment, name);
    return entry ? *entry + strlen(name) + 1 : NULL;
}

const char *environment_last(char *const *environment, const char *name)
{
    const char *value = NULL;
    for (char *const *entry = environment; entry && *entry; entry++)
        if (is_named(*entry, name))
            value = *entry + strlen(name) + 1;
    return value;
}

static char **find_mark(char *const *environment)
{
    for (char *const *entry = environment; entry && *entry; entry++)
        if (strcmp(*entry, ENVIRONMENT_MARK) == 0)
            return (char **)entry;
    return NULL;
}

/* ---- LD_PRELOAD --------------------------------------------------------------------- */

/* Whether one of the names in a value of LD_PRELOAD is ours. */
static bool is_ours(const char *name, size_t size)
{
    const char *base = name;
    for (const char *p = name; p < name + size; p++)
        if (*p == '/')
            base = p + 1;
    return (size_t)(name + size - base) >= sizeof library_name - 1 &&
           memcmp(base, library_name, sizeof library_name - 1) == 0;
}

/* Goes over the names in a value of LD_PRELOAD; NULL at the end. */
static const char *next_name(const char *at, size_t *size)
{
    at += strspn(at, ": ");
    *size = strcspn(at, ": ");
    return *size ? at : NULL;
}

/* Whether the loader is to preload our library into a program with this environment. */
static bool environment_has_us(char *const *environment)
{
    const char *value = environment_last(environment, ENVIRONMENT_PRELOAD);
    size_t size = 0;
    for (const char *name = value; name && (name = next_name(name, &size)); name += size)
        if (is_ours(name, size))
            return true;
    return find_mark(environment) != NULL;
}

/* ---- Taking ------------------------------------------------------------------------- */

static bool is_asked(const char *entry)
{
    for (size_t i = 0; i < ASKED; i++)
        if (is_named(entry, asked[i]))
            return true;
    return false;
}

static char *append(char **at, const char *entry)
{
    size_t size = strlen(entry) + 1;
    char *copy = memcpy(*at, entry, size);
    *at += size;
    return copy;
}

/* The settings among the entries from `first` on, in memory of their own. */
static char **copy_settings(char *const *first)
{
    size_t pointers = (ASKED + 1) * sizeof(char *), bytes = 0, count = 0;
    for (size_t i = 0; i < ASKED; i++) {
        char **entry = find(first, asked[i]);
        bytes += entry ? strlen(*entry) + 1 : 0;
    }
    char **copies = pages_map(pointers + bytes);
    if (!copies)
        return NULL;
    char *at = (char *)copies + pointers;
    for (size_t i = 0; i < ASKED; i++) {
        char **entry = find(first, asked[i]);
        if (entry)
            copies[count++] = append(&at, *entry);
    }
    return copies;
}

static bool marked; /* heaptap itself has added to the environment */

static bool is_added(const char *entry)
{
    return is_asked(entry) || is_named(entry, ENVIRONMENT_PRELOAD) ||
           strcmp(entry, ENVIRONMENT_MARK) == 0;
}

/* What stands after the mark and isn't ours was put there by somebody since. */
void environment_strip(char **environment)
{
    char **to = find_mark(environment);
    for (char **entry = to; entry && *entry; entry++)
        if (!is_added(*entry))
            *to++ = *entry;
    if (to)
        *to = NULL;
}

/* /proc shows the strings that the program was started with: ours, which are the last, are emptied,
 * and where the kernel lets us, no longer belong to them. */
static void wipe(char **strings, size_t count)
{
    bool adjoin = count > 0;
    for (size_t i = 1; i < count; i++)
        adjoin = adjoin && strings[i] == strings[i - 1] + strlen(strings[i - 1]) + 1;
    if (adjoin)
        prctl(PR_SET_MM, PR_SET_MM_ENV_END, strings[0], 0, 0);
    for (size_t i = 0; i < count; i++)
        memset(strings[i], 0, strlen(strings[i]));
}

char *const *environment_take(char **environment)
{
    char **mark = find_mark(environment);
    char **settings = copy_settings(mark ? mark : environment), *strings[ADDED_MOST];
    size_t count = 0;
    marked = mark != NULL;
    for (char **entry = mark; entry && *entry; entry++)
        if (is_added(*entry) && count < ADDED_MOST)
            strings[count++] = *entry;
    environment_strip(environment);
    wipe(strings, count);
    return settings;
}

static void take_out(char **environment, const char *name)
{
    char **entry;
    while ((entry = find(environment, name)))
        for (; *entry; entry++)
            entry[0] = entry[1];
}

/* LD_PRELOAD without us: shortened where it stands, or taken out. */
static void leave_preload(char **environment)
{
    char **entry = find(environment, ENVIRONMENT_PRELOAD);
    size_t size = 0;
    bool others = false;
    if (!entry)
        return;
    char *to = *entry + sizeof ENVIRONMENT_PRELOAD; /* never overtakes what is read */
    for (const char *name = to; (name = next_name(name, &size)); name += size) {
        if (is_ours(name, size))
            continue;
        if (others)
            *to++ = ':';
        memmove(to, name, size);
        to += size;
        others = true;
    }
    if (others)
        memset(to, 0, strlen(to));
    else
        take_out(environment, ENVIRONMENT_PRELOAD);
}

void environment_leave(char **environment)
{
    if (marked)
        return;
    leave_preload(environment);
    for (size_t i = 0; i < ASKED; i++)
        take_out(environment, asked[i]);
}

/* ---- Adding ------------------------------------------------------------------------- */

static const char *library; /* NULL: nothing is added */
static char *const *added;
static char followed_entry[PATH_MAX + sizeof SETTING_FOLLOWED];

void environment_follow(const char *path, char *const *settings, const char *child_pattern)
{
    struct text text;
    text_init(&text, followed_entry, sizeof followed_entry);
    text_add(&text, SETTING_FOLLOWED "=");
    text_add(&text, child_pattern);
    library = path;
    added = settings;
}

void environment_unfollow(void)
{
    library = NULL;
}

bool environment_lacks_us(char *const *environment)
{
    return library && !environment_has_us(environment);
}

bool environment_is_others(char *const *environment)
{
    return library && environment_has_us(environment);
}

const char *environment_library(void)
{
    return library;
}

size_t environment_entries(char *const *environment)
{
    size_t count = 0;
    while (environment && environment[count])
        count++;
    return count + ADDED_MOST + 1;
}

size_t environment_bytes(char *const *environment)
{
    const char *theirs = environment_last(environment, ENVIRONMENT_PRELOAD);
    return sizeof ENVIRONMENT_PRELOAD + strlen(library) + 1 + (theirs ? strlen(theirs) : 0) + 1;
}

void environment_for(char **extended, char *bytes, char *const *environment)
{
    const char *theirs = environment_last(environment, ENVIRONMENT_PRELOAD);
    struct text preload;
    size_t count = 0;
    text_init(&preload, bytes, environment_bytes(environment));
    text_add(&preload, ENVIRONMENT_PRELOAD "=");
    text_add(&preload, library);
    if (theirs && *theirs) {
        text_add(&preload, ":");
        text_add(&preload, theirs);
    }
    for (char *const *entry = environment; entry && *entry; entry++)
        extended[count++] = *entry;
    extended[count++] = (char *)(uintptr_t)ENVIRONMENT_MARK;
    extended[count++] = bytes;
    extended[count++] = followed_entry;
    for (char *const *entry = added; *entry; entry++)
        if (!is_named(*entry, SETTING_FOLLOWED) && !is_named(*entry, SETTING_TRACE))
            extended[count++] = *entry;
    extended[count] = NULL;
}
