/* The child of a fork: a sampler of its own, without the threads that stayed behind. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "engine_log.h"

/* Runs `check` in a child; its answer, true for all is well. */
static bool in_child(struct fixture *f, bool (*check)(struct fixture *f))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        heaptap_engine_after_fork_child(&f->engine, &f->thread);
        _exit(check(f) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Which of the next blocks are sampled, as a hash. */
static uint64_t sampled_pattern(struct fixture *f)
{
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 1; i <= 2000; i++) {
        f->log.last.tag = 0;
        fixture_allocate(f, 0x100000 + i * 16, i, false);
        hash = (hash ^ f->log.last.tag) * 1099511628211u;
    }
    return hash;
}

static uint64_t *shared_answer;

static bool tell_pattern(struct fixture *f)
{
    int unused = (int)write((int)*shared_answer, &(uint64_t){sampled_pattern(f)}, 8) - 8;
    return unused == 0;
}

static void parent_and_children_sample_differently(void **state)
{
    struct fixture f;
    int ends[2];
    uint64_t first, second, fd;
    fixture_init(&f, &(struct heaptap_engine_options){.seed = 42});
    fixture_start(&f, 0.01);
    fixture_allocate(&f, 0x1000, 1, false);
    assert_int_equal(pipe(ends), 0);
    fd = (uint64_t)ends[1];
    shared_answer = &fd;
    assert_true(in_child(&f, tell_pattern));
    assert_true(in_child(&f, tell_pattern));
    assert_int_equal(read(ends[0], &first, 8), 8);
    assert_int_equal(read(ends[0], &second, 8), 8);
    uint64_t own = sampled_pattern(&f);
    assert_true(first != own && second != own && first != second);
    close(ends[0]);
    close(ends[1]);
    heaptap_engine_release(&f.engine);
}

static bool the_block_is_still_tracked(struct fixture *f)
{
    f->log.text[0] = '\0', f->log.length = 0;
    fixture_free(f, 0x1000);
    fixture_allocate(f, 0x2000, 2, false);
    return strcmp(f->log.text, "dealloc_major 1; alloc_major 2; ") == 0;
}

static void what_is_tracked_stays_tracked(void **state)
{
    struct fixture f;
    fixture_init(&f, NULL);
    fixture_start(&f, 1);
    fixture_allocate(&f, 0x1000, 1, false);
    assert_true(in_child(&f, the_block_is_still_tracked));
    assert_log(&f.log, "alloc_major 1; ");
    fixture_free(&f, 0x1000);
    assert_log(&f.log, "dealloc_major 1; ");
    heaptap_engine_release(&f.engine);
}

static bool a_new_profile_runs(struct fixture *f)
{
    f->log.text[0] = '\0', f->log.length = 0;
    if (heaptap_engine_stop(&f->engine, &f->thread, NULL) != HEAPTAP_OK ||
        heaptap_engine_start(&f->engine, &f->thread, 1, 0, &f->tracker, NULL) != HEAPTAP_OK)
        return false;
    fixture_free(f, 0x1000);
    fixture_allocate(f, 0x1000, 7, false);
    fixture_free(f, 0x1000);
    return strcmp(f->log.text, "alloc_major 7; dealloc_major 7; ") == 0 &&
           fixture_counts(f).tracked == 0;
}

static void the_child_may_begin_anew(void **state)
{
    struct fixture f;
    fixture_init(&f, NULL);
    fixture_start(&f, 1);
    fixture_allocate(&f, 0x1000, 1, false);
    assert_true(in_child(&f, a_new_profile_runs));
    assert_true(heaptap_engine_started(&f.engine));
    heaptap_engine_release(&f.engine);
}

/* Another thread with postponed allocations and moves under way. */
struct other {
    struct fixture *f;
    struct heaptap_thread thread;
    sem_t ready, finish;
};

static void *allocate_and_wait(void *argument)
{
    struct other *other = argument;
    struct heaptap_block block = {.address = 0x5000, .words = 1, .tag = 5, .minor = true};
    heaptap_thread_allocate(&other->f->engine, &other->thread, &block);
    block.address = 0x6000;
    block.tag = 6;
    heaptap_thread_allocate(&other->f->engine, &other->thread, &block);
    heaptap_thread_gc_begin(&other->f->engine, &other->thread);
    heaptap_thread_move(&other->f->engine, &other->thread, 0x1000, 0x7000, false);
    sem_post(&other->ready);
    sem_wait(&other->finish);
    return NULL;
}

static bool the_other_thread_is_gone(struct fixture *f)
{
    fixture_free(f, 0x5000);
    fixture_free(f, 0x6000);
    fixture_free(f, 0x7000);
    heaptap_thread_run_pending(&f->engine, &f->thread);
    return f->log.length == 0 && fixture_counts(f).tracked == 0;
}

static void threads_that_stayed_behind_are_forgotten(void **state)
{
    struct fixture f;
    struct other other = {.f = &f};
    pthread_t thread;
    fixture_init(&f, &(struct heaptap_engine_options){.postpone = true});
    fixture_start(&f, 1);
    fixture_allocate(&f, 0x1000, 1, false);
    heaptap_thread_run_pending(&f.engine, &f.thread);
    assert_log(&f.log, "alloc_major 1; ");
    sem_init(&other.ready, 0, 0);
    sem_init(&other.finish, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, allocate_and_wait, &other), 0);
    sem_wait(&other.ready);
    assert_true(in_child(&f, the_other_thread_is_gone));
    sem_post(&other.finish);
    pthread_join(thread, NULL);
    assert_int_equal(fixture_counts(&f).tracked, 3);
    heaptap_engine_release(&f.engine);
}

int main(void)
{
    return RUN_TESTS(parent_and_children_sample_differently, what_is_tracked_stays_tracked,
                     the_child_may_begin_anew, threads_that_stayed_behind_are_forgotten);
}
