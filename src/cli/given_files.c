#include "cli/given_files.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/same_file.h"
#include "cli/cli.h"
#include "cli/input_files.h"

static const char **given;
static size_t count, capacity;

void given_files_add(const char *path)
{
    if (!ARRAY_RESERVE(&given, &capacity, count + 1))
        exit(cli_out_of_memory());
    given[count++] = path;
}

static bool is_same(const struct stat *file, const char *path)
{
    struct stat other;
    return input_status(path, &other) && same_file(&other, file);
}

static bool is_read_of(const char *folder, const struct stat *file)
{
    struct input_files files;
    bool found = false;
    if (input_files_find(&files, &(struct input_names){.path = folder, .is_known = true}, NULL))
        for (size_t i = 0; i < files.count; i++)
            found |= is_same(file, files.paths[i]);
    input_files_release(&files);
    return found;
}

bool given_files_have(const char *path)
{
    struct stat file, other;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_same(&file, given[i]) ||
            (stat(given[i], &other) == 0 && S_ISDIR(other.st_mode) && is_read_of(given[i], &file)))
            return true;
    return false;
}
