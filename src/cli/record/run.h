/* Running a command as if it had been started directly. */
#ifndef CLI_RECORD_RUN_H
#define CLI_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct run_result {
    pid_t pid;
    int exec_errno; /* why the command couldn't be started; 0 if it was */
    int status;     /* as waitpid tells it */
    double seconds;
    int64_t ended_us;        /* since the epoch */
    uint64_t peak_rss_bytes; /* of the command and what it waited for, the largest process; 0 where
                                that can't be told from this process, of which it is a fork */
};

/* Runs `path` with `arguments` and `environment` up to its end.
 * It has the same standard streams, process group and terminal as this process.
 *
 * Signals: those of the terminal reach the command by themselves, as it is in the same process
 * group; this process outlives them, so as to see the command's end, and stops with it on ^Z.
 * Those sent to this process alone are passed on.  False with errno when no process can be made.
 *
 * `started`, unless it is NULL, is called with `context` when the command runs; threads that it
 * makes get none of these signals. */
bool run_command(const char *path, char *const *arguments, char *const *environment,
                 void (*started)(void *context), void *context, struct run_result *result);

/* Raises a low limit on this process's open files, as far as it may be raised.  What run_command runs gets the limit that was
 * there before.  False where too few are left to record anything. */
bool run_raise_files(void);

/* While standard output is the answer's: what commands write there goes to standard error.  For run_take_output_back; -1 where
 * it can't be. */
int run_lend_output(void);

/* errno stays. */
void run_take_output_back(int own);

/* What a shell would exit with. */
int run_exit_status(const struct run_result *result);

#endif
