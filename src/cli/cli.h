/* What the commands share: the table they stand in, exit statuses, messages. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/parse.h"
#include "heaptap/status.h"

/* What the program exits with. */
enum {
    CLI_DONE = 0,
    CLI_FOUND = 1,     /* a check found what it looks for */
    CLI_USAGE = 2,     /* wrong options or arguments */
    CLI_BAD_INPUT = 3, /* a file that can't be read, or is cut or damaged */
    CLI_FAILED = 4,    /* the output can't be written, no memory */
};

struct command {
    const char *name;    /* as typed: "hotspots" */
    const char *summary; /* one line for `heaptap help` */
    int (*run)(int argc,
               char **argv); /* argv[0] is "heaptap hotspots"; returns an exit status.  NULL:
                                          what runs all reports (cli/report_command.h) */
    const struct report_entry *report; /* that it is; NULL for none */
};

/* cmd/<name>.c */
int cmd_advice(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_flamegraph(int argc, char **argv);
int cmd_graph(int argc, char **argv);
int cmd_hotspots(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_leaks(int argc, char **argv);
int cmd_memtracer(int argc, char **argv);
int cmd_pprof(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_strip(int argc, char **argv);
int cmd_subsample(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_view(int argc, char **argv);

/* Prints "heaptap COMMAND: message" on stderr. */
__attribute__((format(printf, 1, 2))) void cli_warn(const char *format, ...);

/* Prints the message of a failure that concerns `subject` (a file), with the byte where there is
 * one, and returns the exit status that goes with it. */
int cli_fail(const char *subject, const struct heaptap_error *error);

/* Says that there is no memory; the exit status for that. */
int cli_out_of_memory(void);

/* Says that there is no memory, and sets the status; false. */
bool cli_fail_memory(int *status);

/* Makes a whole number from `least` to `most` of digits.  False if the text isn't one. */
bool cli_parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* For the parser of such a command: takes ARGP_KEY_ARG and ARGP_KEY_END. */
struct cli_trace_argument {
    const char *path; /* NULL until it has been seen */
};
error_t cli_parse_trace_argument(int key, char *argument, struct argp_state *state,
                                 struct cli_trace_argument *trace);

/* Where a command that writes a trace writes it; CLI_OUTPUT_OPTIONS stands in its option table. */
struct cli_output_argument {
    const char *path; /* NULL until it has been seen */
    bool json;        /* tell what was written, as JSON on standard output */
};

enum { CLI_OPTION_JSON = 2000 };

#define CLI_OUTPUT_OPTIONS                                                                         \
    {"output",                                                                                     \
     'o',                                                                                          \
     "FILE",                                                                                       \
     0,                                                                                            \
     "Write to FILE (.gz, .zst: compressed); - for standard output. Required",                     \
     0},                                                                                           \
    {                                                                                              \
        "json", CLI_OPTION_JSON, 0, 0, "Tell what was written, as JSON", 0                         \
    }

/* For the parser of such a command, in place of cli_parse_trace_argument. */
error_t cli_parse_output_argument(int key, char *argument, struct argp_state *state,
                                  struct cli_trace_argument *trace,
                                  struct cli_output_argument *output);

#endif
