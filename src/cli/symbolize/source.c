#include "cli/symbolize/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/cli.h"

static bool copy_all(int from, int to)
{
    char buffer[1 << 16];
    struct heaptap_sink sink = heaptap_sink_fd(to);
    for (;;) {
        ssize_t got = read(from, buffer, sizeof buffer);
        if (got == 0)
            return true;
        int code = got < 0 ? errno : sink.write(sink.context, buffer, (size_t)got);
        if (code != 0 && (got > 0 || code != EINTR)) {
            errno = code;
            return false;
        }
    }
}

bool source_open(struct source *source, const char *path, source_opener *opener, int *exit_status)
{
    struct stat file;
    *source = (struct source){path, -1, opener};
    bool is_standard = source_is_standard(source);
    if (!is_standard && (stat(path, &file) != 0 || S_ISREG(file.st_mode)))
        return true;
    int from = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    source->fd = from >= 0 ? temporary_nameless() : -1;
    bool done = source->fd >= 0 && copy_all(from, source->fd);
    if (!done) {
        cli_warn("%s: %s", is_standard ? "copying standard input" : path, strerror(errno));
        *exit_status = CLI_FAILED;
        source_close(source);
    }
    if (from > STDIN_FILENO)
        close(from);
    return done;
}

void source_close(struct source *source)
{
    if (source->fd >= 0)
        close(source->fd);
}

bool source_is_standard(const struct source *source)
{
    return strcmp(source->path, "-") == 0;
}

const char *source_output(const struct source *source, const char *asked)
{
    return asked || !source_is_standard(source) ? asked : "-";
}

bool source_is_file(const struct source *source)
{
    if (source->fd >= 0)
        cli_warn("%s: not a regular file: name the output with -o", source->path);
    return source->fd < 0;
}

const char *source_name(const struct source *source)
{
    return source_is_standard(source) ? "standard input" : source->path;
}

int source_fd(const struct source *source)
{
    if (source->fd < 0)
        return open(source->path, O_RDONLY | O_CLOEXEC);
    int fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool source_read_trace(const struct source *source, struct trace_input *input)
{
    struct heaptap_reader_options how = {.order = HEAPTAP_FILE_ORDER};
    if (source->fd < 0 && source->open)
        return source->open(input, source->path, &how);
    int fd = source_fd(source);
    if (fd >= 0)
        return trace_input_open_fd(input, source->path, fd, &how);
    cli_warn("%s: %s", source->path, strerror(errno));
    *input = (struct trace_input){.path = source->path, .exit_status = CLI_FAILED};
    return false;
}
