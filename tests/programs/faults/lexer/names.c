#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 512 };

static char *names[NAMES];
static int count;

int name_number(const char *text)
{
    char *name = strdup(text);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    names[count] = name;
    return count++;
}

int name_count(void)
{
    return count;
}
