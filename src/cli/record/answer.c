/* One trace is answered in full.  Of several (children were followed) each gets a line, and the one
 * that allocated most is answered in full.  The figures come from the folds of `info` and
 * `hotspots`, so they are the same as theirs; but here is no room for callers, so sites are the
 * functions outside of libraries. */
#include "cli/record/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cli/trace_open.h"
#include "cli/expectation.h"
#include "cli/record/runtime_heap.h"
#include "cli/next.h"
#include "profile/library_ends.h"
#include "profile/wrappers.h"
#include "analyze/hotspots.h"
#include "analyze/summary.h"
#include "base/array.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/stack_input.h"
#include "cli/trace_frames.h"
#include "profile/range_text.h"
#include "pprof/fields.h"
#include "symbol/symbolizer.h"

enum { SITES = 5, LISTED = 10 };
static const double NOTABLE_SHARE = 0.05;

struct answer_site {
    double bytes, share;
    char *name, *place; /* malloc'ed; a caller, or NULL, behind the place */
    char *caller;
};

struct answer_trace {
    char *path, *program;
    uint64_t pid;
    bool running; /* not read */
    bool was_read;
    bool is_cut; /* there was more in it than could be read */
    bool exact;
    bool is_profile; /* in which there are no peak and no single blocks */
    uint64_t events, samples, dropped;
    char *stop;          /* why recording ended before the program; NULL if it did not */
    double stop_seconds; /* ... and when; 0 where that is not known */
    double bytes, objects, peak_bytes, live_bytes, live_objects;
    double peak_seconds;
    struct estimate_range bytes_range, objects_range, peak_range, live_range, live_objects_range;
    struct answer_site sites[SITES];
    size_t site_count;
    bool left_raw;                      /* names could not be written into it */
    bool is_ocaml;                      /* of an OCaml program, which has a heap of its own */
    const struct runtime_heap *runtime; /* one whose heap isn't malloc's; NULL for none */
    char *nameless;                     /* a module whose functions have no names; NULL for none */
};

struct answer {
    struct answer_facts facts;
    struct answer_trace *traces;
    size_t count, capacity;
};

/* ---- Reading ------------------------------------------------------------------------ */

static void count_drops(struct answer_trace *trace, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_DROPS)
            trace->dropped += records[i].number;
}

static void take_stop(struct answer_trace *trace, const struct trace_input *input)
{
    const struct heaptap_metadata *stop = trace_input_stop(input);
    if (!stop)
        return;
    trace->stop = strdup(stop->name);
    trace->stop_seconds = (double)stop->number * 1e-6;
}

static void take_summary(struct answer_trace *trace, const struct summary *summary)
{
    trace->was_read = true;
    for (int source = 0; source < SUMMARY_SOURCES; source++) {
        trace->events += summary->allocations[source];
        trace->samples += summary->allocated_samples[source];
        trace->objects += summary->allocated_objects[source];
    }
    trace->exact = summary->estimate.sample_rate == 1;
    trace->bytes = estimate_bytes(&summary->estimate, (double)trace->samples);
    trace->peak_bytes = estimate_bytes(&summary->estimate, (double)summary->peak.samples);
    trace->peak_seconds = (double)summary->peak.time_us * 1e-6;
    trace->live_bytes = estimate_bytes(&summary->estimate, (double)summary->live_samples);
    trace->live_objects = summary->live_objects;
    trace->bytes_range = summary_bytes_range(summary);
    trace->objects_range = summary_objects_range(summary);
    trace->live_range = summary_live_bytes_range(summary);
    trace->live_objects_range = summary_live_objects_range(summary);
    trace->peak_range = peak_range(&summary->peak, &summary->estimate);
}

static bool has_name(const struct symbol *symbol)
{
    return !symbol->function || !symbol_is_offset(symbol->function);
}

/* "parse.c:12"; the file's name without its folder.  Empty where the name tells the file. */
static char *place_text(const struct hotspot *site)
{
    if (!has_name(&site->places[0].symbol))
        return strdup("");
    const struct symbol *at = &site->places[0].symbol;
    const char *slash = at->file ? strrchr(at->file, '/') : NULL;
    const char *file = slash ? slash + 1 : at->file ? at->file : "";
    char *text;
    int size = at->line > 0 ? asprintf(&text, "%s:%" PRIu32 "%s", file, at->line,
                                       site->place_count > 1 ? " ..." : "")
                            : asprintf(&text, "%s", file);
    return size < 0 ? NULL : text;
}

/* What a caller says of a site: its share where it is telling; of a site without a name, how near it is, if it has one itself,
 * is no library's (__libc_start_call_main) and most comes through it.  0 for nothing. */
static double telling(const struct hotspot *site, const struct hotspot_caller *caller,
                      const struct library_program *program)
{
    const struct symbol *symbol = &caller->symbol;
    struct heaptap_location at = {.function = symbol_name(symbol), .file = symbol->file};
    if (has_name(&site->symbol))
        return hotspot_caller_is_telling(site, caller) ? caller->share : 0;
    if (!has_name(symbol) || library_kind_of(program, NULL, &at) != LIBRARY_NONE)
        return 0;
    return (caller->share >= 0.5 ? 1 : caller->share) / fmax(caller->distance, 1);
}

/* The caller that says most of a site; NULL where there is none. */
static char *caller_text(const struct hotspots *hotspots, size_t site,
                         const struct library_program *program)
{
    const struct hotspot *at = &hotspots->sites[site];
    struct hotspot_caller *callers;
    size_t count;
    const struct symbol *best = NULL;
    double most = 0;
    if (!hotspots_callers(hotspots, site, &callers, &count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        double says = telling(at, &callers[i], program);
        if (says > most) {
            most = says;
            best = &callers[i].symbol;
        }
    }
    char *text = best ? strdup(symbol_name(best)) : NULL;
    free(callers);
    return text;
}

static bool take_sites(struct answer_trace *trace, struct stack_profile *profile,
                       const struct frame_source *all_frames)
{
    struct hotspots hotspots;
    enum stack_weight weight = profile->measure.type ? WEIGHT_VALUE : WEIGHT_BYTES;
    struct hotspots_options options = {GRAIN_FUNCTION, weight};
    struct library_frames shortened;
    struct frame_source frames = library_hidden_frames(&shortened, all_frames);
    struct library_hidden hidden;
    if (!library_take_off(profile, all_frames, &hidden) ||
        !hotspots_init(&hotspots, profile, &frames, &options))
        return false;
    for (size_t i = 0; i < hotspots.count && i < SITES; i++) {
        const struct hotspot *site = &hotspots.sites[i];
        if (!has_name(&site->symbol) && site->symbol.file && site->share >= NOTABLE_SHARE &&
            !trace->nameless)
            trace->nameless = strdup(site->symbol.file);
        trace->sites[i] = (struct answer_site){
            .bytes = stack_tally_weight(&site->tally, &profile->estimate, weight),
            .share = site->share,
            .name = strdup(symbol_name(&site->symbol)),
            .place = place_text(site),
            .caller = caller_text(&hotspots, i, &shortened.program),
        };
        trace->site_count++;
    }
    hotspots_release(&hotspots);
    return true;
}

static bool has_function(const struct frame_source *frames, const char *name)
{
    for (uint32_t frame = 0; frame < frames->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *lines = frames->locations(frames->context, frame, &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(lines[i].function, name) == 0)
                return true;
    }
    return false;
}

/* False without memory. */
static bool fold(struct answer_trace *trace, struct trace_input *input)
{
    const struct heaptap_trace_info *info = heaptap_reader_info(input->reader);
    struct heaptap_event event;
    struct summary summary;
    struct stack_profile profile;
    bool done = summary_init(&summary, info);
    if (!stack_profile_init(&profile, info)) {
        summary_release(&summary);
        return false;
    }
    while (done && trace_input_next(input, &event))
        done = summary_add(&summary, &event, 1) &&
               (event.kind != HEAPTAP_ALLOC || stack_profile_add(&profile, &event));
    if (done) {
        struct frame_source frames = trace_frames(input);
        summary_finish(&summary);
        stack_profile_finish(&profile);
        count_drops(trace, input->reader);
        take_stop(trace, input);
        take_summary(trace, &summary);
        trace->is_ocaml =
            has_function(&frames, "caml_main") || has_function(&frames, "caml_startup");
        trace->runtime = runtime_heap_of(&frames, info->executable);
        struct wrappers wrappers = {0};
        frames.wrappers = &wrappers;
        done =
            wrappers_find_in(&wrappers, &profile, &frames) && take_sites(trace, &profile, &frames);
        wrappers_release(&wrappers);
    }
    stack_profile_release(&profile);
    summary_release(&summary);
    return done;
}

/* ---- Profiles ----------------------------------------------------------------------- */

static double total_of(const struct pprof *pprof, const char *type)
{
    long index = pprof_find_type(pprof, type);
    double total = 0;
    for (size_t i = 0; index >= 0 && i < pprof->sample_count; i++)
        total += (double)pprof->values[i * pprof->type_count + (size_t)index];
    return total;
}

static double value_of(const struct pprof *pprof, size_t row, long type)
{
    return type < 0 ? 0 : (double)pprof->values[row * pprof->type_count + (size_t)type];
}

/* A row is of blocks of one size: so many bytes are one sample, and what is counted as objects weighs the same for each.  How many of
 * its blocks were seen it doesn't say, but one was. */
static void sum_up(const struct pprof *pprof, const char *space, const char *objects,
                   struct estimate_sum *bytes, struct estimate_sum *blocks)
{
    struct heaptap_trace_info info = {.sample_rate = 1 / fmax((double)pprof->period, 1),
                                      .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    long of_space = pprof_find_type(pprof, space), of_objects = pprof_find_type(pprof, objects);
    *blocks = (struct estimate_sum){.heaviest = estimate_heaviest_object(&estimate)};
    for (size_t i = 0; i < pprof->sample_count; i++) {
        double samples = round(value_of(pprof, i, of_space) / estimate.bytes_per_sample);
        double count = value_of(pprof, i, of_objects);
        blocks->samples += samples;
        blocks->value += count;
        blocks->squares += samples > 0 ? count * count / samples : 0;
        blocks->least += samples > 0;
    }
    *bytes = estimate_bytes_sum(&estimate, blocks->samples);
}

static void take_ranges(struct answer_trace *trace, const struct pprof *pprof)
{
    double rate = 1 / fmax((double)pprof->period, 1);
    struct estimate_sum bytes, objects;
    sum_up(pprof, "alloc_space", "alloc_objects", &bytes, &objects);
    trace->samples = (uint64_t)bytes.samples;
    trace->bytes_range = estimate_range(&bytes, rate);
    trace->objects_range = estimate_range(&objects, rate);
    sum_up(pprof, "inuse_space", "inuse_objects", &bytes, &objects);
    trace->live_range = estimate_range(&bytes, rate);
    trace->live_objects_range = estimate_range(&objects, rate);
    trace->objects_range.is_few = trace->live_objects_range.is_few = false; /* bytes say so */
}

static void take_totals(struct answer_trace *trace, const struct pprof *pprof)
{
    trace->is_profile = trace->was_read = true;
    trace->exact = pprof->period <= 1;
    trace->events = pprof->sample_count;
    trace->bytes = total_of(pprof, "alloc_space");
    trace->objects = total_of(pprof, "alloc_objects");
    trace->live_bytes = total_of(pprof, "inuse_space");
    trace->live_objects = total_of(pprof, "inuse_objects");
    if (!trace->exact)
        take_ranges(trace, pprof);
    for (size_t i = 0; i < pprof->comment_count; i++)
        if (strncmp(pprof->comments[i], PPROF_DROPPED, strlen(PPROF_DROPPED)) == 0)
            trace->dropped = strtoull(pprof->comments[i] + strlen(PPROF_DROPPED), NULL, 10);
        else if (strncmp(pprof->comments[i], PPROF_ENDED_EARLY, strlen(PPROF_ENDED_EARLY)) == 0)
            trace->stop = strdup(pprof->comments[i] + strlen(PPROF_ENDED_EARLY));
}

static void read_profile(struct answer_trace *trace, bool named)
{
    struct stack_input input;
    if (!stack_input_open(&input, trace->path, "alloc_space", named))
        return;
    take_totals(trace, input.pprof);
    trace->runtime = runtime_heap_of(&input.frames, input.frames.program);
    struct wrappers wrappers = {0};
    bool done = pprof_find_wrappers(&wrappers, &input.profile, input.pprof, &input.frames);
    input.frames.wrappers = &wrappers;
    if (!done || !take_sites(trace, &input.profile, &input.frames))
        cli_warn("%s: out of memory", trace->path);
    wrappers_release(&wrappers);
    stack_input_close(&input);
}

static void read_trace(struct answer_trace *trace)
{
    struct trace_input input;
    static const struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(&input, trace->path, &how))
        return;
    input.quiet = true; /* symbolising it has told what was to be told */
    if (!fold(trace, &input))
        cli_warn("%s: out of memory", trace->path);
    trace->is_cut = input.exit_status != CLI_DONE;
    trace_input_close(&input);
}

/* ---- The answer's life -------------------------------------------------------------- */

struct answer *answer_new(const struct answer_facts *facts)
{
    struct answer *answer = calloc(1, sizeof *answer);
    if (answer)
        answer->facts = *facts;
    return answer;
}

void answer_free(struct answer *answer)
{
    if (!answer)
        return;
    for (size_t i = 0; i < answer->count; i++) {
        struct answer_trace *trace = &answer->traces[i];
        for (size_t j = 0; j < trace->site_count; j++) {
            free(trace->sites[j].name);
            free(trace->sites[j].place);
            free(trace->sites[j].caller);
        }
        free(trace->nameless);
        free(trace->stop);
        free(trace->path);
        free(trace->program);
    }
    free(answer->traces);
    free(answer);
}

void answer_add(struct answer *answer, const struct written_trace *written, bool running,
                bool left_raw)
{
    if (!answer || !ARRAY_RESERVE(&answer->traces, &answer->capacity, answer->count + 1))
        return;
    struct answer_trace *trace = &answer->traces[answer->count];
    const char *slash = strrchr(written->executable, '/');
    *trace = (struct answer_trace){
        .path = strdup(written->path),
        .program = strdup(slash ? slash + 1 : written->executable),
        .pid = written->pid,
        .running = running,
        .left_raw = left_raw,
    };
    answer->count++;
    if (trace->path && !running)
        written->is_profile ? read_profile(trace, !answer->facts.unnamed) : read_trace(trace);
    if (answer->facts.unnamed) { /* which was said */
        free(trace->nameless);
        trace->nameless = NULL;
    }
    if (!trace->runtime)
        trace->runtime = runtime_heap_of_file(written->executable);
}

bool answer_sum(const struct answer *answer, struct expectation *sum)
{
    uint64_t events = 0;
    for (size_t i = 0; answer && i < answer->count; i++) {
        const struct answer_trace *trace = &answer->traces[i];
        events += trace->events;
        sum->objects += trace->objects;
        sum->bytes += trace->bytes;
        sum->peak = fmax(sum->peak, trace->peak_bytes);
    }
    return events > 0;
}

/* ---- Printing ----------------------------------------------------------------------- */

static void print_sites(const struct answer_trace *trace, FILE *to)
{
    char bytes[UNITS_TEXT_BYTES];
    if (trace->site_count > 0)
        fprintf(to, "\n     BYTES   SHARE  ALLOCATED BY (functions of libraries left out)\n");
    for (size_t i = 0; i < trace->site_count; i++) {
        const struct answer_site *site = &trace->sites[i];
        units_bytes(bytes, site->bytes);
        fprintf(to, "  %8s  %4.1f %%  %s", bytes, 100 * site->share,
                site->name ? plain(site->name) : "?");
        if (site->place && *site->place)
            fprintf(to, "  %s", plain(site->place));
        if (site->caller)
            fprintf(to, "  < %s", plain(site->caller));
        fputc('\n', to);
    }
    if (trace->nameless && trace->left_raw)
        fprintf(to,
                "\nNames are missing, as they could not be written into the trace;\n"
                "`heaptap file symbolize -o FILE %s` writes it elsewhere.\n",
                trace->path);
    else if (trace->nameless)
        fprintf(to,
                "\nNames are missing for %s; where its debug files are,\n"
                "`heaptap file symbolize %s` finds them.\n",
                trace->nameless, trace->path);
}

enum { BLOCKS_TEXT_BYTES = 2 * UNITS_TEXT_BYTES + 2 * RANGE_TEXT_BYTES + 16 };

/* "254 kB (240 kB to 270 kB) in 1.5 k (1.4 k to 1.6 k) objects"; bounds where it is an estimate. */
static const char *blocks_text(char text[BLOCKS_TEXT_BYTES], double bytes,
                               const struct estimate_range *of_bytes, double objects,
                               const struct estimate_range *of_objects)
{
    char size[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES], sizes[RANGE_TEXT_BYTES],
        counts[RANGE_TEXT_BYTES];
    units_bytes(size, bytes);
    units_count(count, objects);
    snprintf(text, BLOCKS_TEXT_BYTES, "%s%s in %s%s object%s", size,
             range_text(sizes, of_bytes, units_bytes), count,
             range_text(counts, of_objects, units_count), strcmp(count, "1") == 0 ? "" : "s");
    return text;
}

/* Before the figures, which are those of the time until then. */
static void print_stop(const struct answer_trace *trace, FILE *to)
{
    char when[UNITS_TEXT_BYTES];
    if (trace->stop && trace->stop_seconds > 0)
        fprintf(to, "  recorded   only the first %s: %s\n",
                units_duration(when, trace->stop_seconds), trace->stop);
    else if (trace->stop)
        fprintf(to, "  recorded   only the beginning: %s\n", trace->stop);
}

static void print_figures(const struct answer *answer, const struct answer_trace *trace, FILE *to)
{
    const char *at_end = trace->stop ? "when recording ended" : "at the end";
    char all[BLOCKS_TEXT_BYTES], live[BLOCKS_TEXT_BYTES];
    char peak[UNITS_TEXT_BYTES], when[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES];
    blocks_text(all, trace->bytes, &trace->bytes_range, trace->objects, &trace->objects_range);
    blocks_text(live, trace->live_bytes, &trace->live_range, trace->live_objects,
                &trace->live_objects_range);
    bool is_whole = !trace->stop && !trace->dropped && !trace->is_cut && !answer->facts.toggled;
    if (trace->exact)
        fprintf(to, "  allocated  %s%s\n", all,
                is_whole                ? ", all of them recorded"
                : answer->facts.toggled ? ", while recording was on"
                                        : "");
    else if (trace->is_profile)
        fprintf(to, "  allocated  about %s (estimated from %" PRIu64 " sample%s)\n", all,
                trace->samples, trace->samples == 1 ? "" : "s");
    else
        fprintf(to, "  allocated  about %s (estimated from %" PRIu64 " sampled block%s)\n", all,
                trace->events, trace->events == 1 ? "" : "s");
    if (trace->is_profile)
        fprintf(to, "  live       %s %s\n", live, at_end);
    else
        fprintf(to, "  live       %s%s at the peak, after %s; %s %s\n",
                units_bytes(peak, trace->peak_bytes),
                range_text(range, &trace->peak_range, units_bytes),
                units_duration(when, trace->peak_seconds), live, at_end);
    if (trace->dropped > 0)
        fprintf(to, "  dropped    %" PRIu64 " samples, which are missing in all figures\n",
                trace->dropped);
}

/* Of what was recorded until it ended. */
static const char *why_empty(const struct answer *answer, const struct answer_trace *trace)
{
    if (!trace->was_read)
        return "what was recorded could not be read";
    if (answer->facts.paused)
        return "nothing was recorded: no SIGUSR2 came to start it";
    if (trace->dropped > 0)
        return "nothing was recorded: there was no memory for it";
    if (answer->facts.explained)
        return "no allocation was recorded";
    if (!trace->exact)
        return "no allocation was sampled: there were few, or they don't go through malloc; --all "
               "records every one";
    return answer->facts.killed && trace->pid == answer->facts.pid
               ? "no allocation was recorded before a signal ended the command"
               : "no allocation was recorded: none goes through malloc";
}

/* The end of the heading: the run's length, or of which part of several processes this is said. */
static void print_share(const struct answer *answer, const struct answer_trace *trace, FILE *to)
{
    char seconds[UNITS_TEXT_BYTES];
    double total = 0;
    size_t ended = 0;
    for (size_t i = 0; i < answer->count; i++) {
        total += answer->traces[i].bytes;
        ended += !answer->traces[i].running;
    }
    if (answer->count == 1)
        fprintf(to, ", %s\n", units_duration(seconds, answer->facts.seconds));
    else if (ended == 1)
        fprintf(to, ": the only process that has ended\n");
    else
        fprintf(to, ": %.1f %% of the bytes of the %zu processes%s\n",
                100 * trace->bytes / fmax(total, 1), ended,
                ended < answer->count ? " that have ended" : "");
}

/* What the process held besides: whoever looks for its memory must know where not to look. */
static void print_resident(const struct answer *answer, const struct answer_trace *trace, FILE *to)
{
    static const double far_apart = 2, notable_bytes = 16 << 20;
    double rss = (double)answer->facts.peak_rss_bytes;
    char all[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES];
    bool is_far = rss > far_apart * trace->peak_bytes && rss - trace->peak_bytes > notable_bytes;
    if (rss == 0 || trace->is_profile || answer->count > 1 || trace->pid != answer->facts.pid ||
        (trace->events == 0 && !is_far))
        return;
    fprintf(to, "  resident   %s at most", units_bytes(all, rss));
    if (is_far)
        fprintf(
            to,
            ": of that, malloc's blocks were %s%s;\n"
            "             the rest is code, stacks, mmap and sbrk, and what the allocator keeps,\n"
            "             which are not recorded",
            units_bytes(blocks, trace->peak_bytes),
            range_text(range, &trace->peak_range, units_bytes));
    fputc('\n', to);
}

static void print_next(const struct answer_trace *trace, FILE *to)
{
    static const char *const commands[] = {"view", "hotspots", "leaks", "advice"};
    struct text path = {0};
    next_put_word(&path, trace->path);
    text_put_char(&path, 0);
    fputs("\nGo on with:\n", to);
    for (size_t i = 0; !path.failed && i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  heaptap %s %s\n", commands[i], plain(path.bytes));
    text_release(&path);
}

static void print_trace(const struct answer *answer, const struct answer_trace *trace, FILE *to)
{
    fprintf(to, "\n%s (pid %" PRIu64 ")", trace->program ? plain(trace->program) : "?", trace->pid);
    print_share(answer, trace, to);
    if (trace->events > 0) {
        print_stop(trace, to);
        print_figures(answer, trace, to);
        print_resident(answer, trace, to);
        print_sites(trace, to);
    } else {
        print_stop(trace, to);
        fprintf(to, "  %s\n", why_empty(answer, trace));
        print_resident(answer, trace, to);
    }
    if (trace->is_ocaml)
        fprintf(
            to,
            "\n%s is an OCaml program: of its own heap, only what malloc gave is recorded here.\n"
            "Linked with heaptap.memtrace.auto it records that heap, every block at rate 1:\n"
            "  MEMTRACE=%s.ctf MEMTRACE_RATE=1 COMMAND\n",
            plain(trace->program), plain(trace->program));
    if (trace->runtime)
        runtime_heap_print(trace->runtime, trace->program, to);
    if (trace->events > 0)
        print_next(trace, to);
}

/* Those that still run before the others, then by bytes. */
static int compare_weight(const void *left, const void *right)
{
    const struct answer_trace *a = *(const struct answer_trace *const *)left;
    const struct answer_trace *b = *(const struct answer_trace *const *)right;
    if (a->running != b->running)
        return a->running ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a < b ? -1 : 1;
}

static void print_line(const struct answer_trace *trace, FILE *to)
{
    char bytes[UNITS_TEXT_BYTES];
    units_bytes(bytes, trace->bytes);
    fprintf(to, "  %-20s %8" PRIu64 "  %10s  %s%s\n", trace->program ? plain(trace->program) : "?",
            trace->pid, trace->running ? "running" : bytes, trace->path,
            trace->running ? "  (heaptap file symbolize it when it has ended)" : "");
}

/* Of many processes, the heaviest. */
static void print_list(const struct answer *answer, FILE *to)
{
    char bytes[UNITS_TEXT_BYTES];
    const struct answer_trace **order = calloc(answer->count, sizeof(struct answer_trace *));
    double rest = 0;
    if (!order)
        return;
    for (size_t i = 0; i < answer->count; i++)
        order[i] = &answer->traces[i];
    if (answer->count > LISTED)
        qsort(order, answer->count, sizeof *order, compare_weight);
    fputc('\n', to);
    for (size_t i = 0; i < answer->count; i++) {
        if (i < LISTED)
            print_line(order[i], to);
        else
            rest += order[i]->bytes;
    }
    if (answer->count > LISTED)
        fprintf(to, "  and %zu more processes, with %s in all\n", answer->count - LISTED,
                units_bytes(bytes, rest));
    free(order);
}

void answer_print(const struct answer *answer, FILE *to)
{
    const struct answer_trace *most = NULL;
    if (!answer || answer->count == 0)
        return;
    for (size_t i = 0; i < answer->count; i++)
        if (!answer->traces[i].running && (!most || answer->traces[i].bytes > most->bytes))
            most = &answer->traces[i];
    if (answer->count > 1 || !most)
        print_list(answer, to);
    if (most)
        print_trace(answer, most, to);
}
