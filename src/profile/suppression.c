#include "profile/suppression.h"

#include <ctype.h>
#include <string.h>

#include "base/affix.h"

const char *suppression_pattern(char *line)
{
    static const char start[] = "leak:";
    size_t size = strlen(line);
    while (size > 0 && isspace((unsigned char)line[size - 1]))
        line[--size] = 0;
    line += strspn(line, " \t");
    bool is_one = begins_with(line, start) && line[strlen(start)];
    return is_one ? line + strlen(start) : NULL;
}

void suppression_put_regex(struct text *regex, const char *pattern)
{
    for (const char *at = pattern; *at; at++) {
        bool is_anchor = (*at == '^' && at == pattern) || (*at == '$' && !at[1]);
        if (*at == '*')
            text_put_string(regex, ".*");
        else if (!is_anchor && ispunct((unsigned char)*at)) {
            text_put_char(regex, '\\');
            text_put_char(regex, *at);
        } else {
            text_put_char(regex, *at);
        }
    }
}
