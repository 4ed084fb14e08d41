#include "cli/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool is_standard_input(const struct file_names *names)
{
    return strcmp(names->question->list, "-") == 0;
}

bool file_names_open(struct file_names *names, const struct question *question, int *status)
{
    *names = (struct file_names){.question = question};
    if (!question->list)
        return true;
    names->list = is_standard_input(names) ? stdin : fopen(question->list, "re");
    if (names->list)
        return true;
    cli_warn("%s: %s", question->list, strerror(errno));
    *status = CLI_BAD_INPUT;
    return false;
}

static const char *next_of_list(struct file_names *names)
{
    ssize_t size = 0;
    while (size == 0) {
        errno = 0;
        size = getline(&names->line, &names->capacity, names->list);
        if (size > 0 && names->line[size - 1] == '\n')
            size--;
    }
    const char *name = size < 0 ? NULL : names_intern(&names->names, names->line, (size_t)size);
    if (!name && (size >= 0 || ferror(names->list) || errno == ENOMEM)) {
        names->failure = errno ? errno : ENOMEM;
        cli_warn("%s: %s", names->question->list, strerror(names->failure));
    }
    return name;
}

const char *file_names_next(struct file_names *names)
{
    const struct question *question = names->question;
    size_t at = names->given++;
    if (at == 0 && question->path)
        return question->path;
    if (at > 0 && at <= question->more_count)
        return question->more[at - 1];
    return names->list ? next_of_list(names) : NULL;
}

bool file_names_failed(const struct file_names *names)
{
    return names->failure;
}

void file_names_close(struct file_names *names)
{
    if (names->list && !is_standard_input(names))
        fclose(names->list);
    free(names->line);
    names_release(&names->names);
}
