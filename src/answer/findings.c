#include "answer/findings.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"

const char *findings_path(const char *file)
{
    static char folder[PATH_MAX];
    if (!*folder && !getcwd(folder, sizeof folder))
        folder[0] = 0;
    size_t size = strlen(folder);
    if (size > 1 && strncmp(file, folder, size) == 0 && file[size] == '/')
        return file + size + 1;
    return begins_with(file, "./") ? file + 2 : file;
}

const struct answer_spot *findings_spot(const struct answer_finding *finding)
{
    for (size_t i = 0; i < finding->count; i++)
        if (finding->spots[i].file)
            return &finding->spots[i];
    return NULL;
}
