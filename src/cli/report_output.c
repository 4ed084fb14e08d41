#include "cli/report_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "cli/cli.h"

int report_output_fail(const char *path, int code)
{
    return output_file_fail(path ? path : "-", "this", code);
}

static int say_no_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

FILE *report_output_begin(struct report_output *output, const char *path, int *status)
{
    *output = (struct report_output){.path = path, .stream = stdout};
    if (is_stdout(path))
        return stdout;
    int code = output_file_open(&output->file, path);
    if (code) {
        *status = report_output_fail(path, code);
        return NULL;
    }
    int copy = dup(output->file.fd);
    output->stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (output->stream)
        return output->stream;
    *status = report_output_fail(path, errno);
    if (copy >= 0)
        close(copy);
    output_file_release(&output->file);
    return NULL;
}

/* Why the stream failed, some time ago: of a file that is not kept, another byte tells. */
static int earlier_cause(const struct report_output *output)
{
    errno = 0;
    return write(output->file.fd, "", 1) < 0 ? errno : EIO;
}

static int end_file(struct report_output *output, bool kept)
{
    bool has_failed = ferror(output->stream);
    errno = 0;
    if ((fclose(output->stream) != 0) | has_failed)
        return report_output_fail(output->path, errno ? errno : earlier_cause(output));
    int code = kept ? output_file_commit(&output->file) : 0;
    return code ? report_output_fail(output->path, code) : CLI_DONE;
}

int report_output_end(struct report_output *output, bool kept)
{
    if (is_stdout(output->path))
        return CLI_DONE;
    int status = end_file(output, kept);
    output_file_release(&output->file);
    return status;
}

int report_output_write(const char *path, bool (*print)(void *context, FILE *file), void *context)
{
    struct report_output output;
    int status = CLI_DONE;
    FILE *stream = report_output_begin(&output, path, &status);
    if (!stream)
        return status;
    bool enough = print(context, stream), is_full = ferror(stream);
    status = report_output_end(&output, enough && !is_full);
    return enough || is_full ? status : say_no_memory(); /* its end has said why */
}

bool report_output_ends_with(const char *path, const char *end)
{
    return path && ends_alike(path, end);
}
