#include "symbol/source_path.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void path_resolve_dots(char *path)
{
    char *first = path + (*path == '/'), *out = first;
    char *last = first; /* where the last kept part begins, with its slash */
    for (const char *in = first, *end; *in; in = *end ? end + 1 : end) {
        end = strchrnul(in, '/');
        size_t length = (size_t)(end - in);
        if (!length || (length == 1 && in[0] == '.'))
            continue;
        if (length == 2 && in[0] == '.' && in[1] == '.') {
            const char *part = last > first ? last + 1 : last;
            bool climbs = out - part == 2 && part[0] == '.' && part[1] == '.';
            if (out > first && !climbs) {
                for (out = last; last > first && *--last != '/';)
                    ;
                continue;
            }
            if (first > path)
                continue;
        }
        last = out;
        if (out > first)
            *out++ = '/';
        memmove(out, in, length);
        out += length;
    }
    *out = 0;
}
