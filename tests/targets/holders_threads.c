/* Blocks that threads were begun with, are their own, or were returned, by kinds of threads: one function for each kind, which
 * allocates them. Each kind is of COUNT threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))
enum { COUNT = 4, STACK_BYTES = 1 << 18, PAGE_BYTES = 4096, BEGUN_BYTES = 1000 };

static pthread_t threads[COUNT];
static pthread_attr_t how;
static pthread_key_t key;
static pthread_barrier_t are_waiting;
static char given[COUNT][STACK_BYTES] __attribute__((aligned(PAGE_BYTES)));

/* ---- What threads do ------------------------------------------------------------------ */

static void *returns(void *word)
{
    return NULL;
}

static void *exits(void *word)
{
    pthread_setspecific(key, word);
    pthread_exit(NULL);
}

/* What was there for it is gone, and the next block of the size takes its place. */
static void *frees(void *word)
{
    free(word);
    return NULL;
}

static void *gives_back(void *word)
{
    return word;
}

typedef void *make_block(void);

/* What it waits with is what the function `word` makes, if there is one. */
static void *waits(void *word)
{
    make_block *make = (make_block *)word;
    void *volatile here = make ? make() : NULL;
    pthread_barrier_wait(&are_waiting);
    pause();
    return here;
}

/* ---- How they end --------------------------------------------------------------------- */

static void join_all(void)
{
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
}

/* The kernel writes a thread's end into the thread's data last of all, behind its name in /proc. */
static void let_end(void)
{
    for (int i = 0; i < COUNT; i++)
        pthread_detach(threads[i]);
    usleep(300000);
}

static void let_return(void)
{
    usleep(300000);
}

static void let_wait(void)
{
    pthread_barrier_wait(&are_waiting);
    usleep(100000);
}

/* ---- Kinds ---------------------------------------------------------------------------- */

#define KIND(name, body, end)                                                                      \
    static ALONE void *name(void)                                                                  \
    {                                                                                              \
        return malloc(BEGUN_BYTES);                                                                \
    }                                                                                              \
    static ALONE void begin_##name(void)                                                           \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            pthread_create(&threads[i], &how, body, name());                                       \
        end();                                                                                     \
    }

KIND(lose_joined, returns, join_all)
KIND(lose_exited, exits, join_all)
KIND(lose_detached, returns, let_end)
KIND(lose_unjoined, returns, let_return)
KIND(lose_given_back, gives_back, join_all)
KIND(lose_on_large, returns, join_all)
KIND(lose_unguarded, returns, join_all)
KIND(keep_returned, gives_back, let_return)
KIND(make_first, frees, join_all)

/* It is where the block was that a thread has freed. */
static ALONE void lose_again(void)
{
    for (int i = 0; i < COUNT; i++) {
        char *volatile block = malloc(BEGUN_BYTES);
        block[0] = 1;
    }
}

static ALONE void begin_lose_again(void)
{
    begin_make_first();
    lose_again();
}

#define WAITING(name)                                                                              \
    static ALONE void *name(void)                                                                  \
    {                                                                                              \
        return malloc(BEGUN_BYTES);                                                                \
    }                                                                                              \
    static ALONE void begin_##name(void)                                                           \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            pthread_create(&threads[i], &how, waits, name);                                        \
        let_wait();                                                                                \
    }

WAITING(keep_waiting)
WAITING(keep_unguarded)

/* Stacks of the program's own: what a thread has left there is what the program has there. */
static ALONE void *keep_given(void)
{
    return malloc(BEGUN_BYTES);
}

static ALONE void begin_keep_given(void)
{
    for (int i = 0; i < COUNT; i++) {
        pthread_attr_setstack(&how, given[i], STACK_BYTES);
        pthread_create(&threads[i], &how, returns, keep_given());
    }
    join_all();
}

/* A mapping of the program's own has a block's address before and behind the stack of a thread that waits. */
static ALONE void *keep_beside(void)
{
    return malloc(BEGUN_BYTES);
}

static ALONE void begin_keep_beside(void)
{
    for (int i = 0; i < COUNT; i++) {
        char *room = mmap(NULL, STACK_BYTES + 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *(void **)(room + 64) = keep_beside();
        *(void **)(room + PAGE_BYTES + STACK_BYTES + 64) = keep_beside();
        pthread_attr_setstack(&how, room + PAGE_BYTES, STACK_BYTES);
        pthread_create(&threads[i], &how, waits, NULL);
    }
    let_wait();
}

/* ---- All ------------------------------------------------------------------------------ */

static ALONE void clear_stack(void)
{
    char room[1 << 15];
    memset(room, 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static const struct kind {
    const char *name;
    void (*begin)(void);
    size_t stack_bytes, guard_bytes;
} kinds[] = {
    {"lose_joined", begin_lose_joined, STACK_BYTES, PAGE_BYTES},
    {"lose_exited", begin_lose_exited, STACK_BYTES, PAGE_BYTES},
    {"lose_given_back", begin_lose_given_back, STACK_BYTES, PAGE_BYTES},
    {"lose_detached", begin_lose_detached, STACK_BYTES, PAGE_BYTES},
    {"lose_unjoined", begin_lose_unjoined, STACK_BYTES, PAGE_BYTES},
    {"lose_on_large", begin_lose_on_large, 1 << 24, PAGE_BYTES},
    {"lose_unguarded", begin_lose_unguarded, STACK_BYTES, 0},
    {"lose_again", begin_lose_again, STACK_BYTES, PAGE_BYTES},
    {"keep_returned", begin_keep_returned, STACK_BYTES, PAGE_BYTES},
    {"keep_waiting", begin_keep_waiting, STACK_BYTES, PAGE_BYTES},
    {"keep_unguarded", begin_keep_unguarded, STACK_BYTES, 0},
    {"keep_given", begin_keep_given, STACK_BYTES, PAGE_BYTES},
    {"keep_beside", begin_keep_beside, STACK_BYTES, PAGE_BYTES},
};

static void look_at(const struct kind *kind)
{
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, kind->stack_bytes);
    pthread_attr_setguardsize(&how, kind->guard_bytes);
    kind->begin();
    memset(threads, 0, sizeof threads);
    memset(&how, 0, sizeof how);
    clear_stack();
}

/* The kind is named by the first argument: stacks of others would be used again. */
int main(int count, char **words)
{
    pthread_key_create(&key, NULL);
    pthread_barrier_init(&are_waiting, NULL, COUNT + 1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (count > 1 && strcmp(kinds[i].name, words[1]) == 0)
            look_at(&kinds[i]);
    return 0;
}
