/* heaptap file symbolize: functions, files and lines for a recorded trace. */
#include <stddef.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/symbol_options.h"
#include "cli/symbolize/symbolize.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"

struct options {
    const char *trace;
    const char *output; /* NULL: in place */
    struct symbol_arguments symbols;
};

static const struct question_option rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE",
     "Write to FILE (.gz, .zst: compressed), - for standard output, instead of replacing TRACE",
     offsetof(struct options, output)},
    {.kind = OPTION_ROWS, .rows = symbol_rows, .field = offsetof(struct options, symbols)},
    {.kind = OPTION_TRACE, .field = offsetof(struct options, trace)},
    {0}};

static const struct command_line line = {
    .arguments = "TRACE",
    .about =
        "Adds functions, files and lines to the addresses in a recorded TRACE.\v"
        "The programs and libraries that the trace names are read, and their separate debug files; "
        "files whose build id differs from that of the recording are not used, nor those without one that have changed since. A note names what is "
        "missing. Frames that already have a name stay as they are, so you can complete a trace later, "
        "on a machine with the debug files; --names writes them in another form. From standard input the result goes to standard output.",
};

static bool open_path(struct trace_input *input, const char *path,
                      const struct heaptap_reader_options *options)
{
    return trace_input_open(input, &(struct input_names){.path = path, .is_one = true}, options);
}

int cmd_symbolize(int argc, char **argv)
{
    struct options options = {0};
    cli_parse(rows, &line, argc, argv, 0, &options);
    struct symbolize_options how = {
        .symbolizer = symbolize_with(&options.symbols.options),
        .output = options.output,
        .encoding = OUTPUT_BY_NAME,
        .open = open_path,
        .rename = options.symbols.names_given,
    };
    int status = how.symbolizer ? symbolize_file(options.trace, &how) : CLI_USAGE;
    symbolizer_free(how.symbolizer);
    symbol_arguments_release(&options.symbols);
    return status;
}
