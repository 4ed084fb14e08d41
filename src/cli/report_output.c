#include "cli/report_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output_file.h"

int report_output_fail(const char *path, int code)
{
    return output_file_fail(path ? path : "-", "this", code);
}

bool report_output_ends_with(const char *path, const char *end)
{
    size_t size = path ? strlen(path) : 0, end_size = strlen(end);
    return size >= end_size && strcmp(path + size - end_size, end) == 0;
}

static int say_no_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

static int write_file(struct output_file *file, const char *path,
                      bool (*print)(void *context, FILE *file), void *context)
{
    int copy = dup(file->fd);
    FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!stream) {
        int code = errno;
        if (copy >= 0)
            close(copy);
        return report_output_fail(path, code);
    }
    bool enough = print(context, stream);
    errno = 0;
    if (ferror(stream) | fclose(stream))
        return report_output_fail(path, errno ? errno : EIO);
    if (!enough)
        return say_no_memory();
    int code = output_file_commit(file);
    return code ? report_output_fail(path, code) : CLI_DONE;
}

int report_output_write(const char *path, bool (*print)(void *context, FILE *file), void *context)
{
    struct output_file file;
    if (!path || strcmp(path, "-") == 0)
        return print(context, stdout) ? CLI_DONE : say_no_memory();
    int code = output_file_open(&file, path);
    if (code)
        return report_output_fail(path, code);
    int status = write_file(&file, path, print, context);
    output_file_release(&file);
    return status;
}

bool report_needs_objects(const struct report *report)
{
    if (report->input.model->kind == MODEL_OBJECTS)
        return true;
    cli_warn("%s: this is a profile of values by stack; it has no single blocks and times, which "
             "this report needs",
             report->input.subject);
    return false;
}
