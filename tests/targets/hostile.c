/* Programs that are hard on a recorder inside them, for tests/cli/record_hostile.py: each does what
 * it may, prints what it found, and leaves files.  All of it is the same without a recorder. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

static void allocate(int count)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(100 + (size_t)i % 1000);
        free(block);
    }
}

/* A thread that is cancelled anywhere but in pthread_testcancel leaves the mutex locked. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_and_allocate(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        allocate(50);
        pthread_mutex_unlock(&mutex);
        pthread_testcancel();
    }
    return unused;
}

static int cancel(void)
{
    int left_locked = 0;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, lock_and_allocate, NULL);
        usleep((useconds_t)(i % 10 * 20));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        if (pthread_mutex_trylock(&mutex) != 0)
            left_locked++;
        pthread_mutex_unlock(&mutex);
    }
    printf("%d left locked\n", left_locked);
    return 0;
}

/* Cleaning up, a thread that is cancelled allocates as well: in handlers, and in destructors of its keys. */
static pthread_key_t key;

static void unlock(void *unused)
{
    allocate(20);
    pthread_mutex_unlock(&mutex);
}

static void destroy(void *value)
{
    allocate(20);
    free(value);
}

static void *lock_and_clean_up(void *unused)
{
    pthread_setspecific(key, malloc(100));
    for (;;) {
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push(unlock, NULL);
        allocate(50);
        pthread_testcancel();
        pthread_cleanup_pop(1);
    }
    return unused;
}

static int cancel_cleanup(void)
{
    enum { THREADS = 4 };
    int left_locked = 0;
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 50; i++) {
        pthread_t threads[THREADS];
        for (int k = 0; k < THREADS; k++)
            pthread_create(&threads[k], NULL, lock_and_clean_up, NULL);
        usleep((useconds_t)(i % 10 * 20));
        for (int k = 0; k < THREADS; k++)
            pthread_cancel(threads[k]);
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], NULL);
        if (pthread_mutex_trylock(&mutex) != 0)
            left_locked++;
        pthread_mutex_unlock(&mutex);
    }
    printf("%d left locked\n", left_locked);
    return 0;
}

static void on_alarm(int number)
{
    int saved = errno;
    allocate(3);
    errno = saved;
}

static void often(long us)
{
    const struct itimerval timer = {{0, us}, {0, us}};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, us ? &timer : &(struct itimerval){0}, NULL);
}

static int wait_for(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static int handler_in_fork(void)
{
    int bad = 0;
    allocate(10);
    often(200);
    for (int i = 0; i < 60; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(7);
        bad += wait_for(pid) != 7 << 8;
    }
    often(0);
    printf("%d bad children\n", bad);
    return 0;
}

static int handler_in_exec(void)
{
    allocate(10);
    often(200);
    for (int i = 0; i < 2000; i++)
        execl("/no/such/program", "program", (char *)NULL);
    often(0);
    printf("%s\n", strerror(errno));
    return 3;
}

static int handler_in_exit(void)
{
    int bad = 0;
    for (int i = 0; i < 60; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            allocate(10);
            often(50);
            if (i % 2)
                exit(7);
            _exit(7);
        }
        bad += wait_for(pid) != 7 << 8;
    }
    printf("%d bad children\n", bad);
    return 0;
}

static int handler_in_abort(void)
{
    allocate(10);
    often(200);
    abort();
}

/* ---- Switched on and off ------------------------------------------------------------ */

static void toggle(int number)
{
    int saved = errno;
    static unsigned times;
    kill(getpid(), SIGUSR2); /* of any thread */
    raise(SIGUSR2);
    if (times++ % 2)
        raise(SIGUSR2); /* on one time, off the next */
    errno = saved;
}

static void toggle_often(long us)
{
    const struct itimerval timer = {{0, us}, {0, us}};
    struct sigaction action = {.sa_handler = toggle, .sa_flags = SA_RESTART}, now;
    free(malloc(1)); /* the recorder is there now */
    sigaction(SIGUSR2, NULL, &now);
    if (now.sa_handler == SIG_DFL)
        signal(SIGUSR2, SIG_IGN);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, us ? &timer : &(struct itimerval){0}, NULL);
}

static void *check_blocks(void *unused)
{
    enum { BLOCKS = 256 };
    unsigned char *blocks[BLOCKS] = {0};
    size_t sizes[BLOCKS] = {0}, bad = 0;
    for (size_t i = 0; i < 200000; i++) {
        size_t at = i * 7919 % BLOCKS, size = 16 + i % 500;
        if (blocks[at])
            bad += blocks[at][0] != (unsigned char)at ||
                   blocks[at][sizes[at] - 1] != (unsigned char)at;
        blocks[at] = i % 3 ? realloc(blocks[at], size) : (free(blocks[at]), malloc(size));
        memset(blocks[at], (int)at, size);
        sizes[at] = size;
    }
    for (size_t at = 0; at < BLOCKS; at++)
        free(blocks[at]);
    return (void *)bad;
}

/* In the middle of malloc, of free, of the recorder, in any thread. */
static int toggled(void)
{
    pthread_t threads[2];
    void *bad[3];
    toggle_often(100);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, check_blocks, NULL);
    bad[2] = check_blocks(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &bad[i]);
    toggle_often(0);
    printf("%zu, %zu, %zu bad blocks\n", (size_t)bad[0], (size_t)bad[1], (size_t)bad[2]);
    return 0;
}

/* ---- Stacks ------------------------------------------------------------------------- */

static ucontext_t outside, inside;
static int child_status;

static void spawn_from_it(void)
{
    char *arguments[] = {"true", NULL};
    pid_t pid;
    if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) == 0)
        child_status = wait_for(pid);
}

static void fork_from_it(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        void *volatile block = malloc(50);
        free(block);
        _exit(5);
    }
    child_status = wait_for(pid);
}

static void allocate_from_it(void)
{
    allocate(1000);
    child_status = 0;
}

/* A page below it is not there: an overflow ends the program. */
static int on_small_stack(size_t bytes, void (*function)(void))
{
    char *memory = mmap(NULL, bytes + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + 65536, bytes, PROT_READ | PROT_WRITE);
    child_status = -1;
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory + 65536;
    inside.uc_stack.ss_size = bytes;
    inside.uc_link = &outside;
    makecontext(&inside, function, 0);
    swapcontext(&outside, &inside);
    printf("%zu bytes: %d\n", bytes, child_status);
    fflush(stdout);
    return 0;
}

static void on_signal(int number)
{
    allocate(100);
}

static int alternate_stack(void)
{
    static char memory[16384];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf("back\n");
    return 0;
}

/* ---- Descriptors and files ---------------------------------------------------------- */

static void write_precious(int fd)
{
    if (write(fd, "precious\n", 9) != 9)
        abort();
}

static int closed_and_reused(void)
{
    allocate(1000);
    if (system("rm -f *.ctf *.pb.gz") != 0)
        return 1;
    syscall(SYS_close_range, 3u, ~0u, 0u);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "user.%d", i % 20);
        int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
        if (fd < 0)
            break;
        write_precious(fd);
    }
    allocate(100000);
    return 0;
}

static int own_fd;
static volatile int stop;

static void *replace_descriptors(void *unused)
{
    while (!stop)
        for (int fd = 4; fd < 1020; fd++)
            dup2(own_fd, fd);
    return unused;
}

static int replaced(void)
{
    pthread_t thread;
    allocate(1000);
    own_fd = open("user.data", O_RDWR | O_CREAT, 0644);
    write_precious(own_fd);
    pthread_create(&thread, NULL, replace_descriptors, NULL);
    allocate(300000);
    stop = 1;
    pthread_join(thread, NULL);
    return 0;
}

static int file_limit(void)
{
    allocate(1000);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    allocate(100000);
    return 4;
}

static int descriptor_limit(void)
{
    allocate(100);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    allocate(100000);
    return wait_for(fork() ? -1 : (allocate(10), _exit(6), 0)) >> 8;
}

static int jail(void)
{
    allocate(1000);
    fflush(stdout);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    mkdir("jail", 0755);
    if (chroot("jail") != 0 || chdir("/") != 0 || setgroups(0, NULL) != 0 || setuid(65534) != 0)
        printf("not root\n");
    allocate(100000);
    printf("out\n");
    return 0;
}

/* ---- Generations -------------------------------------------------------------------- */

static long own_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %ld", &kb);
    if (file)
        fclose(file);
    return kb;
}

static int generations(void)
{
    allocate(1000);
    long first_kb = 0;
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        if (pid != 0)
            _exit(wait_for(pid) >> 8);
        allocate(100);
        if (i == 10)
            first_kb = own_kb();
    }
    long more_kb = own_kb() - first_kb;
    if (more_kb > 4096)
        printf("%ld kB more than the tenth generation\n", more_kb);
    printf("the last\n");
    return 9;
}

/* As many blocks as an address space of 60 MB holds. */
static int address_space(void)
{
    int count = 0;
    while (count < 300 && malloc(100000))
        count++;
    printf("%s\n", count >= 300 ? "all 30 MB" : "less");
    return 0;
}

/* Limits itself, after it has allocated. */
static int own_limit(void)
{
    enum { LIMIT_BYTES = 300 << 20 };
    void *volatile before = malloc(1000);
    if (!before || setrlimit(RLIMIT_AS, &(struct rlimit){LIMIT_BYTES, LIMIT_BYTES}) != 0)
        return 2;
    return address_space();
}

/* Of 3 MB of data. */
static int data_limit(void)
{
    int count = 0;
    while (count < 2000 && malloc(1000))
        count++;
    printf("%s\n", count >= 2000 ? "all 2 MB" : "less");
    return 0;
}

/* Of 2 GB. */
static int most_of_it(void)
{
    int count = 0;
    while (count < 1400 && malloc(1 << 20))
        count++;
    printf("%s\n", count >= 1400 ? "all 1.4 GB" : "less");
    return 0;
}

static void *allocate_in_thread(void *unused)
{
    allocate(1000);
    return unused;
}

static int ended_as(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* Who reads the processor's counter of time meanwhile, as libc's clock does, dies of it. */
static int no_counter(void)
{
    pthread_t thread;
    allocate(1000);
    int refused = prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    allocate(100000);
    pthread_create(&thread, NULL, allocate_in_thread, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        allocate(1000);
        _exit(5);
    }
    printf("%d, child %x\n", refused, ended_as(child));
    char *const arguments[] = {"/proc/self/exe", "malloc_small", NULL};
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) == 0)
        printf("spawned %x\n", ended_as(child));
    printf("%d\n", prctl(PR_SET_TSC, PR_TSC_ENABLE));
    allocate(1000);
    return 3;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    static const struct {
        const char *name;
        int (*function)(void);
    } hosts[] = {
        {"cancel", cancel},
        {"cancel_cleanup", cancel_cleanup},
        {"toggled", toggled},
        {"handler_in_fork", handler_in_fork},
        {"handler_in_exec", handler_in_exec},
        {"handler_in_exit", handler_in_exit},
        {"handler_in_abort", handler_in_abort},
        {"alternate_stack", alternate_stack},
        {"closed_and_reused", closed_and_reused},
        {"replaced", replaced},
        {"file_limit", file_limit},
        {"descriptor_limit", descriptor_limit},
        {"jail", jail},
        {"generations", generations},
        {"address_space", address_space},
        {"data_limit", data_limit},
        {"own_limit", own_limit},
        {"most_of_it", most_of_it},
        {"no_counter", no_counter},
    };
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (strcmp(what, hosts[i].name) == 0)
            return hosts[i].function();
    if (strcmp(what, "spawn_small") == 0)
        return on_small_stack(8192, spawn_from_it);
    if (strcmp(what, "fork_small") == 0)
        return on_small_stack(8192, fork_from_it) || on_small_stack(4096, fork_from_it);
    if (strcmp(what, "malloc_small") == 0)
        return on_small_stack(8192, allocate_from_it) || on_small_stack(4096, allocate_from_it);
    return 2;
}
