#include "cli/record/trace_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/text.h"
#include "tap/inside/name_pattern.h"

/* ---- Patterns ----------------------------------------------------------------------- */

const char *trace_name_fault(const char *pattern)
{
    const char *last = path_file(pattern);
    if (!*pattern)
        return "is empty";
    if (!*last)
        return "names a folder, not a file";
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%')) {
        if (!at[1] || !strchr("pet%", at[1]))
            return "has a % that is none of %p, %e, %t, %%";
        if (at < last && at[1] != '%')
            return "has a folder that depends on %p, %e or %t";
    }
    return NULL;
}

/* `text` with each % doubled, put at `to`; returns the end. */
static char *put_escaped(char *to, const char *text)
{
    for (; *text; text++) {
        *to++ = *text;
        if (*text == '%')
            *to++ = '%';
    }
    *to = 0;
    return to;
}

char *trace_name_absolute(const char *pattern)
{
    if (pattern[0] == '/')
        return strdup(pattern);
    char *here = getcwd(NULL, 0);
    char *absolute = here ? malloc(2 * strlen(here) + strlen(pattern) + 2) : NULL;
    if (absolute) {
        char *end = put_escaped(absolute, here);
        *end++ = '/';
        strcpy(end, pattern);
    }
    free(here);
    return absolute;
}

/* The end of `text`, which begins with `mark` and digits; `text` where it doesn't. */
static const char *skip_number(const char *text, char mark)
{
    size_t digits = *text == mark ? strspn(text + 1, "0123456789") : 0;
    return digits > 0 ? text + 1 + digits : text;
}

/* `extension`: where in the pattern `.PID` and `-2` may stand. */
static bool match(const char *pattern, const char *name, const char *extension)
{
    if (pattern == extension) {
        const char *after_pid = skip_number(name, '.');
        return match(pattern, name, NULL) || match(pattern, after_pid, NULL) ||
               match(pattern, skip_number(name, '-'), NULL) ||
               match(pattern, skip_number(after_pid, '-'), NULL);
    }
    if (!*pattern)
        return !*name;
    if (*pattern != '%')
        return *pattern == *name && match(pattern + 1, name + 1, extension);
    if (pattern[1] == '%')
        return *name == '%' && match(pattern + 2, name + 1, extension);
    size_t longest = pattern[1] == 'p' ? strspn(name, "0123456789") : strlen(name);
    for (size_t size = longest; size > 0; size--)
        if (match(pattern + 2, name + size, extension))
            return true;
    return false;
}

bool trace_name_matches(const char *pattern, const char *name)
{
    return match(path_file(pattern), name, pattern + name_pattern_stem(pattern));
}

bool trace_name_is_profile(const char *name)
{
    return ends_with(name, ".pb.gz") || ends_with(name, ".pb");
}

char *trace_name_folder(const char *pattern)
{
    size_t size = (size_t)(path_file(pattern) - pattern);
    char *folder = malloc(size + 2);
    char *to = folder;
    if (!folder)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        *to++ = pattern[i];
        if (pattern[i] == '%')
            i++;
    }
    *to = 0;
    return folder;
}
