/* Blocks whose holders are known, in C's ways: each function allocates what one root holds, or nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define PLANTED __attribute__((noinline))

struct entry {
    struct entry *next;
    char *value;
};
struct listener {
    void (*call)(void *);
    void *context;
};
struct node {
    struct node *left, *right;
    char bytes[84];
};
struct hook {
    struct hook *next;
};
struct member {
    char bytes[200];
    struct hook hook; /* the list holds its address */
};
struct pool {
    size_t used;
    struct {
        char *name;
        long number;
    } items[1000];
};
struct value { /* as interpreters have it */
    int tag;
    union {
        double number;
        char *string;
    } of;
};
struct session {
    struct session *before, *after;
    char *user;
};

static struct entry *cache[64];
static struct listener *listeners;
static size_t listener_count;
static struct node *volatile tree;
static struct hook *members;
static struct pool *volatile pool;
static volatile struct value values[40];
static volatile uintptr_t tagged_head;
static struct session sessions = {&sessions, &sessions, NULL};
static char **volatile rows; /* of a matrix */
static __thread char *volatile own[10];
static struct {
    int some;
    char *volatile deep[3];
} settings;

PLANTED void fill_cache(void)
{
    for (int i = 0; i < 300; i++) {
        struct entry *entry = malloc(sizeof *entry);
        entry->next = cache[i % 64];
        entry->value = strdup("a value that is cached, and long enough to be seen");
        cache[i % 64] = entry;
    }
}

PLANTED void add_listeners(void)
{
    for (int i = 0; i < 50; i++) {
        listeners = realloc(listeners, ++listener_count * sizeof *listeners);
        listeners[i] = (struct listener){free, calloc(1, 300)};
    }
}

static struct node *grow(int depth)
{
    struct node *node = calloc(1, sizeof *node);
    if (depth > 0) {
        node->left = grow(depth - 1);
        node->right = grow(depth - 1);
    }
    return node;
}

PLANTED void grow_tree(void)
{
    tree = grow(6);
}

PLANTED void add_members(void)
{
    for (int i = 0; i < 30; i++) {
        struct member *member = calloc(1, sizeof *member);
        member->hook.next = members;
        members = &member->hook;
    }
}

PLANTED void fill_pool(void)
{
    pool = calloc(1, sizeof *pool);
    while (pool->used < 200)
        pool->items[pool->used++].name = strdup("a name in the pool's object");
}

PLANTED void set_values(void)
{
    for (int i = 0; i < 40; i++)
        values[i] = i % 2 ? (struct value){1, {.string = calloc(1, 77)}} : (struct value){0, {3.5}};
}

PLANTED void tag(void)
{
    for (int i = 0; i < 20; i++) {
        uintptr_t *cell = calloc(1, 64);
        *cell = tagged_head;
        tagged_head = (uintptr_t)cell | 3;
    }
}

PLANTED void open_sessions(void)
{
    for (int i = 0; i < 25; i++) {
        struct session *session = malloc(sizeof *session);
        *session =
            (struct session){sessions.before, &sessions, strdup("somebody who has logged in")};
        sessions.before->after = session;
        sessions.before = session;
    }
}

PLANTED void make_matrix(void)
{
    rows = calloc(32, sizeof *rows);
    for (int i = 0; i < 32; i++)
        rows[i] = calloc(1, 512);
}

PLANTED void keep_own(void)
{
    for (int i = 0; i < 10; i++)
        own[i] = calloc(1, 444);
}

PLANTED void set_deep(void)
{
    settings.deep[1] = calloc(1, 5000);
}

PLANTED void keep_in_function(void)
{
    static void *volatile once;
    once = calloc(1, 3210);
}

PLANTED void keep_in_arena(void)
{
    void **arena = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 15; i++)
        arena[i * 100] = calloc(1, 222);
}

/* On pages that the first one is not of; behind the file's end there are none. */
static void **second_page(void *memory)
{
    return memory == MAP_FAILED ? calloc(2, 4096) : (void **)((char *)memory + 4096);
}

static void **map_file(int fd, int flags)
{
    if (ftruncate(fd, 3 * 4096) != 0)
        return second_page(MAP_FAILED);
    return second_page(mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, flags, fd, 0));
}

PLANTED void keep_in_shared(void)
{
    void **words =
        second_page(mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    for (int i = 0; i < 16; i++)
        words[i] = calloc(1, 231);
}

PLANTED void keep_in_segment(void)
{
    int id = shmget(IPC_PRIVATE, 1 << 16, 0600);
    void *memory = shmat(id, NULL, 0);
    void **words = second_page(memory);
    shmctl(id, IPC_RMID, NULL);
    for (int i = 0; i < 17; i++)
        words[i] = calloc(1, 232);
}

PLANTED void keep_in_shared_file(void)
{
    void **words = map_file(open("shared.bin", O_RDWR | O_CREAT, 0600), MAP_SHARED);
    for (int i = 0; i < 18; i++)
        words[i] = calloc(1, 233);
}

PLANTED void keep_in_private_file(void)
{
    void **words = map_file(open("private.bin", O_RDWR | O_CREAT, 0600), MAP_PRIVATE);
    for (int i = 0; i < 19; i++)
        words[i] = calloc(1, 234);
}

PLANTED void keep_in_memory_file(void)
{
    void **words = map_file(memfd_create("kept", 0), MAP_SHARED);
    for (int i = 0; i < 20; i++)
        words[i] = calloc(1, 235);
}

/* A table that nobody may change any more. */
PLANTED void keep_in_sealed(void)
{
    void *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 21; i++)
        ((void **)memory)[i] = calloc(1, 236);
    mprotect(memory, 1 << 16, PROT_READ);
}

PLANTED void lose(void)
{
    for (int i = 0; i < 12; i++) {
        void *volatile block = calloc(1, 999);
        (void)block;
    }
}

PLANTED void clear_stack(void)
{
    volatile char bytes[1 << 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

static volatile int ready;

static PLANTED void *hold_on_stack(void *ignored)
{
    char *volatile blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = calloc(1, 1234);
    ready = 1;
    for (;;)
        pause();
    return blocks[0];
}

int main(void)
{
    pthread_t thread;
    fill_cache();
    add_listeners();
    grow_tree();
    add_members();
    fill_pool();
    set_values();
    tag();
    open_sessions();
    make_matrix();
    keep_own();
    set_deep();
    keep_in_function();
    keep_in_arena();
    keep_in_shared();
    keep_in_segment();
    keep_in_shared_file();
    keep_in_private_file();
    keep_in_memory_file();
    keep_in_sealed();
    lose();
    clear_stack();
    pthread_create(&thread, NULL, hold_on_stack, NULL);
    while (!ready)
        usleep(1000);
    usleep(50000);
    return 0;
}
