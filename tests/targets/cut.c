/* A program whose trace, argv[2], is cut to argv[3] bytes while it is recorded, by itself as anybody might.  argv[1] says what
 * it does about SIGBUS; the output and the end are the same without heaptap. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *trace;
static long cut_bytes;
static volatile sig_atomic_t caught;

static void allocate(int times)
{
    for (int i = 0; i < times; i++)
        free(malloc(16 + i % 1000));
}

static void cut(void)
{
    int ignored = truncate(trace, cut_bytes);
    (void)ignored;
}

static void *allocate_in_thread(void *unused)
{
    (void)unused;
    allocate(200000);
    return NULL;
}

/* A mapping of a file that is no longer that long. */
static volatile char *gone(void)
{
    FILE *file = tmpfile();
    int fd = fileno(file);
    int ignored = ftruncate(fd, 8192);
    char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ignored = ftruncate(fd, 0);
    (void)ignored;
    return at;
}

static void on_signal(int number)
{
    caught++;
    printf("caught %d\n", number);
    fflush(stdout);
    _exit(3);
}

static void on_info(int number, siginfo_t *info, void *context)
{
    (void)context;
    printf("caught %d, code %d\n", number, info->si_code);
    fflush(stdout);
    _exit(4);
}

static void count(int number)
{
    (void)number;
    caught++;
    allocate(10);
}

static const char *name_of(void (*handler)(int))
{
    return handler == SIG_DFL     ? "default"
           : handler == SIG_IGN   ? "ignored"
           : handler == SIG_ERR   ? "error"
           : handler == count     ? "count"
           : handler == on_signal ? "on_signal"
                                  : "somebody's";
}

static void tell_disposition(void)
{
    struct sigaction now;
    sigaction(SIGBUS, NULL, &now);
    printf("%s, flags %x, %d in the mask\n", name_of(now.sa_handler),
           (unsigned)now.sa_flags & ~0x04000000u, sigismember(&now.sa_mask, SIGUSR1));
}

static int run(const char *what)
{
    pthread_t threads[4];
    struct sigaction action = {.sa_handler = SIG_DFL};
    if (!strcmp(what, "plain")) {
        cut();
        allocate(200000);
    } else if (!strcmp(what, "threads")) {
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, allocate_in_thread, NULL);
        cut();
        allocate(200000);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else if (!strcmp(what, "child")) {
        if (fork() == 0) {
            allocate(200000);
            _exit(0);
        }
        cut();
        allocate(200000);
        wait(NULL);
    } else if (!strcmp(what, "handler")) {
        signal(SIGBUS, on_signal);
        cut();
        allocate(200000);
        *gone() = 1;
    } else if (!strcmp(what, "info")) {
        action.sa_sigaction = on_info;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigaction(SIGBUS, &action, NULL);
        cut();
        allocate(200000);
        *gone() = 1;
    } else if (!strcmp(what, "dispositions")) {
        tell_disposition();
        printf("%s\n", name_of(signal(SIGBUS, count)));
        tell_disposition();
        raise(SIGBUS);
        kill(getpid(), SIGBUS);
        printf("%d caught\n", (int)caught);
        action.sa_handler = count;
        action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
        sigaddset(&action.sa_mask, SIGUSR1);
        sigaction(SIGBUS, &action, NULL);
        tell_disposition();
        raise(SIGBUS);
        tell_disposition();
        printf("%s\n", name_of(signal(SIGBUS, SIG_IGN)));
        raise(SIGBUS);
        tell_disposition();
        printf("%s\n", name_of(signal(SIGBUS, SIG_DFL)));
        tell_disposition();
        cut();
        allocate(200000);
    } else if (!strcmp(what, "fault")) {
        cut();
        allocate(200000);
        *gone() = 1;
    } else if (!strcmp(what, "killed")) {
        cut();
        allocate(200000);
        raise(SIGBUS);
    } else {
        return 99;
    }
    return 7;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 98;
    trace = argv[2];
    cut_bytes = atol(argv[3]);
    allocate(20000);
    int status = run(argv[1]);
    printf("%d\n", status);
    return status;
}
