#include "cli/memtracer/guest_intervals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/clock.h"
#include "cli/memtracer/results.h"
#include "cli/record/running.h"
#include "profile/list/profile_builder.h"
#include "spec/pprof_fields.h"

enum { VALUES = 4 };

/* What was said of a stack and type. */
struct said {
    double objects, bytes; /* allocated, in all intervals so far */
    uint64_t look;         /* in which a row was last met */
};

struct watched {
    struct interval_process process;
    int64_t start_us, since_us;
    unsigned long intervals;
    struct map by_stack; /* hash of the names -> index in `said` */
    struct said *said;
    size_t said_count, said_capacity;
};

/* ---- Processes ---------------------------------------------------------------------- */

/* NULL when there is no memory. */
static struct watched *watched_of(struct guest_intervals *intervals,
                                  const struct guest_profile *profile)
{
    for (size_t i = 0; i < intervals->count; i++)
        if (intervals->processes[i]->process.pid == (pid_t)profile->pid &&
            intervals->processes[i]->start_us == profile->start_us)
            return intervals->processes[i];
    struct watched *watched = calloc(1, sizeof *watched);
    if (!watched ||
        !ARRAY_RESERVE(&intervals->processes, &intervals->capacity, intervals->count + 1)) {
        free(watched);
        return NULL;
    }
    snprintf(watched->process.name, sizeof watched->process.name, "%llu.pb",
             (unsigned long long)profile->pid);
    watched->process.pid = (pid_t)profile->pid;
    watched->process.number = (unsigned)intervals->count + 1;
    watched->start_us = watched->since_us = profile->start_us;
    intervals->processes[intervals->count++] = watched;
    return watched;
}

void guest_intervals_release(struct guest_intervals *intervals)
{
    for (size_t i = 0; i < intervals->count; i++) {
        map_release(&intervals->processes[i]->by_stack);
        free(intervals->processes[i]->said);
        free(intervals->processes[i]);
    }
    free(intervals->processes);
    intervals->processes = NULL;
    intervals->count = 0;
}

/* ---- Rows --------------------------------------------------------------------------- */

static uint64_t with_text(uint64_t hash, const char *text)
{
    return XXH3_64bits_withSeed(text, strlen(text), hash);
}

static const struct heaptap_location *location_at(const struct model *model, uint32_t node)
{
    return &model->lines[model->frames[model->trie.nodes[node].frame].first_line];
}

/* Of the names in a stack, from its end on: numbers differ from one look to the next. */
static uint64_t hash_of(const struct model *model, uint32_t node)
{
    uint64_t hash = 1;
    for (; node != STACK_ROOT; node = model->trie.nodes[node].parent) {
        const struct heaptap_location *at = location_at(model, node);
        hash = with_text(with_text(hash + at->line, at->file), at->function);
    }
    return hash;
}

static struct said *said_of(struct watched *watched, uint64_t hash)
{
    bool fresh;
    if (!ARRAY_RESERVE(&watched->said, &watched->said_capacity, watched->said_count + 1))
        return NULL;
    uint32_t *index = map_put(&watched->by_stack, hash, (uint32_t)watched->said_count, &fresh);
    if (index && fresh)
        watched->said[watched->said_count++] = (struct said){0};
    return index ? &watched->said[*index] : NULL;
}

/* `carry` is what rounding has left over so far. */
static int64_t rounded(double value, double *carry)
{
    double whole = floor(value + *carry + 0.5);
    *carry += value - whole;
    return (int64_t)whole;
}

/* The values of a row in this interval; said->objects and bytes are what was said before. */
static bool add_row(struct profile_builder *builder, struct said *said,
                    const struct guest_profile *profile, size_t row, double carry[VALUES])
{
    const struct model *model = profile->model;
    const struct frame_source frames = model_frames(model);
    struct guest_tally tally = guest_profile_row(profile, row).tally;
    double objects = tally.of[GUEST_COUNT] + tally.of[GUEST_RESIZED] - said->objects;
    double bytes = tally.of[GUEST_BYTES] - said->bytes;
    int64_t values[VALUES] = {
        rounded(objects > 0 ? objects : 0, &carry[0]), rounded(bytes > 0 ? bytes : 0, &carry[1]),
        rounded(tally.of[GUEST_LIVE], &carry[2]), rounded(tally.of[GUEST_LIVE_BYTES], &carry[3])};
    said->objects += objects;
    said->bytes += bytes;
    if (!values[0] && !values[1] && !values[2] && !values[3])
        return true;
    return profile_builder_stack(builder, model, &frames, &model->trie,
                                 model->trie.ends[model->samples.stack[row]]) &&
           profile_builder_sample(builder, values);
}

static bool add_types(struct profile_builder *builder)
{
    return model_add_value_type(builder->model, "alloc_objects", "count") &&
           model_add_value_type(builder->model, "alloc_space", "bytes") &&
           model_add_value_type(builder->model, "inuse_objects", "count") &&
           model_add_value_type(builder->model, "inuse_space", "bytes");
}

/* Several rows may have equal names, such as those of two heaps: they are told apart by the order in
 * which they come. */
static bool add_rows(struct profile_builder *builder, struct watched *watched,
                     const struct guest_profile *profile)
{
    const struct model *model = profile->model;
    double carry[VALUES] = {0};
    bool done = add_types(builder);
    for (size_t i = 0; done && i < guest_profile_rows(profile); i++) {
        uint64_t hash = hash_of(model, model->trie.ends[model->samples.stack[i]]);
        struct said *said = said_of(watched, hash);
        while (said && said->look == watched->intervals + 1)
            said = said_of(watched, ++hash);
        done = said;
        if (done) {
            said->look = watched->intervals + 1;
            done = add_row(builder, said, profile, i, carry);
        }
    }
    return done;
}

/* ---- Intervals ---------------------------------------------------------------------- */

/* NULL when there is no memory. */
static struct model *make(struct watched *watched, const struct guest_profile *profile,
                          int64_t until_us)
{
    struct profile_builder builder;
    char comment[64];
    const struct model_module program = {.path = profile->executable ? profile->executable : ""};
    bool done = profile_builder_init(&builder, "pprof") && add_rows(&builder, watched, profile) &&
                model_add_module(builder.model, &program) != MODEL_NONE;
    for (size_t i = 0; done && i < builder.model->frame_count; i++)
        builder.model->frames[i].code = 0; /* a guest's codes are numbers of frames */
    struct model *made = done ? profile_builder_finish(&builder, 0) : NULL;
    if (!done)
        profile_builder_release(&builder);
    if (!made)
        return NULL;
    double rate = profile->heap_count > 0 ? profile->heaps[0].rate : 1;
    made->file->time_ns = watched->since_us * 1000;
    made->file->duration_ns = (until_us - watched->since_us) * 1000;
    made->file->period_type = (struct model_value_type){"space", "bytes"};
    made->file->period = rate > 0 && rate < 1 ? (int64_t)(1 / rate + 0.5) : 1;
    made->samples.default_type = 1;
    snprintf(comment, sizeof comment, PPROF_PID "%llu", (unsigned long long)profile->pid);
    profile_add_comment(made, comment);
    if (profile->heap_count > 0) {
        snprintf(comment, sizeof comment, PPROF_LANGUAGE "%.40s", profile->heaps[0].language);
        profile_add_comment(made, comment);
    }
    return made;
}

struct model *guest_profile_pprof(const struct guest_profile *profile)
{
    struct watched watched = {.since_us = profile->start_us};
    struct model *made = make(&watched, profile, clock_us(CLOCK_REALTIME));
    map_release(&watched.by_stack);
    free(watched.said);
    return made;
}

/* One that ended before the last look has nothing more to say. */
static bool is_over(const struct watched *watched, const struct guest_profile *profile)
{
    double objects = 0, said = 0;
    for (size_t i = 0; i < guest_profile_rows(profile); i++)
        objects += guest_profile_row(profile, i).tally.of[GUEST_BYTES];
    for (size_t i = 0; i < watched->said_count; i++)
        said += watched->said[i].bytes;
    return watched->intervals > 0 && objects <= said &&
           !process_is_writing(watched->process.pid, NULL, true);
}

static bool look(struct guest_intervals *intervals, const struct guest_profile *profile)
{
    struct watched *watched = watched_of(intervals, profile);
    if (!watched || guest_profile_rows(profile) == 0 || is_over(watched, profile))
        return watched;
    int64_t until_us = clock_us(CLOCK_REALTIME);
    struct model *made = make(watched, profile, until_us);
    if (!made)
        return false;
    const char *program = profile->script ? profile->script : profile->executable;
    struct interval interval = {.process = &watched->process,
                                .model = made,
                                .program = program ? program : "",
                                .number = ++watched->intervals};
    interval.error.status = HEAPTAP_OK;
    intervals->met += watched->intervals == 1;
    intervals->take(intervals->context, &interval);
    model_free(made);
    watched->since_us = until_us;
    return true;
}

bool guest_intervals_collect(struct guest_intervals *intervals, bool at_last)
{
    struct results results;
    int64_t now = clock_us(CLOCK_REALTIME);
    if (!intervals->next_us)
        intervals->next_us = now + intervals->every_us;
    if (now < intervals->next_us && !at_last)
        return true;
    intervals->next_us = now + intervals->every_us;
    bool done = results_read(&results, intervals->folder, 0, true);
    for (size_t i = 0; i < results.count && done; i++)
        done = look(intervals, &results.processes[i]);
    results_release(&results);
    return done;
}
