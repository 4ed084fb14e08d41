#include "cli/record/program.h"

#include <stdlib.h>
#include <string.h>

#include "tap/inside/program.h"

char *program_find(const char *name)
{
    char path[PATH_MAX];
    return program_search(name, getenv("PATH"), path) ? strdup(path) : NULL;
}
