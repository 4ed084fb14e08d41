#include "cli/dot_program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/report_output.h"

extern char **environ;

/* Starts dot, which reads a file and writes another; 0 or an errno. */
static int start_dot(pid_t *child, const char *kind, int from, int to)
{
    char format[16];
    char *arguments[] = {(char *)"dot", format, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(format, sizeof format, "-T%s", kind);
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    code = posix_spawnp(child, "dot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static int run_dot(const char *kind, int from, int to)
{
    pid_t child;
    int status = 0, code = start_dot(&child, kind, from, to);
    if (code == ENOENT) {
        cli_warn(
            "there is no program 'dot': pictures of graphs need Graphviz; --dot works without it");
        return CLI_FAILED;
    }
    if (code) {
        cli_warn("dot: %s", strerror(code));
        return CLI_FAILED;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLI_DONE;
    cli_warn("Graphviz's dot failed");
    return CLI_FAILED;
}

/* Through a file, so that dot can't keep us waiting with a full pipe. */
static int draw(const char *kind, bool (*print)(void *context, FILE *file), void *context, int to)
{
    FILE *graph = tmpfile();
    if (!graph) {
        cli_warn("a temporary file: %s", strerror(errno));
        return CLI_FAILED;
    }
    int status = CLI_FAILED;
    if (!print(context, graph))
        cli_warn("out of memory");
    else if (fflush(graph) != 0 || fseek(graph, 0, SEEK_SET) != 0)
        cli_warn("a temporary file: %s", strerror(errno));
    else
        status = run_dot(kind, fileno(graph), to);
    fclose(graph);
    return status;
}

int dot_program_write(const char *path, const char *kind, bool (*print)(void *context, FILE *file),
                      void *context)
{
    struct output_file file;
    if (!kind)
        return report_output_write(path, print, context);
    int code = output_file_open(&file, path ? path : "-");
    if (code)
        return report_output_fail(path, code);
    int status = draw(kind, print, context, file.fd);
    if (status == CLI_DONE && (code = output_file_commit(&file)))
        status = report_output_fail(path, code);
    output_file_release(&file);
    return status;
}
