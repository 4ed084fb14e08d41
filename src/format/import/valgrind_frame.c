#include "format/import/valgrind_frame.h"

#include <stdlib.h>
#include <string.h>

/* Of "main (t.c:5)": the part in parentheses at the end; NULL for none. */
static char *last_parentheses(char *text)
{
    size_t size = strlen(text);
    int depth = 0;
    if (size == 0 || text[size - 1] != ')')
        return NULL;
    for (char *at = text + size - 1; at > text; at--) {
        depth += (*at == ')') - (*at == '(');
        if (depth == 0)
            return at[-1] == ' ' ? at : NULL;
    }
    return NULL;
}

bool valgrind_frame_add(struct profile_builder *builder, uint32_t location, char *text)
{
    char *colon = strstr(text, ": "), *function = text, *place, *number;
    unsigned long line = 0;
    if (strncmp(text, "0x", 2) == 0 && colon) {
        builder->model->frames[location].code = strtoull(text, NULL, 16);
        function = colon + 2;
    }
    place = last_parentheses(function);
    number = place ? strrchr(place, ':') : NULL;
    if (number) {
        line = strtoul(number + 1, NULL, 10);
        *number = 0;
    }
    if (place) {
        place[-1] = 0;
        place[strcspn(place, ")")] = 0;
        place += strncmp(place, "(in ", 4) == 0 ? 4 : 1;
    }
    return profile_builder_line(builder, location, function, place ? place : "",
                                line < INT32_MAX ? (uint32_t)line : 0);
}
