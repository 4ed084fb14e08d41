#include "report/info/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "base/text.h"
#include "profile/range_text.h"

enum { PROCESSES_SHOWN = 2 };

/* ---- Sentences ----------------------------------------------------------------------- */

/* Before the figures, which are those of the time until then. */
static void say_stop(struct answer *answer, const struct recorded_process *process)
{
    char when[UNITS_TEXT_BYTES];
    if (process->stop && process->stop_seconds > 0)
        answer_fact(answer, "Recorded", "only the first %s: %s",
                    units_duration(when, process->stop_seconds), process->stop);
    else if (process->stop)
        answer_fact(answer, "Recorded", "only the beginning: %s", process->stop);
}

/* What was chosen, and how to get the other. */
static void say_language(struct answer *answer, const struct recorded_process *process)
{
    if (process->language)
        answer_fact(answer, "Heap",
                    "%s's, by lines of the program; --native records what %s takes from malloc",
                    process->language,
                    strcmp(process->language, "OCaml") == 0 ? "its runtime"
                                                            : "the interpreter itself");
}

static double root_of_squares(double one, double other)
{
    return sqrt(one * one + other * other);
}

/* Estimates of processes are independent: the squares of how far their bounds lie from them add up. */
static void add_blocks(struct recorded_blocks *to, const struct recorded_blocks *blocks)
{
    const struct estimate_range *of = &blocks->bytes_range, *range = &to->bytes_range;
    double low = root_of_squares(to->bytes - range->low, blocks->bytes - of->low),
           high = root_of_squares(range->high - to->bytes, of->high - blocks->bytes);
    to->bytes += blocks->bytes;
    to->objects += blocks->objects;
    to->bytes_range =
        (struct estimate_range){.low = fmax(0, to->bytes - low), .high = to->bytes + high};
}

/* Of all profiles together. */
static struct recorded_process sum_of(const struct recording *recording)
{
    struct recorded_process sum = {.is_exact = true};
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded_process *process = &recording->processes[i];
        if (!process->is_profile || process->is_running)
            continue;
        sum.stop = sum.stop ? sum.stop : process->stop;
        if (process->events == 0)
            continue;
        sum.is_profile = true;
        sum.is_exact &= process->is_exact;
        sum.events += process->events;
        sum.samples += process->samples;
        sum.dropped += process->dropped;
        add_blocks(&sum.allocated, &process->allocated);
        add_blocks(&sum.live, &process->live);
    }
    return sum;
}

/* Of profiles, whose summary has neither bounds nor blocks. */
static void say_blocks(struct answer *answer, const struct recording *recording)
{
    char allocated[RANGE_TEXT_BYTES], live[RANGE_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    const struct recorded_process sum = sum_of(recording), *process = &sum;
    if (!process->is_profile)
        return;
    units_count(objects, process->allocated.objects);
    if (process->is_exact)
        answer_fact(answer, "Recorded", "%s objects; exact%s", objects,
                    process->stop || process->dropped || recording->is_partial ? ", but not all"
                                                                               : "");
    else
        answer_fact(answer, "Recorded",
                    "%s objects; estimates from %" PRIu64
                    " sample%s; 95 %% bounds: %s allocated, %s in use",
                    objects, process->samples, process->samples == 1 ? "" : "s",
                    range_ends_text(allocated, &process->allocated.bytes_range, units_bytes),
                    range_ends_text(live, &process->live.bytes_range, units_bytes));
}

static void say_dropped(struct answer *answer, const struct recorded_process *process)
{
    if (process->dropped > 0)
        answer_fact(answer, "Dropped", "%" PRIu64 " samples, which are missing in all figures",
                    process->dropped);
}

/* Of what was recorded until it ended. */
static const char *why_empty(const struct recording *recording,
                             const struct recorded_process *process)
{
    if (!process->was_read)
        return "the recording could not be read";
    if (recording->was_paused)
        return "nothing was recorded: no SIGUSR2 came to start it";
    if (process->dropped > 0)
        return "nothing was recorded: there was no memory for it";
    if (process->stop)
        return "no allocation was recorded until then";
    if (recording->is_explained)
        return "no allocation was recorded";
    if (process->language)
        return "no allocation was recorded";
    if (!process->is_exact)
        return "no allocation was sampled: there were few, or they don't go through malloc; --all "
               "records every one";
    return recording->end_signal && process->pid == recording->pid
               ? "no allocation was recorded before a signal ended the command"
               : "no allocation was recorded: none goes through malloc";
}

/* ---- Headings ------------------------------------------------------------------------ */

/* Is the command's own memory far more than its blocks?  Whoever looks for it must know where not to look. */
static bool is_far(const struct recording *recording, const struct recorded_process *process)
{
    static const double far_apart = 2, notable_bytes = 16 << 20;
    double rss = (double)recording->peak_rss_bytes - process->recorder_bytes,
           blocks = process->peak_bytes;
    return recording->count == 1 && process->pid == recording->pid && !process->is_profile &&
           rss > far_apart * blocks && rss - blocks > notable_bytes;
}

/* What of the process's memory is heaptap's own; "" where that isn't known. */
static const char *own_text(char text[UNITS_TEXT_BYTES], const struct recording *recording,
                            const struct recorded_process *process)
{
    double own = process->recorder_bytes;
    *text = 0;
    return own > 0 && own < (double)recording->peak_rss_bytes ? units_bytes(text, own) : text;
}

static void say_resident(struct answer *answer, const struct recording *recording,
                         const struct recorded_process *process)
{
    char all[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES],
        own[UNITS_TEXT_BYTES];
    own_text(own, recording, process);
    if (is_far(recording, process))
        answer_fact(
            answer, "Resident",
            "%s at most: of that, %s's blocks were %s%s%s%s; the rest is code, stacks, mmap and sbrk, and what "
            "the allocator keeps, which are not recorded",
            units_bytes(all, (double)recording->peak_rss_bytes),
            process->language ? process->language : "malloc",
            units_bytes(blocks, process->peak_bytes),
            range_text(range, &process->peak_range, units_bytes),
            *own ? ", heaptap's recorder " : "", own);
}

static const char *name_of(const struct recorded_process *process)
{
    return process->program ? plain(process->program) : "?";
}

/* Of a single process. */
static void say_one(struct answer *answer, const struct recording *recording,
                    const struct recorded_process *process)
{
    char heading[512], seconds[UNITS_TEXT_BYTES], resident[UNITS_TEXT_BYTES], own[UNITS_TEXT_BYTES];
    int size = snprintf(heading, sizeof heading, "%.300s (pid %" PRIu64 "), %s", name_of(process),
                        process->pid, units_duration(seconds, recording->seconds));
    own_text(own, recording, process);
    if (recording->peak_rss_bytes > 0 && process->pid == recording->pid)
        snprintf(heading + size, sizeof heading - (size_t)size, ", %s of memory at most, %s%s",
                 units_bytes(resident, (double)recording->peak_rss_bytes), own,
                 *own ? " of it heaptap's recorder" : "heaptap's recorder included");
    answer_head(answer, heading);
}

static void put_process(struct text *text, const struct recorded_process *process)
{
    char bytes[UNITS_TEXT_BYTES];
    text_put_string(text, name_of(process));
    text_put_char(text, ' ');
    text_put_string(text, units_bytes(bytes, process->allocated.bytes));
    text_put_string(text, " (");
    text_put_string(text, process->file ? plain(process->file) : "?");
    text_put_char(text, ')');
}

/* Of several, the heaviest that have ended: "3 processes: words 7.2 MB (a.ctf), sh 2.5 kB (b.ctf); 1 more: 1.2 kB". */
static void put_heaviest(struct text *text, const struct recorded_process **order, size_t count)
{
    char bytes[UNITS_TEXT_BYTES], rest[96];
    double left = 0;
    for (size_t i = 0; i < count; i++) {
        if (i < PROCESSES_SHOWN) {
            text_put_string(text, i > 0 ? ", " : ": ");
            put_process(text, order[i]);
        } else {
            left += order[i]->allocated.bytes;
        }
    }
    if (count > PROCESSES_SHOWN) {
        snprintf(rest, sizeof rest, "; %zu more: %s", count - PROCESSES_SHOWN,
                 units_bytes(bytes, left));
        text_put_string(text, rest);
    }
}

static int compare_weight(const void *left, const void *right)
{
    const struct recorded_process *a = *(const struct recorded_process *const *)left;
    const struct recorded_process *b = *(const struct recorded_process *const *)right;
    if (a->allocated.bytes != b->allocated.bytes)
        return a->allocated.bytes > b->allocated.bytes ? -1 : 1;
    return a < b ? -1 : 1;
}

static void say_running(struct answer *answer, const struct recorded_process *process)
{
    const char *file = process->file ? plain(process->file) : "?";
    answer_fact(answer, "Running",
                "%s (pid %" PRIu64 "), %s: when it has ended, `heaptap file symbolize` "
                "finds its names",
                name_of(process), process->pid, file);
}

static void say_several(struct answer *answer, const struct recording *recording)
{
    size_t ended = 0;
    char heading[64];
    struct text text = {0};
    const struct recorded_process **order =
        calloc(recording->count, sizeof(struct recorded_process *));
    for (size_t i = 0; order && i < recording->count; i++)
        if (!recording->processes[i].is_running)
            order[ended++] = &recording->processes[i];
    if (ended > 0)
        qsort(order, ended, sizeof *order, compare_weight);
    snprintf(heading, sizeof heading, "%zu process%s%s", ended, ended == 1 ? "" : "es",
             ended == recording->count ? ""
             : ended == 1              ? " has ended"
                                       : " have ended");
    text_put_string(&text, heading);
    put_heaviest(&text, order, ended);
    text_put_char(&text, 0);
    if (order && !text.failed)
        answer_head(answer, text.bytes);
    free(order);
    text_release(&text);
    for (size_t i = 0; i < recording->count; i++)
        if (recording->processes[i].is_running)
            say_running(answer, &recording->processes[i]);
}

/* ---- What is missing --------------------------------------------------------------- */

/* Lines after an empty one. */
__attribute__((format(printf, 2, 3))) static void say_paragraph(struct answer *answer,
                                                                const char *format, ...)
{
    va_list arguments;
    char *text, *rest;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size < 0)
        return;
    answer_say(answer, "%s", "");
    rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        answer_say(answer, "%s", plain(line));
    free(text);
}

static void say_missing_names(struct answer *answer, const struct recording *recording,
                              const struct recorded_process *process)
{
    if (recording->nameless && process->is_raw)
        say_paragraph(answer,
                      "Names are missing, as they could not be written into the trace;\n"
                      "`heaptap file symbolize -o FILE %s` writes it elsewhere.",
                      process->file);
    else if (recording->nameless)
        say_paragraph(answer,
                      "Names are missing for %s; where its debug files are,\n"
                      "`heaptap file symbolize %s` finds them.",
                      recording->nameless, process->file);
}

static void say_other_heaps(struct answer *answer, const struct recorded_process *process)
{
    if (process->is_ocaml)
        say_paragraph(
            answer,
            "%s is an OCaml program: of its own heap, only what malloc gave is recorded here.\n"
            "Linked with heaptap.memtrace.auto it records that heap, every block at rate 1:\n"
            "  MEMTRACE=%s.ctf MEMTRACE_RATE=1 COMMAND",
            process->program, process->program);
    if (process->own_heap)
        say_paragraph(answer, "%s", process->own_heap);
}

/* ---- The answer ---------------------------------------------------------------------- */

const struct recorded_process *recording_main(const struct recording *recording)
{
    const struct recorded_process *most = NULL;
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded_process *process = &recording->processes[i];
        if (!process->is_running && (!most || process->allocated.bytes > most->allocated.bytes))
            most = process;
    }
    return most;
}

bool recording_has_blocks(const struct recording *recording)
{
    const struct recorded_process *most = recording_main(recording);
    return most && most->events > 0;
}

/* Of the process that allocated most. */
static void say_facts(struct answer *answer, const struct recording *recording,
                      const struct recorded_process *process)
{
    if (recording->end_signal)
        answer_fact(answer, "Ended", "by signal %d (%s)", recording->end_signal,
                    strsignal(recording->end_signal));
    say_language(answer, process);
    say_stop(answer, process);
    if (recording->was_toggled && process->events > 0)
        answer_fact(answer, "Recorded", "only while SIGUSR2 had recording on");
    say_blocks(answer, recording);
    say_dropped(answer, process);
    say_resident(answer, recording, process);
    if (process->events == 0)
        answer_say(answer, "%s", why_empty(recording, process));
}

void recording_put(struct answer *answer, const struct recording *recording, bool has_summary)
{
    const struct recorded_process *most = recording_main(recording);
    if (recording_put_data(answer, recording, has_summary))
        return;
    if (recording->count == 1 && most)
        say_one(answer, recording, most);
    else if (recording->count > 0)
        say_several(answer, recording);
    if (most)
        say_facts(answer, recording, most);
}

void recording_put_missing(struct answer *answer, const struct recording *recording)
{
    const struct recorded_process *most = recording_main(recording);
    if (!most)
        return;
    say_missing_names(answer, recording, most);
    say_other_heaps(answer, most);
}

/* ---- Its life ------------------------------------------------------------------------ */

static void release_process(struct recorded_process *process)
{
    free(process->language);
    free(process->own_heap);
    free(process->otherwise);
    free(process->stop);
    free(process->file);
    free(process->program);
}

void recording_release(struct recording *recording)
{
    for (size_t i = 0; i < recording->count; i++)
        release_process(&recording->processes[i]);
    free(recording->processes);
    recording->processes = NULL;
    recording->count = recording->capacity = 0;
}
