/* Preloaded into heaptap: one process that answers many questions, each in a fork of itself, so that a test of ten thousand
 * commands doesn't load the program's libraries ten thousand times, which is half of what a small question costs.
 *
 * A question arrives on the socket whose number is in $ASKED: the folder, the environment's changes and the arguments as strings
 * that end in zero bytes, a zero byte after each group; and with it the descriptors of standard output and standard error.  The status
 * of wait(2) goes back.  helpers/asking.py is the other end. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

enum { QUESTION_BYTES = 1 << 16, WORDS = 256, OUTPUTS = 2 };

extern char **environ;
static main_function *program;

/* Returns the strings of a group, after which there is a NULL, and moves *at behind it. */
static int take_group(char **at, char **words)
{
    int count = 0;
    for (; **at && count < WORDS; *at += strlen(*at) + 1)
        words[count++] = *at;
    words[count] = NULL;
    ++*at;
    return count;
}

static void answer(char *question, const int outputs[OUTPUTS])
{
    char *words[WORDS + 1];
    take_group(&question, words);
    if (chdir(words[0]) != 0 || dup2(outputs[0], STDOUT_FILENO) < 0 ||
        dup2(outputs[1], STDERR_FILENO) < 0)
        _exit(127);
    for (int i = take_group(&question, words) - 1; i >= 0; i--)
        putenv(words[i]);
    for (int i = 0; i < OUTPUTS; i++)
        close(outputs[i]);
    int count = take_group(&question, words);
    int status = program(count, words, environ);
    fflush(NULL);
    _exit(status); /* what its libraries would undo goes with the process */
}

/* Returns the bytes of the next question; 0 where nobody asks any more. */
static size_t next_question(int asked, char *question, int outputs[OUTPUTS])
{
    char control[CMSG_SPACE(OUTPUTS * sizeof(int))];
    struct iovec part = {.iov_base = question, .iov_len = QUESTION_BYTES};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t got = recvmsg(asked, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (got <= 0 || !header || header->cmsg_len != CMSG_LEN(OUTPUTS * sizeof(int)))
        return 0;
    memcpy(outputs, CMSG_DATA(header), OUTPUTS * sizeof(int));
    return (size_t)got;
}

static int answer_all(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
    static char question[QUESTION_BYTES];
    int asked = atoi(getenv("ASKED")), outputs[OUTPUTS];
    unsetenv("ASKED");
    unsetenv("LD_PRELOAD");
    while (next_question(asked, question, outputs)) {
        pid_t child = fork();
        if (child == 0) {
            close(asked);
            answer(question, outputs);
        }
        int32_t status = -1;
        if (child > 0)
            waitpid(child, &status, 0);
        for (int i = 0; i < OUTPUTS; i++)
            close(outputs[i]);
        if (write(asked, &status, sizeof status) != sizeof status)
            return 1;
    }
    return 0;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

__attribute__((visibility("default"))) int
__libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return next(getenv("ASKED") ? answer_all : main, argc, argv, init, fini, rtld_fini, stack_end);
}
