#include "cli/file_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* A regular file gets another name first; anything else (a pipe, /dev/null) is written as it is. */
static int open_path(struct file_output *file)
{
    struct stat now;
    if (strcmp(file->path, "-") == 0)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (stat(file->path, &now) == 0 && !S_ISREG(now.st_mode))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    if (asprintf(&file->temporary, "%s.%d.tmp", file->path, (int)getpid()) < 0) {
        file->temporary = NULL;
        return -1;
    }
    return open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

bool file_output_open(struct file_output *file, const char *path, enum output_encoding encoding)
{
    struct heaptap_error error;
    *file = (struct file_output){.path = path};
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)) {
        cli_warn("this is not for the terminal; name a file with -o, or redirect the output");
        return false;
    }
    file->fd = open_path(file);
    if (file->fd < 0) {
        cli_warn("%s: %s", path, strerror(errno));
    } else if (output_new(&file->output, file->fd, encoding, &error) == HEAPTAP_OK) {
        return true;
    } else {
        cli_fail(path, &error);
        close(file->fd);
        if (file->temporary)
            unlink(file->temporary);
    }
    free(file->temporary);
    return false;
}

struct heaptap_sink file_output_sink(struct file_output *file)
{
    return output_sink(file->output);
}

bool file_output_close(struct file_output *file, int code)
{
    if (code == 0)
        code = output_finish(file->output);
    output_free(file->output);
    if (close(file->fd) != 0 && code == 0)
        code = errno;
    if (code == 0 && file->temporary && rename(file->temporary, file->path) != 0)
        code = errno;
    if (code != 0 && file->temporary)
        unlink(file->temporary);
    if (code != 0)
        cli_warn("%s: %s", file->path, strerror(code));
    free(file->temporary);
    return code == 0;
}
