#include "cli/record/variables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap/inside/environment.h"

static bool is_among(const char *entry, const struct variable *variables, size_t count)
{
    size_t size = strcspn(entry, "=");
    for (size_t i = 0; i < count; i++)
        if (strncmp(entry, variables[i].name, size) == 0 && !variables[i].name[size])
            return true;
    return false;
}

static char **append(char **environment, size_t *count, char *entry)
{
    environment[*count] = entry;
    if (entry) {
        ++*count;
        return environment;
    }
    variables_free(environment);
    return NULL;
}

/* The present environment but for `left_out`, with room for `more`. */
static char **copy(const struct variable *left_out, size_t left_out_count, size_t more,
                   size_t *count)
{
    size_t here = 0;
    while (environ && environ[here])
        here++;
    char **environment = calloc(here + more + 1, sizeof *environment);
    *count = 0;
    for (size_t i = 0; environment && i < here; i++)
        if (!is_among(environ[i], left_out, left_out_count))
            environment = append(environment, count, strdup(environ[i]));
    return environment;
}

static char **add(char **environment, size_t *count, const struct variable *variables,
                  size_t variable_count)
{
    for (size_t i = 0; environment && i < variable_count; i++) {
        char *entry;
        if (!variables[i].value)
            continue;
        if (asprintf(&entry, "%s=%s", variables[i].name, variables[i].value) < 0)
            entry = NULL;
        environment = append(environment, count, entry);
    }
    return environment;
}

char **variables_replaced(const struct variable *variables, size_t count)
{
    return variables_put(variables, count, NULL, 0);
}

char **variables_put(const struct variable *variables, size_t count, const struct variable *added,
                     size_t added_count)
{
    size_t entries;
    char **environment = copy(variables, count, count + added_count + 1, &entries);
    environment = add(environment, &entries, variables, count);
    if (environment && added_count > 0)
        environment = append(environment, &entries, strdup(ENVIRONMENT_MARK));
    return add(environment, &entries, added, added_count);
}

void variables_free(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++)
        free(*entry);
    free(environment);
}
