/* The C half of the OCaml library in several domains, without OCaml: this file plays the runtime,
 * so that the thread sanitizer sees all of it.  Four threads are domains that allocate, promote and
 * end each other's blocks, end themselves and begin anew; then one of them ends the session while
 * the others are at it, by the runtime's rule: all meet first. */
#include "unit/unit.h"

#include <pthread.h>
#include <unistd.h>

#include "session.c" /* on whose side this is */

enum { THREADS = 4, LIVES = 5, BLOCKS = 4000, DEPTH = 10, SHELF = 1024 };

/* ---- The runtime -------------------------------------------------------------------- */

_Thread_local caml_domain_state *Caml_state;
_Atomic uintnat caml_minor_collections_count;
static pthread_barrier_t meeting;
static _Atomic intnat domains_born;

static void no_threads_to_join(void)
{
}

void (*caml_domain_stop_hook)(void) = no_threads_to_join;

int caml_domain_alone(void)
{
    return 0;
}

value caml_copy_int64(int64_t number)
{
    return Val_long(number);
}

_Noreturn void caml_raise_out_of_memory(void)
{
    abort();
}

/* ---- What writer_stubs.c and stream.c do -------------------------------------------- */

static struct trace_file file;

struct trace_stream *trace_stream_val(value writer)
{
    return (struct trace_stream *)writer;
}

struct trace_stream *trace_stream_new(struct trace_file *of, uint16_t number, int *code)
{
    struct trace_stream *stream = calloc(1, sizeof *stream);
    *stream = (struct trace_stream){.file = of, .number = number};
    assert_int_equal(heaptap_domain_new(&stream->domain, of->writer, number, NULL), HEAPTAP_OK);
    *code = 0;
    return stream;
}

void trace_stream_free(struct trace_stream *stream)
{
    heaptap_domain_free(stream->domain);
    free(stream);
}

void trace_file_leave_to_parent(struct trace_file *of)
{
    (void)of;
}

void profile_leave_to_parent(void)
{
}

void profile_save_sometimes(int64_t now_us)
{
    (void)now_us;
}

/* ---- The domains -------------------------------------------------------------------- */

static _Atomic uint64_t shelf[SHELF]; /* blocks that any domain may end: id + 1 */
static _Atomic uint64_t blocks_born, blocks_promoted, blocks_ended;
static value session_number;

/* An allocation as Gc.Memprof tells of it. */
static value allocate(value random)
{
    value stack[1 + DEPTH] = {(value)((uintnat)DEPTH << 10)};
    for (int i = 0; i < DEPTH; i++)
        stack[1 + i] = (value)((i + 1) << 8 | (i < random % 4 ? random % 32 : 0) << 1 | 1);
    value info[] = {Val_long(1), Val_long(1 + random % 300), Val_long(0), (value)(stack + 1)};
    return heaptap_ocaml_alloc_minor(session_number, (value)info);
}

static void play(value random)
{
    uint64_t id = (uint64_t)Long_val(Field(allocate(random), 0));
    atomic_fetch_add(&blocks_born, 1);
    if (random % 3 == 0) {
        assert_int_equal(Field(heaptap_ocaml_promote(session_number, Val_long(id)), 0),
                         Val_long(id));
        atomic_fetch_add(&blocks_promoted, 1);
    }
    uint64_t other = atomic_exchange(&shelf[random % SHELF], id + 1);
    if (other) {
        heaptap_ocaml_dealloc(session_number, Val_long(other - 1));
        atomic_fetch_add(&blocks_ended, 1);
    }
}

/* A place in the runtime's table of domains, in which one domain lives after another. */
static void *place(void *context)
{
    caml_domain_state state = {.id = (int)(intptr_t)context};
    unsigned random = (unsigned)state.id;
    Caml_state = &state;
    for (int life = 0; life < LIVES; life++) {
        state.unique_id = atomic_fetch_add(&domains_born, 1);
        if (state.id == 0 && life == 0) {
            struct trace_stream *first =
                trace_stream_new(&file, (uint16_t)state.unique_id, &(int){0});
            double rate = 1;
            session_number = heaptap_ocaml_session_start((value)first, (value)&rate);
            heaptap_ocaml_session_open(session_number);
        }
        if (life == 0)
            pthread_barrier_wait(&meeting);
        for (int i = 0; i < BLOCKS; i++)
            play((value)(rand_r(&random) >> 4));
        if (life < LIVES - 1)
            caml_domain_stop_hook();
    }
    pthread_barrier_wait(&meeting);
    if (state.id == 1)
        heaptap_ocaml_session_close(session_number);
    else
        for (int i = 0; i < BLOCKS; i++)
            (void)allocate((value)(rand_r(&random) >> 4));
    pthread_barrier_wait(&meeting);
    if (state.id == 1) {
        struct trace_stream *first = session.first;
        heaptap_ocaml_session_end(Val_unit);
        trace_stream_free(first);
    }
    return NULL;
}

static FILE *record(void)
{
    FILE *temporary = tmpfile();
    struct heaptap_trace_info info = {
        .version = 3, .sample_rate = 1, .word_bits = 64, .pid = (uint64_t)getpid()};
    heaptap_ocaml_clock_start(Val_unit);
    info.start_us = file.start_us = clock_now();
    const struct heaptap_writer_options options = {.sink = heaptap_sink_fd(fileno(temporary))};
    assert_int_equal(heaptap_writer_new(&file.writer, &info, &options, NULL), HEAPTAP_OK);
    pthread_t threads[THREADS];
    pthread_barrier_init(&meeting, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, place, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(heaptap_writer_errno(file.writer), 0);
    heaptap_writer_free(file.writer);
    lseek(fileno(temporary), 0, SEEK_SET);
    return temporary;
}

enum { IDS_MAX = 1 << 20 };

static void test_domains(void **state)
{
    static uint8_t seen[3][IDS_MAX];
    static bool streams[THREADS * LIVES];
    uint64_t counts[3] = {0};
    FILE *temporary = record();
    struct heaptap_reader *reader;
    struct heaptap_event event;
    assert_int_equal(heaptap_reader_open_fd(&reader, dup(fileno(temporary)), NULL, NULL),
                     HEAPTAP_OK);
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK) {
        assert_in_range(event.id, 0, IDS_MAX - 1);
        assert_in_range(event.domain, 0, THREADS * LIVES - 1);
        streams[event.domain] = true;
        assert_int_equal(seen[event.kind][event.id]++, 0);
        counts[event.kind]++;
        assert_true(event.kind != HEAPTAP_ALLOC || event.stack_length == DEPTH);
    }
    for (int id = 0; id < IDS_MAX; id++)
        assert_true(seen[HEAPTAP_ALLOC][id] ||
                    !(seen[HEAPTAP_PROMOTE][id] || seen[HEAPTAP_COLLECT][id]));
    for (int i = 0; i < THREADS * LIVES; i++)
        assert_true(streams[i]);
    assert_int_equal(blocks_born, THREADS * LIVES * BLOCKS);
    assert_in_range(counts[HEAPTAP_ALLOC], blocks_born, blocks_born + THREADS * BLOCKS);
    assert_int_equal(counts[HEAPTAP_PROMOTE], blocks_promoted);
    assert_int_equal(counts[HEAPTAP_COLLECT], blocks_ended);
    heaptap_reader_close(reader);
    fclose(temporary);
}

int main(void)
{
    return RUN_TESTS(test_domains);
}
