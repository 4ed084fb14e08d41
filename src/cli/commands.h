/* The commands of heaptap: one table. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct report_entry; /* report/reports.h */

struct command {
    /* As typed after "heaptap": "hotspots"; "fleet serve"; or "compare --long", where an option makes another command of the
     * word.  A `word --option=FILE` has its value in argv. */
    const char *name;
    const char *summary;     /* one line for `heaptap help` */
    int (*run)(int argc,     /* argv[0] is "heaptap hotspots"; returns an exit status.  NULL: */
               char **argv); /* what runs all reports (cli/report_command.h) */
    const char *group;       /* of the first of a group: its heading in `heaptap help all` */
    const char *was;         /* the word that it had before; NULL for none */
    bool is_first;           /* in the first help */
    const char *
        keeps_option; /* its option is one of its own parser's, too: what help calls its value; NULL: it is not */
    char letter;                       /* of its option; 0 for none */
    const struct report_entry *report; /* that it is; NULL for none */
};

/* cmd/<name>.c */
int cmd_agent(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_memtracer(int argc, char **argv);
int cmd_pprof(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_regressions(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_skill(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_services(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_strip(int argc, char **argv);
int cmd_subsample(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_try(int argc, char **argv);
int cmd_view(int argc, char **argv);

/* The i-th of all, in the order of `heaptap help all`; its name is NULL past the end. */
struct command command_at(size_t i);

/* Does the command's name begin with this word? */
bool command_has_word(const struct command *command, const char *word);

/* Is there a command whose name begins with the word? */
bool command_is_word(const char *word);

/* The command that the words ask for, from the first on; its name is NULL where there is none. */
struct command command_find(int count, char **words);

/* How many of the words name it without an option: 1, or 2. */
int command_words(const struct command *command);

/* The command that had this word before; its name is NULL where there is none. */
struct command command_that_was(const char *word);

/* Runs it: `words` are those that it was found by, with NULL after the last.  The exit status; standard output is left
 * open. */
int command_run(const struct command *command, int count, char **words);

#endif
