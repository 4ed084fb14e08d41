/* The commands of heaptap: one table. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stddef.h>

struct report_entry; /* report/reports.h */

struct command {
    const char *name;    /* as typed: "hotspots" */
    const char *summary; /* one line for `heaptap help` */
    int (*run)(int argc,
               char **argv); /* argv[0] is "heaptap hotspots"; returns an exit status.  NULL:
                                          what runs all reports (cli/report_command.h) */
    const struct report_entry *report; /* that it is; NULL for none */
    const char *group;                 /* of the first of a group: its heading in `heaptap help` */
};

/* cmd/<name>.c */
int cmd_advice(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv);
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
int cmd_regressions(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_skill(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_services(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_strip(int argc, char **argv);
int cmd_subsample(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_view(int argc, char **argv);

/* The i-th of all, in the order of `heaptap help`; its name is NULL past the end. */
struct command command_at(size_t i);
size_t command_count(void);

/* The one of this name, whose name is NULL where there is none. */
struct command command_find(const char *name);

/* Runs it: `argv` has its arguments from 1 on, with NULL after the last; argv[0] is set.  The exit status; standard output
 * is left open. */
int command_run(const struct command *command, int argc, char **argv);

#endif
