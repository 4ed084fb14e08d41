/* Blocks whose holders are known: each function allocates what one root holds, or nothing.
 *
 *     holders [wait]     wait: says what wait() finds, too */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#define PLANTED __attribute__((noinline))

struct Order {
    virtual ~Order() {}
    char bytes[232];
};
struct Special : Order {
    char more[64];
};
struct Ring {
    std::shared_ptr<Ring> other;
    char bytes[100];
};
struct Link {
    Link *next;
    char bytes[120];
};
struct Hook {
    Hook *before, *after;
};
struct Member {
    long key;
    Hook hook; /* the list holds its address, not the member's */
    char bytes[88];
};
struct Derived : Hook, Order {}; /* held by the address of its second base */

namespace shop {
std::map<int, std::vector<Order *>> book;
}
static std::list<long> numbers;
static std::unordered_map<std::string, std::string> *words;
static std::set<long> codes;
static std::unordered_set<long> seen;
static Link *chain;
static Hook members = {&members, &members};
static Order *volatile second_base;
static volatile unsigned long tagged;
static char *volatile middle;
static void **arena;
static std::vector<std::function<void()>> listeners;
thread_local std::vector<Order *> *mine;
static volatile union {
    void *pointer;
    double number;
} either;

PLANTED void fill_book()
{
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 5; k++)
            shop::book[i].push_back(k == 4 ? new Special : new Order);
}

PLANTED void fill_numbers()
{
    for (long i = 0; i < 50; i++)
        numbers.push_back(i);
}

PLANTED void fill_words()
{
    words = new std::unordered_map<std::string, std::string>;
    for (int i = 0; i < 30; i++)
        (*words)["a word that is long enough " + std::to_string(i)] = std::string(200, 'x');
}

PLANTED void fill_codes()
{
    for (int i = 0; i < 20; i++)
        codes.insert(i);
}

PLANTED void fill_seen()
{
    for (int i = 0; i < 20; i++)
        seen.insert(i);
}

PLANTED void fill_chain()
{
    for (int i = 0; i < 40; i++)
        chain = new Link{chain, {}};
}

PLANTED void fill_members()
{
    for (int i = 0; i < 25; i++) {
        Member *member = new Member{};
        member->hook = {members.before, &members};
        members.before->after = &member->hook;
        members.before = &member->hook;
    }
}

PLANTED void keep_second_base()
{
    second_base = new Derived;
}

PLANTED void keep_tagged()
{
    tagged = (unsigned long)malloc(3333) | 5;
}

PLANTED void keep_middle()
{
    middle = (char *)malloc(4444) + 1234;
}

PLANTED void keep_in_arena()
{
    arena = (void **)mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    arena[1000] = malloc(5555);
}

PLANTED void keep_in_union()
{
    either.pointer = calloc(1, 6666);
}

PLANTED void keep_static()
{
    static std::vector<char> *volatile inside;
    inside = new std::vector<char>(7777);
}

PLANTED void keep_own()
{
    mine = new std::vector<Order *>;
    mine->push_back(new Order);
}

PLANTED void keep_listener()
{
    auto shared = std::make_shared<Link>();
    listeners.push_back([shared] { shared->next = nullptr; });
}

PLANTED void lose_blocks()
{
    for (int i = 0; i < 60; i++) {
        void *volatile block = malloc(1000);
        memset(block, 1, 1000);
        block = NULL;
    }
}

PLANTED void lose_rings()
{
    for (int i = 0; i < 7; i++) {
        auto one = std::make_shared<Ring>(), other = std::make_shared<Ring>();
        one->other = other;
        other->other = one;
    }
}

PLANTED void lose_chain()
{
    Link *volatile lost = NULL;
    for (int i = 0; i < 9; i++)
        lost = new Link{lost, {}};
    lost = NULL;
}

/* What these have left on the stack is gone. */
PLANTED void clear_stack()
{
    volatile char bytes[1 << 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

static volatile int ready;

PLANTED void hold_on_stack()
{
    char *volatile block = (char *)malloc(8888);
    ready++;
    for (;;)
        pause();
    free(block);
}

PLANTED void hold_own()
{
    mine = new std::vector<Order *>(99);
    ready++;
    for (;;)
        pause();
}

static void on_child(int)
{
    static const char text[] = "SIGCHLD\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        abort();
}

int main(int count, char **arguments)
{
    signal(SIGCHLD, on_child);
    fill_book();
    fill_numbers();
    fill_words();
    fill_codes();
    fill_seen();
    fill_chain();
    fill_members();
    keep_second_base();
    keep_tagged();
    keep_middle();
    keep_in_arena();
    keep_in_union();
    keep_static();
    keep_own();
    keep_listener();
    lose_blocks();
    lose_rings();
    lose_chain();
    clear_stack();
    std::thread(hold_on_stack).detach();
    std::thread(hold_own).detach();
    while (ready < 2)
        usleep(1000);
    usleep(50000);
    char *volatile on_main = (char *)malloc(9999);
    on_main[0] = 1;
    std::atexit([] {
        int status;
        errno = 0;
        pid_t found = waitpid(-1, &status, WNOHANG);
        printf("%d %d\n", (int)found, errno == ECHILD);
    });
    (void)count, (void)arguments;
    exit(7);
}
