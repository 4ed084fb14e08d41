/* starts WAY PROGRAM [ARGUMENT...]: starts the program in one of many ways, as tests/cli/unchanged.sh
 * asks, with the environment of this one and STARTED=WAY; its status is the program's. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words as a command for the shell. */
static char *command_of(char **words)
{
    size_t size = 1;
    for (char **word = words; *word; word++)
        size += strlen(*word) + 3;
    char *command = calloc(size, 1);
    for (char **word = words; *word; word++)
        snprintf(command + strlen(command), size - strlen(command), "%s'%s'",
                 word > words ? " " : "", *word);
    return command;
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return status_of(status);
}

static int by_popen(char **words)
{
    char line[4096];
    FILE *stream = popen(command_of(words), "r");
    while (stream && fgets(line, sizeof line, stream))
        fputs(line, stdout);
    fflush(stdout);
    return status_of(pclose(stream));
}

static int by_vfork(char **words)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execv(words[0], words);
        _exit(127);
    }
    return wait_for(pid);
}

static int by_spawn(char **words,
                    int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                                 const posix_spawnattr_t *, char *const *, char *const *),
                    const char *name)
{
    pid_t pid;
    return spawn(&pid, name, NULL, NULL, words, environ) ? 127 : wait_for(pid);
}

static void by_exec(const char *way, char **words)
{
    const char *slash = strrchr(words[0], '/');
    if (!strcmp(way, "execv"))
        execv(words[0], words);
    else if (!strcmp(way, "execve"))
        execve(words[0], words, environ);
    else if (!strcmp(way, "execvp"))
        execvp(slash ? slash + 1 : words[0], words);
    else if (!strcmp(way, "execl"))
        execl(words[0], words[0], words[1], words[1] ? words[2] : NULL, NULL);
    else if (!strcmp(way, "fexecve"))
        fexecve(open(words[0], O_RDONLY), words, environ);
    else if (!strcmp(way, "execveat"))
        execveat(AT_FDCWD, words[0], words, environ, 0);
    else if (!strcmp(way, "syscall"))
        syscall(SYS_execve, words[0], words, environ);
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    const char *way = arguments[1];
    char **words = arguments + 2;
    setenv("STARTED", way, 1);
    if (!strcmp(way, "system"))
        return status_of(system(command_of(words)));
    if (!strcmp(way, "popen"))
        return by_popen(words);
    if (!strcmp(way, "vfork"))
        return by_vfork(words);
    if (!strcmp(way, "posix_spawn"))
        return by_spawn(words, posix_spawn, words[0]);
    if (!strcmp(way, "posix_spawnp"))
        return by_spawn(words, posix_spawnp, strrchr(words[0], '/') + 1);
    by_exec(way, words);
    perror(words[0]);
    return 127;
}
