/* Tests with limits (heaptap/test.h), of which each block is known. */
#include <heaptap/test.h>
#include <pthread.h>
#include <stdlib.h>

static void *kept;

static __attribute__((noinline)) void *make(size_t size)
{
    return malloc(size);
}

/* What stands around tests: none of theirs, however near. */
static void between(void)
{
    for (int i = 0; i < 1000; i++)
        free(make(100));
}

static void *thread(void *unused)
{
    for (int i = 0; i < 10; i++)
        free(make(4000));
    return unused;
}

int main(int argc, char **argv)
{
    between();
    heaptap_test_begin("peaks", "peak <= 1500; live-at-end <= 0");
    void *first = make(1000), *second = make(1000);
    free(first);
    free(second);
    heaptap_test_end();
    between();
    heaptap_test_begin("leaks", "live-at-end <= 0");
    kept = make(500);
    free(make(300));
    heaptap_test_end();
    between();
    free(kept); /* too late */
    heaptap_test_begin("fine", "peak <= 100; objects <= 10; live-at-end <= 0; allocated <= 1000");
    for (int i = 0; i < 10; i++)
        free(make(100));
    heaptap_test_limit("objects where focus=make <= 10");
    heaptap_test_end();
    between();
    heaptap_test_begin("threads", "allocated where focus=^thread$ <= 39 kB");
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    heaptap_test_begin("begins where another ends", NULL);
    heaptap_test_end();
    heaptap_test_end();
    if (argc > 1) {
        heaptap_test_begin("asks for what is none", argv[1]);
        heaptap_test_end();
    }
    return 0;
}
