#include "report/info/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"

enum { PROCESSES_SHOWN = 10 };

/* ---- Sentences ----------------------------------------------------------------------- */

enum { BLOCKS_TEXT_BYTES = 2 * UNITS_TEXT_BYTES + 2 * RANGE_TEXT_BYTES + 16 };

/* "254 kB (240 kB to 270 kB) in 1.5 k (1.4 k to 1.6 k) objects"; bounds where it is an estimate. */
static const char *blocks_text(char text[BLOCKS_TEXT_BYTES], const struct recorded_blocks *blocks)
{
    char size[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES], sizes[RANGE_TEXT_BYTES],
        counts[RANGE_TEXT_BYTES];
    units_bytes(size, blocks->bytes);
    units_count(count, blocks->objects);
    snprintf(text, BLOCKS_TEXT_BYTES, "%s%s in %s%s object%s", size,
             range_text(sizes, &blocks->bytes_range, units_bytes), count,
             range_text(counts, &blocks->objects_range, units_count),
             strcmp(count, "1") == 0 ? "" : "s");
    return text;
}

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
                    "%s's, by lines of the program; --native records what the interpreter itself "
                    "takes from malloc",
                    process->language);
}

static void say_allocated(struct answer *answer, const struct recording *recording,
                          const struct recorded_process *process)
{
    char all[BLOCKS_TEXT_BYTES];
    bool is_whole =
        !process->stop && !process->dropped && !process->is_cut && !recording->was_toggled;
    uint64_t count = process->is_profile ? process->samples : process->events;
    blocks_text(all, &process->allocated);
    if (process->is_exact)
        answer_fact(answer, "Allocated", "%s%s", all,
                    is_whole                 ? ", all of them recorded"
                    : recording->was_toggled ? ", while recording was on"
                                             : "");
    else
        answer_fact(answer, "Allocated", "about %s (estimated from %" PRIu64 " %s%s)", all, count,
                    process->is_profile ? "sample" : "sampled block", count == 1 ? "" : "s");
}

static void say_live(struct answer *answer, const struct recorded_process *process)
{
    const char *at_end = process->stop ? "when recording ended" : "at the end";
    char live[BLOCKS_TEXT_BYTES], peak[UNITS_TEXT_BYTES], when[UNITS_TEXT_BYTES],
        range[RANGE_TEXT_BYTES];
    blocks_text(live, &process->live);
    if (process->is_profile)
        answer_fact(answer, "Live", "%s %s", live, at_end);
    else
        answer_fact(answer, "Live", "%s%s at the peak, after %s; %s %s",
                    units_bytes(peak, process->peak_bytes),
                    range_text(range, &process->peak_range, units_bytes),
                    units_duration(when, process->peak_seconds), live, at_end);
}

static void say_figures(struct answer *answer, const struct recording *recording,
                        const struct recorded_process *process)
{
    say_allocated(answer, recording, process);
    say_live(answer, process);
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
    if (recording->is_explained)
        return "no allocation was recorded";
    if (process->language)
        return "no allocation was recorded";
    if (!process->is_exact)
        return "no allocation was sampled: there were few, or they don't go through malloc; --all "
               "records every one";
    return recording->was_killed && process->pid == recording->pid
               ? "no allocation was recorded before a signal ended the command"
               : "no allocation was recorded: none goes through malloc";
}

/* The run's length, or which part of several processes' bytes the process has. */
static void say_heading(struct answer *answer, const struct recording *recording,
                        const struct recorded_process *process)
{
    char heading[512], seconds[UNITS_TEXT_BYTES], share[96];
    double total = 0;
    size_t ended = 0;
    for (size_t i = 0; i < recording->count; i++) {
        total += recording->processes[i].allocated.bytes;
        ended += !recording->processes[i].is_running;
    }
    if (recording->count == 1)
        snprintf(share, sizeof share, ", %s", units_duration(seconds, recording->seconds));
    else if (ended == 1)
        snprintf(share, sizeof share, ": the only process that has ended");
    else
        snprintf(share, sizeof share, ": %.1f %% of the bytes of the %zu processes%s",
                 100 * process->allocated.bytes / fmax(total, 1), ended,
                 ended < recording->count ? " that have ended" : "");
    snprintf(heading, sizeof heading, "%s (pid %" PRIu64 ")%s",
             process->program ? plain(process->program) : "?", process->pid, share);
    answer_head(answer, heading);
}

/* What the process held besides: whoever looks for its memory must know where not to look. */
static void say_resident(struct answer *answer, const struct recording *recording,
                         const struct recorded_process *process)
{
    static const double far_apart = 2, notable_bytes = 16 << 20;
    double rss = (double)recording->peak_rss_bytes;
    char all[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES];
    bool is_far =
        rss > far_apart * process->peak_bytes && rss - process->peak_bytes > notable_bytes;
    if (rss == 0 || process->is_profile || recording->count > 1 || process->pid != recording->pid ||
        (process->events == 0 && !is_far))
        return;
    units_bytes(all, rss);
    if (is_far)
        answer_fact(
            answer, "Resident",
            "%s at most: of that, %s's blocks were %s%s; the rest is code, stacks, mmap and sbrk, and what "
            "the allocator keeps, which are not recorded",
            all, process->language ? process->language : "malloc",
            units_bytes(blocks, process->peak_bytes),
            range_text(range, &process->peak_range, units_bytes));
    else
        answer_fact(answer, "Resident", "%s at most", all);
}

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

static void say_missing_names(struct answer *answer, const struct recorded_process *process)
{
    if (process->nameless && process->is_raw)
        say_paragraph(answer,
                      "Names are missing, as they could not be written into the trace;\n"
                      "`heaptap file symbolize -o FILE %s` writes it elsewhere.",
                      process->file);
    else if (process->nameless)
        say_paragraph(answer,
                      "Names are missing for %s; where its debug files are,\n"
                      "`heaptap file symbolize %s` finds them.",
                      process->nameless, process->file);
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

static void say_process(struct answer *answer, const struct recording *recording,
                        const struct recorded_process *process)
{
    say_heading(answer, recording, process);
    say_language(answer, process);
    say_stop(answer, process);
    if (process->events > 0)
        say_figures(answer, recording, process);
    else
        answer_say(answer, "%s", why_empty(recording, process));
    say_resident(answer, recording, process);
    if (process->site_count > 0)
        recording_put_sites(answer, process);
    say_missing_names(answer, process);
    say_other_heaps(answer, process);
}

/* Those that still run before the others, then by bytes. */
static int compare_weight(const void *left, const void *right)
{
    const struct recorded_process *a = *(const struct recorded_process *const *)left;
    const struct recorded_process *b = *(const struct recorded_process *const *)right;
    if (a->is_running != b->is_running)
        return a->is_running ? -1 : 1;
    if (a->allocated.bytes != b->allocated.bytes)
        return a->allocated.bytes > b->allocated.bytes ? -1 : 1;
    return a < b ? -1 : 1;
}

static void put_listed(struct answer *answer, const struct recorded_process **order, size_t count)
{
    struct answer_section section = {.table = &recording_listed_table};
    answer_head(answer, "Processes");
    for (size_t i = 0; i < count; i++)
        if (order[i]->is_running)
            section.has = RECORDING_HAS_RUNNING;
    answer_begin(answer, &section);
    for (size_t i = 0; i < count; i++)
        answer_row(answer, order[i]);
    answer_end(answer);
    if (section.has)
        answer_say(
            answer,
            "`heaptap file symbolize FILE` finds the names of those that run, when they have ended.");
}

/* Of many processes, the heaviest. */
static void put_list(struct answer *answer, const struct recording *recording)
{
    char bytes[UNITS_TEXT_BYTES];
    size_t count = recording->count, shown = count < PROCESSES_SHOWN ? count : PROCESSES_SHOWN;
    const struct recorded_process **order = calloc(count, sizeof(struct recorded_process *));
    double rest = 0;
    if (!order)
        return;
    for (size_t i = 0; i < count; i++)
        order[i] = &recording->processes[i];
    if (count > PROCESSES_SHOWN)
        qsort(order, count, sizeof *order, compare_weight);
    put_listed(answer, order, shown);
    for (size_t i = shown; i < count; i++)
        rest += order[i]->allocated.bytes;
    if (count > shown)
        answer_say(answer, "and %zu more processes, with %s in all", count - shown,
                   units_bytes(bytes, rest));
    free(order);
}

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

void recording_put(struct answer *answer, const struct recording *recording)
{
    const struct recorded_process *most = recording_main(recording);
    if (recording_put_data(answer, recording))
        return;
    if (recording->count > 1 || (recording->count > 0 && !most))
        put_list(answer, recording);
    if (most)
        say_process(answer, recording, most);
}

/* ---- Its life ------------------------------------------------------------------------ */

static void release_process(struct recorded_process *process)
{
    for (size_t i = 0; i < process->site_count; i++) {
        free(process->sites[i].function);
        free(process->sites[i].file);
        free(process->sites[i].caller);
    }
    free(process->nameless);
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
