#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cli/main.h"

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0)
        message = NULL;
    fprintf(stderr, "%s: %s\n", main_command_name(), message ? plain(message) : "out of memory");
    free(message);
    va_end(arguments);
}

int cli_fail(const char *subject, const struct heaptap_error *error)
{
    if (error->status == HEAPTAP_BAD_INPUT)
        cli_warn("%s: byte %llu: %s", subject, (unsigned long long)error->offset, error->message);
    else
        cli_warn("%s: %s", subject, error->message);
    switch (error->status) {
    case HEAPTAP_BAD_INPUT:
    case HEAPTAP_SYSTEM:
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

error_t cli_parse_trace_argument(int key, char *argument, struct argp_state *state,
                                 struct cli_trace_argument *trace)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (trace->path)
            argp_error(state, "one trace at a time: '%s' is one too many", argument);
        trace->path = *argument ? argument : NULL;
        return 0;
    case ARGP_KEY_END:
        if (!trace->path)
            argp_error(state, "no trace given: name a file, or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check_output(struct argp_state *state, const struct cli_trace_argument *trace,
                         const struct cli_output_argument *output)
{
    if (trace->path && !(output->path && *output->path))
        argp_error(state, "no output file: use -o FILE");
    if (output->json && output->path && strcmp(output->path, "-") == 0)
        argp_error(state, "standard output can get the trace or --json, not both");
}

error_t cli_parse_output_argument(int key, char *argument, struct argp_state *state,
                                  struct cli_trace_argument *trace,
                                  struct cli_output_argument *output)
{
    switch (key) {
    case 'o':
        output->path = argument;
        return 0;
    case CLI_OPTION_JSON:
        output->json = true;
        return 0;
    case ARGP_KEY_END:
        check_output(state, trace, output);
        break;
    }
    return cli_parse_trace_argument(key, argument, state, trace);
}
