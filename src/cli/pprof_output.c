#include "cli/pprof_output.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output_file.h"

static int say_errno(const char *path, int code)
{
    return code ? output_file_fail(path, "a profile", code) : CLI_DONE;
}

int pprof_output_write(const char *path, enum output_encoding encoding,
                       int (*encode)(const void *what, struct heaptap_sink sink), const void *what)
{
    struct output_file file;
    struct output *gzip;
    struct heaptap_error error;
    int code = output_file_open(&file, path);
    if (code)
        return say_errno(path, code);
    if (output_new(&gzip, file.fd, encoding, &error) == HEAPTAP_OK) {
        code = encode(what, output_sink(gzip));
        if (!code)
            code = output_finish(gzip);
        output_free(gzip);
    } else {
        code = error.status == HEAPTAP_SYSTEM ? error.system_errno : ENOMEM;
    }
    if (!code)
        code = output_file_commit(&file);
    output_file_release(&file);
    return say_errno(path, code);
}
