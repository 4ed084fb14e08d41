/* A program to be recorded: each mode does allocations whose trace is known beforehand.  Sizes from
 * 1000 on are the ones that tests look for.  Status 3: something went wrong in here. */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;
static void *volatile kept; /* so that no allocation is optimised away */

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "recorded: line %d: %s\n", __LINE__, #condition);                      \
            _exit(3);                                                                              \
        }                                                                                          \
    } while (0)

static void *keep(void *block)
{
    CHECK(block);
    kept = block;
    return block;
}

/* ---- The whole family --------------------------------------------------------------- */

static void family(void)
{
    void *block;
    void *(*free_with_size)(void *, size_t);
    size_t huge = PTRDIFF_MAX;
    __asm__("" : "+r"(huge));
    errno = EXDEV;
    free(keep(malloc(1001)));
    free(keep(calloc(2, 501)));
    free(keep(realloc(NULL, 1003)));
    free(keep(reallocarray(NULL, 4, 251)));
    CHECK(posix_memalign(&block, 64, 1005) == 0 && (uintptr_t)block % 64 == 0);
    free(keep(block));
    free(keep(aligned_alloc(32, 1024)));
    free(keep(memalign(128, 1007)));
    free(keep(valloc(1008)));
    free(keep(pvalloc(1009)));
    block = keep(malloc(1010));
    CHECK(malloc_usable_size(block) >= 1010 && malloc_usable_size(block) < 1100);
    free(block);
    CHECK(malloc_usable_size(NULL) == 0);
    free(NULL);
    *(void **)&free_with_size = dlsym(RTLD_DEFAULT, "free_sized");
    if (free_with_size) {
        free_with_size(keep(malloc(1011)), 1011);
        free_with_size(NULL, 0);
    }
    void *(*volatile allocate)(size_t) = malloc;
    free(keep(allocate(1012)));
    CHECK(errno == EXDEV);
    CHECK(!malloc(huge) && errno == ENOMEM);
    CHECK(!calloc(huge, 16) && errno == ENOMEM);
    CHECK(!reallocarray(NULL, huge, 16) && errno == ENOMEM);
    CHECK(posix_memalign(&block, 3, 16) == EINVAL);
    free(keep(malloc(0)));
}

static void reallocs(void)
{
    size_t huge = PTRDIFF_MAX;
    __asm__("" : "+r"(huge));
    char *block = keep(malloc(1100));
    memset(block, 7, 1100);
    block = keep(realloc(block, 200000)); /* moves */
    CHECK(block[0] == 7 && block[1099] == 7);
    CHECK(!realloc(block, huge) && errno == ENOMEM); /* stays */
    block = keep(realloc(block, 1102));              /* in place */
    CHECK(block[1099] == 7);
    block = keep(reallocarray(block, 3, 401)); /* 1203 */
    CHECK(!realloc(block, 0));                 /* frees */
    kept = keep(malloc(1104));                 /* stays for ever */
}

/* ---- Threads ------------------------------------------------------------------------ */

enum { THREADS = 4, BLOCKS = 1000, SHORT_THREADS = 2000 };

static void *blocks[THREADS][BLOCKS];
static pthread_barrier_t barrier;

static void *exchange(void *number)
{
    size_t self = (size_t)number;
    for (size_t i = 0; i < BLOCKS; i++)
        blocks[self][i] = malloc(2000 + self);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[(self + 1) % THREADS][i]);
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&all[i], NULL, exchange, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

static pthread_key_t last_key;

static void free_late(void *block)
{
    free(block);
}

/* One block is freed by the next thread, one when the thread's own data go. */
static void *short_thread(void *before)
{
    free(before);
    pthread_setspecific(last_key, malloc(3001));
    return malloc(3000);
}

static void many_threads(void)
{
    void *block = NULL;
    pthread_key_create(&last_key, free_late);
    for (int i = 0; i < SHORT_THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, short_thread, block) == 0);
        pthread_join(thread, &block);
    }
    free(block);
}

static void *waiting_thread(void *unused)
{
    (void)unused;
    kept = malloc(3002);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void together(void)
{
    enum { COUNT = 300 };
    pthread_t all[COUNT];
    pthread_barrier_init(&barrier, NULL, COUNT + 1);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(pthread_create(&all[i], NULL, waiting_thread, NULL) == 0);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < COUNT; i++)
        pthread_join(all[i], NULL);
}

/* ---- Ends --------------------------------------------------------------------------- */

static void *spin(void *unused)
{
    (void)unused;
    for (;;)
        free(malloc(100));
    return NULL;
}

static void at_exit(void)
{
    kept = malloc(4001);
}

static __attribute__((destructor)) void at_last(void)
{
    if (kept)
        kept = malloc(4002);
}

static void end(const char *how)
{
    pthread_t thread;
    atexit(at_exit);
    kept = malloc(4000);
    if (strchr(how, '+')) /* while another thread goes on allocating */
        pthread_create(&thread, NULL, spin, NULL);
    if (strstr(how, "quick"))
        quick_exit(0);
    if (strstr(how, "_exit"))
        _exit(0);
    if (strstr(how, "_Exit"))
        _Exit(0);
    if (strstr(how, "exit"))
        exit(0);
    if (strstr(how, "abort"))
        abort();
    if (strstr(how, "assert"))
        assert(!"the end");
    if (strstr(how, "pthread")) {
        pthread_exit(NULL);
    }
}

/* ---- Children ----------------------------------------------------------------------- */

static void wait_for(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
          WEXITSTATUS(status) == 0);
}

static void children(const char *how, char *program)
{
    char *arguments[] = {program, (char *)(uintptr_t) "child", NULL};
    char *bare[] = {(char *)(uintptr_t) "NOTHING=1", NULL};
    char **environment = strstr(how, "bare") ? bare : environ;
    pid_t child = 0;
    void *block = malloc(5000);
    if (strncmp(how, "fork", 4) == 0 && (child = fork()) == 0) {
        free(block);
        free(malloc(5001));
        exit(0);
    }
    if (strncmp(how, "clone", 5) == 0 &&
        (child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0) {
        free(malloc(5002));
        _exit(0);
    }
    if (strncmp(how, "vfork", 5) == 0 && (child = vfork()) == 0) {
        execve(program, arguments, environment);
        _exit(1);
    }
    if (strncmp(how, "failing", 7) == 0 && (child = vfork()) == 0) {
        execve("/nonexistent", arguments, environment);
        _exit(0);
    }
    if (strncmp(how, "spawn", 5) == 0)
        CHECK(posix_spawn(&child, program, NULL, NULL, arguments, environment) == 0);
    if (strncmp(how, "system", 6) == 0) {
        char command[4096];
        snprintf(command, sizeof command, "%s child", program);
        CHECK(system(command) == 0);
    }
    if (child)
        wait_for(child);
    free(malloc(5003));
    if (strncmp(how, "exec", 4) == 0)
        execl(program, program, "child", NULL);
    free(block);
}

/* ---- Modules ------------------------------------------------------------------------ */

static void plugins(const char *first, const char *second)
{
    for (int i = 0; i < 20; i++) {
        void *handle = dlopen(i % 2 ? second : first, RTLD_NOW);
        void *(*allocate)(size_t);
        CHECK(handle);
        *(void **)&allocate = dlsym(handle, "plugin_allocate");
        CHECK(allocate);
        free(allocate(i % 2 ? 6002 : 6001));
        CHECK(dlclose(handle) == 0);
    }
}

void *__libc_malloc(size_t size);

/* Bound to libc's own malloc and free: neither is seen, and both get along with those that are. */
static void deepbind(const char *plugin)
{
    void *(*allocate)(size_t);
    void (*release)(void *);
    void *handle = dlopen(plugin, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(handle);
    *(void **)&allocate = dlsym(handle, "plugin_allocate");
    *(void **)&release = dlsym(handle, "plugin_free");
    CHECK(allocate && release);
    free(keep(allocate(6003)));
    release(keep(malloc(6004)));
    void *again = keep(malloc(6004)); /* at the same place */
    free(again);
    free(keep(__libc_malloc(6005)));
}

/* ---- Signals ------------------------------------------------------------------------ */

static uintptr_t recorder_low, recorder_high;
static volatile sig_atomic_t handled;

static int find_recorder(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!strstr(info->dlpi_name, "heaptap-preload"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        recorder_low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        recorder_high = recorder_low + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static uintptr_t interrupted_at(const ucontext_t *context)
{
#ifdef __aarch64__
    return context->uc_mcontext.pc;
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#endif
}

/* malloc is not for signal handlers, but it works in one that interrupted the recorder only. */
static void allocate_inside(int number, siginfo_t *info, void *context)
{
    uintptr_t pc = interrupted_at(context);
    (void)number;
    (void)info;
    if (pc < recorder_low || pc >= recorder_high)
        return;
    handled++;
    free(malloc(7000));
}

static void signals(void)
{
    struct sigaction action = {.sa_sigaction = allocate_inside, .sa_flags = SA_SIGINFO};
    struct itimerval often = {{0, 300}, {0, 300}};
    dl_iterate_phdr(find_recorder, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < 2000000000 && handled < 100; i++) /* on a busy machine, few come in time */
        free(keep(malloc(100)));
    often = (struct itimerval){0};
    setitimer(ITIMER_REAL, &often, NULL);
    /* The last call may have been interrupted twice. */
    CHECK(!recorder_low || handled >= 100);
    free(malloc(7001));
}

/* ---- More --------------------------------------------------------------------------- */

/* 40 MB in blocks of all sizes; a quarter of the bytes stays. */
static void sizes(void)
{
    uint64_t x = 88172645463325252u;
    for (size_t total = 0, i = 0; total < 40000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        size_t size = 1 + x % 2000;
        void *block = keep(malloc(size));
        total += size;
        if (i % 4)
            free(block);
    }
}

static void churn(void)
{
    for (;;) {
        void *all[64];
        for (int i = 0; i < 64; i++)
            all[i] = malloc(64 + (size_t)i);
        for (int i = 0; i < 64; i++)
            free(all[i]);
    }
}

static void toggled(void)
{
    free(keep(malloc(8000)));
    raise(SIGUSR2);
    for (int i = 0; i < 1000; i++)
        free(keep(malloc(100)));
    free(keep(malloc(8001)));
    raise(SIGUSR2);
    for (int i = 0; i < 1000; i++)
        free(keep(malloc(100)));
    free(keep(malloc(8002)));
}

/* A daemon closes what it did not open, and opens what gets the same numbers. */
static void closes(const char *path)
{
    free(keep(malloc(8100)));
    for (int fd = 3; fd < 2000; fd++)
        close(fd);
    FILE *file = fopen(path, "w");
    CHECK(file);
    for (int fd = 3; fd < 1000; fd++)
        dup2(fileno(file), fd);
    for (int i = 0; i < 20000; i++)
        free(keep(malloc(100)));
    free(keep(malloc(8101)));
    fputs("mine\n", file);
    fclose(file);
}

static void slowly(void)
{
    for (int i = 0; i < 200; i++) {
        free(keep(malloc(8200)));
        usleep(5000);
    }
}

static __attribute__((noinline)) void *deep(int levels)
{
    void *block = levels ? deep(levels - 1) : malloc(8300);
    __asm__ volatile("" : "+r"(block));
    return block;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "family") == 0)
        family();
    else if (strcmp(mode, "reallocs") == 0)
        reallocs();
    else if (strcmp(mode, "threads") == 0)
        threads();
    else if (strcmp(mode, "many-threads") == 0)
        many_threads();
    else if (strcmp(mode, "together") == 0)
        together();
    else if (strcmp(mode, "end") == 0)
        end(argv[2]);
    else if (strcmp(mode, "children") == 0)
        children(argv[2], argv[0]);
    else if (strcmp(mode, "child") == 0)
        free(malloc(5100));
    else if (strcmp(mode, "plugins") == 0)
        plugins(argv[2], argv[3]);
    else if (strcmp(mode, "deepbind") == 0)
        deepbind(argv[2]);
    else if (strcmp(mode, "signals") == 0)
        signals();
    else if (strcmp(mode, "sizes") == 0)
        sizes();
    else if (strcmp(mode, "churn") == 0)
        churn();
    else if (strcmp(mode, "toggled") == 0)
        toggled();
    else if (strcmp(mode, "closes") == 0)
        closes(argv[2]);
    else if (strcmp(mode, "slowly") == 0)
        slowly();
    else if (strcmp(mode, "deep") == 0)
        free(deep(300));
    else
        return 3;
    return 0;
}
