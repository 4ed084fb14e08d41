/* Holds more and more, for snapshots while it runs.  It says how many MB there are, and reads what to do, a line at a time: "more"
 * adds 1 MB to a list, "own" has it handle SIGUSR1 itself.  At its end it says what it saw: signals of its
 * own, SIGCHLD, calls of its handlers of fork, and whether wait finds a child. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct link {
    struct link *next;
    char bytes[1016];
};

static struct link *list;
static volatile sig_atomic_t own, children, forks;

static void on_signal(int number)
{
    own++;
}

static void on_child(int number)
{
    children++;
}

static void on_fork(void)
{
    forks++;
}

__attribute__((noinline)) static void fill(void)
{
    for (int i = 0; i < 1024; i++) {
        struct link *link = malloc(sizeof *link);
        memset(link, 1, sizeof *link);
        link->next = list;
        list = link;
    }
}

int main(void)
{
    char line[64];
    signal(SIGCHLD, on_child);
    pthread_atfork(on_fork, NULL, NULL);
    setvbuf(stdout, NULL, _IONBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0);
    for (int megabytes = 0; printf("%d\n", megabytes) > 0 && fgets(line, sizeof line, stdin);) {
        if (strcmp(line, "own\n") == 0)
            signal(SIGUSR1, on_signal);
        else
            fill(), megabytes++;
    }
    int found = wait(NULL);
    printf("%d %d %d %d %d\n", own, children, forks, found, errno == ECHILD);
    return 0;
}
