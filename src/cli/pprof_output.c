#include "cli/pprof_output.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output_file.h"

static int say_errno(const char *path, int code)
{
    return code ? output_file_fail(path, "a profile", code) : CLI_DONE;
}

/* To a file that is open, or, with a code, could not be opened. */
static int write_to(struct output_file *file, int code, const char *path,
                    enum output_encoding encoding,
                    int (*encode)(const void *what, struct heaptap_sink sink), const void *what)
{
    struct output *gzip;
    struct heaptap_error error;
    if (code)
        return say_errno(path, code);
    if (output_new(&gzip, file->fd, encoding, &error) == HEAPTAP_OK) {
        code = encode(what, output_sink(gzip));
        if (!code)
            code = output_finish(gzip);
        output_free(gzip);
    } else {
        code = error.status == HEAPTAP_SYSTEM ? error.system_errno : ENOMEM;
    }
    if (!code)
        code = output_file_commit(file);
    output_file_release(file);
    return say_errno(path, code);
}

int pprof_output_write(const char *path, enum output_encoding encoding,
                       int (*encode)(const void *what, struct heaptap_sink sink), const void *what)
{
    struct output_file file;
    return write_to(&file, output_file_open(&file, path), path, encoding, encode, what);
}

int pprof_output_replace(const char *path, enum output_encoding encoding,
                         int (*encode)(const void *what, struct heaptap_sink sink),
                         const void *what)
{
    struct output_file file;
    return write_to(&file, output_file_open_over(&file, path), path, encoding, encode, what);
}
