/* signals FILE: writes its pid to FILE, says each signal that comes on standard output, and ends
 * with status 7 after SIGTERM.  It stops as usual on SIGTSTP. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} known[] = {{SIGINT, "INT"},   {SIGTERM, "TERM"}, {SIGHUP, "HUP"},     {SIGQUIT, "QUIT"},
             {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}, {SIGWINCH, "WINCH"}, {SIGCONT, "CONT"}};

static const char *name_of(int number)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].name;
    return "?";
}

int main(int argc, char **argv)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        sigaddset(&all, known[i].number);
    sigprocmask(SIG_BLOCK, &all, NULL);
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0)
        return 1;
    for (int number = 0; number != SIGTERM;) {
        number = sigwaitinfo(&all, NULL);
        if (number < 0) /* stopped and continued */
            continue;
        printf("%s\n", name_of(number));
        fflush(stdout);
    }
    return 7;
}
