#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"

static char name[64] = "heaptap";

const char *cli_name(void)
{
    return name;
}

void cli_set_name(const char *command)
{
    snprintf(name, sizeof name, "heaptap %s", command);
}

static struct text *kept;

void cli_keep_warnings(struct text *text)
{
    kept = text;
}

static void keep(const char *message)
{
    if (kept->size > 0)
        text_put_string(kept, "; ");
    text_put_string(kept, message);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0)
        message = NULL;
    const char *said = message ? plain(message) : "out of memory";
    fprintf(stderr, "%s: %s\n", name, said);
    if (kept)
        keep(said);
    free(message);
    va_end(arguments);
}

static bool is_no_room(int code)
{
    return code == ENOSPC || code == EDQUOT;
}

int cli_fail(const char *subject, const struct heaptap_error *error)
{
    if (error->status == HEAPTAP_BAD_INPUT)
        cli_warn("%s: byte %llu: %s", subject, (unsigned long long)error->offset, error->message);
    else
        cli_warn("%s: %s", subject, error->message);
    switch (error->status) {
    case HEAPTAP_SYSTEM:
        return is_no_room(error->system_errno) ? CLI_FAILED : CLI_BAD_INPUT;
    case HEAPTAP_BAD_INPUT:
        return CLI_BAD_INPUT;
    case HEAPTAP_BAD_ARGUMENT:
        return CLI_USAGE;
    default:
        return CLI_FAILED;
    }
}

int cli_out_of_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

bool cli_fail_memory(int *status)
{
    *status = cli_out_of_memory();
    return false;
}

bool cli_parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && errno == 0 && *value >= least &&
           *value <= most;
}

static bool reader_may_leave;
static struct sigaction signal_before;

void cli_let_reader_leave(void)
{
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &signal_before);
    reader_may_leave = true;
}

void cli_restore_reader_signal(void)
{
    if (reader_may_leave)
        sigaction(SIGPIPE, &signal_before, NULL);
}

/* Whether standard output is a pipe whose reader is gone. */
static bool has_reader_left(void)
{
    struct pollfd pipe = {.fd = STDOUT_FILENO};
    return poll(&pipe, 1, 0) == 1 && pipe.revents & POLLERR;
}

int cli_close_output(int status)
{
    static bool is_closed; /* before: the caller needed to know whether that worked */
    if (is_closed)
        return status;
    is_closed = true;
    bool failed = ferror(stdout), left = reader_may_leave && has_reader_left();
    errno = 0;
    if ((fclose(stdout) == 0 && !failed) || left)
        return status;
    cli_warn("writing the output: %s", errno ? strerror(errno) : "not all of it could be");
    return CLI_FAILED;
}
