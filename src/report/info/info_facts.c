/* What people read of the report `info`: facts, each a label and a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/plain.h"
#include "base/stop_reason.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/info/info_parts.h"

enum { FIGURE_BYTES = 2 * UNITS_TEXT_BYTES + RANGE_TEXT_BYTES };

/* ---- Figures as text ----------------------------------------------------------------- */

static const char *bytes_text(char text[UNITS_TEXT_BYTES], const struct info *info, double samples)
{
    return units_bytes(text, info_bytes(info, samples));
}

/* A number, as it is if it isn't too long. */
static const char *count_text(char text[UNITS_TEXT_BYTES], double count)
{
    if (count >= 9999.5)
        return units_count(text, count);
    snprintf(text, UNITS_TEXT_BYTES, "%.0f", count);
    return text;
}

/* What follows such a number. */
static const char *plural(double count)
{
    return count >= 0.5 && count < 1.5 ? "" : "s";
}

static const char *time_text(char text[UNITS_TEXT_BYTES], int64_t us)
{
    return units_duration(text, (double)us * 1e-6);
}

/* "79 GB (78 GB to 81 GB)". */
static const char *bounded_bytes(char text[FIGURE_BYTES], const struct info *info, double samples,
                                 struct estimate_range range)
{
    char bytes[UNITS_TEXT_BYTES], bounds[RANGE_TEXT_BYTES];
    snprintf(text, FIGURE_BYTES, "%s%s", bytes_text(bytes, info, samples),
             range_text(bounds, &range, units_bytes));
    return text;
}

/* "2.6 G (2.5 G to 2.7 G) blocks". */
static const char *bounded_blocks(char text[FIGURE_BYTES], double objects,
                                  struct estimate_range range)
{
    char count[UNITS_TEXT_BYTES], bounds[RANGE_TEXT_BYTES];
    snprintf(text, FIGURE_BYTES, "%s%s block%s", count_text(count, objects),
             range_text(bounds, &range, units_count), plural(objects));
    return text;
}

/* ", 153 sampled"; exact traces have nothing to say of that. */
static const char *sampled_text(char text[FIGURE_BYTES], const struct info *info, double count,
                                const char *what)
{
    char number[UNITS_TEXT_BYTES];
    *text = 0;
    if (info->trace->sample_rate < 1)
        snprintf(text, FIGURE_BYTES, ", %s %s", count_text(number, count), what);
    return text;
}

static double percentage(uint64_t part, double whole)
{
    return whole > 0 ? 100 * (double)part / whole : 0;
}

/* ---- What it is ---------------------------------------------------------------------- */

static void say_file(struct answer *answer, const struct info *info)
{
    char stored[UNITS_TEXT_BYTES], whole[UNITS_TEXT_BYTES];
    uint64_t events = summary_events(info->summary);
    units_bytes(stored, (double)info->stored_bytes);
    units_bytes(whole, (double)info->notes->bytes);
    answer_fact(answer, "Trace", "%s, memtrace format version %u", info->name,
                info->trace->version);
    if (strcmp(info->compression, "none") != 0)
        answer_fact(answer, "File", "%s, %s compressed; %s decompressed", stored, info->compression,
                    whole);
    else
        answer_fact(answer, "File", "%s", stored);
    if (events > 0 && !*info->filter)
        answer_fact(answer, "", "%.1f bytes an event", (double)info->notes->bytes / (double)events);
}

static void say_run(struct answer *answer, const struct summary *summary)
{
    char ran[UNITS_TEXT_BYTES], last[UNITS_TEXT_BYTES];
    time_text(ran, summary->end_us);
    time_text(last, summary->last_us);
    if (summary->end_us <= summary->last_us)
        answer_fact(answer, "Ran", "%s until the last event", ran);
    else
        answer_fact(answer, "Ran", "%s, with the last event after %s", ran, last);
}

static void say_program(struct answer *answer, const struct info *info)
{
    const struct heaptap_trace_info *trace = info->trace;
    char date[64] = "unknown";
    time_t seconds = (time_t)(trace->start_us / 1000000);
    struct tm tm;
    if (seconds != 0 && gmtime_r(&seconds, &tm))
        strftime(date, sizeof date, "%a %d %b %Y %H:%M:%S UTC", &tm);
    answer_fact(answer, "Program", "%s", trace->executable);
    if (trace->pid != 0 || trace->host[0])
        answer_fact(answer, "", "pid %" PRIu64 " on %s", trace->pid, trace->host);
    answer_fact(answer, "Started", "%s", date);
    say_run(answer, info->summary);
    if (trace->context[0])
        answer_fact(answer, "Context", "%s", trace->context);
}

static void say_sampling(struct answer *answer, const struct info *info)
{
    const struct heaptap_trace_info *trace = info->trace;
    bool is_bytes = trace->word_bits == 8;
    const char *unit = is_bytes ? "byte" : "word";
    char every[UNITS_TEXT_BYTES];
    units_count(every, 1 / trace->sample_rate);
    if (trace->sample_rate == 1)
        answer_fact(answer, "Sampling", "every %s (rate 1)%s", unit,
                    info->is_whole ? ": all figures are exact" : "");
    else
        answer_fact(answer, "Sampling",
                    "one %s in %s (rate %g%s): figures are estimates, with bounds in parentheses",
                    unit, every, trace->sample_rate * (is_bytes ? 8 : 1),
                    is_bytes ? " per word of 8 bytes" : "");
    if (!is_bytes)
        answer_fact(answer, "", "%u-bit words", trace->word_bits);
}

/* The value of the one-letter parameter in OCAMLRUNPARAM's notation; NULL where it isn't there. */
static const char *runtime_param(const char *params, char letter)
{
    for (const char *at = params; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (at[0] == letter && at[1] == '=')
            return at + 2;
    return NULL;
}

static void say_runtime(struct answer *answer, const struct heaptap_trace_info *trace)
{
    const char *minor = runtime_param(trace->runtime_params, 's');
    const char *overhead = runtime_param(trace->runtime_params, 'o');
    char bytes[UNITS_TEXT_BYTES];
    if (!trace->runtime_params[0])
        return;
    if (!minor || !overhead) {
        answer_fact(answer, "GC", "%s", trace->runtime_params);
        return;
    }
    double words = strtod(minor, NULL);
    answer_fact(answer, "GC", "minor heap %.0f words (%s), space_overhead %d", words,
                units_bytes(bytes, words * trace->word_bits / 8), atoi(overhead));
    answer_fact(answer, "", "OCAMLRUNPARAM %s", trace->runtime_params);
}

static void say_metadata(struct answer *answer, const struct info *info)
{
    const struct heaptap_metadata *record;
    size_t types = 0;
    for (size_t at = 0; (record = info_next_record(info, &at, HEAPTAP_PROPERTY));)
        answer_fact(answer, "Property", "%s = %s", record->name, record->value);
    for (size_t at = 0; (record = info_next_record(info, &at, HEAPTAP_DROPS));)
        answer_fact(answer, "Dropped", "%" PRIu64 " sample%s of domain %u: %s", record->number,
                    plural((double)record->number), record->domain, record->name);
    for (size_t at = 0; info_next_record(info, &at, HEAPTAP_TYPE);)
        types++;
    if (types > 0)
        answer_fact(answer, "Types", "%zu described", types);
}

/* ---- What was allocated -------------------------------------------------------------- */

/* Does it tell heaps apart?  Only runtimes with a garbage collector have two. */
static bool has_generations(const struct summary *summary)
{
    return summary->allocations[HEAPTAP_MINOR] > 0 || summary->allocations[HEAPTAP_EXTERNAL] > 0 ||
           summary->promotions > 0;
}

static void say_source(struct answer *answer, const struct info *info, const char *name,
                       enum heaptap_source source)
{
    const struct summary *summary = info->summary;
    double samples = (double)summary->allocated_samples[source];
    char bytes[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES], sampled[FIGURE_BYTES];
    if (summary->allocations[source] == 0)
        return;
    answer_fact(answer, "", "%s %s in %s block%s%s", name, bytes_text(bytes, info, samples),
                count_text(blocks, summary->allocated_objects[source]),
                plural(summary->allocated_objects[source]),
                sampled_text(sampled, info, (double)summary->allocations[source], "sampled"));
    if (source == HEAPTAP_MINOR)
        answer_fact(answer, "", "  %.1f %% promoted (%s)",
                    percentage(summary->promoted_samples, samples),
                    bytes_text(bytes, info, (double)summary->promoted_samples));
}

static void say_allocated(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    uint64_t samples = summary_allocated_samples(summary);
    char bytes[FIGURE_BYTES], blocks[FIGURE_BYTES], sampled[FIGURE_BYTES] = "";
    if (!has_generations(summary))
        sampled_text(sampled, info, (double)summary->allocations[HEAPTAP_MAJOR], "sampled");
    answer_fact(
        answer, "Allocated", "%s in %s%s",
        bounded_bytes(bytes, info, (double)samples, summary_bytes_range(summary)),
        bounded_blocks(blocks, summary_allocated_objects(summary), summary_objects_range(summary)),
        sampled);
    if (!has_generations(summary))
        return;
    say_source(answer, info, "minor heap", HEAPTAP_MINOR);
    say_source(answer, info, "major heap", HEAPTAP_MAJOR);
    say_source(answer, info, "external  ", HEAPTAP_EXTERNAL);
}

static void say_rate(struct answer *answer, const struct info *info, const char *what,
                     uint64_t samples)
{
    char bytes[UNITS_TEXT_BYTES];
    double seconds = (double)info->summary->end_us * 1e-6;
    if (seconds > 0)
        answer_fact(answer, "", "%s %s/s", what,
                    bytes_text(bytes, info, (double)samples / seconds));
}

static void say_rates(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    answer_fact(answer, "Rates", "%s",
                summary->end_us > 0 ? "a second, over the whole run" : "none");
    say_rate(answer, info, "allocated  ", summary_allocated_samples(summary));
    if (!has_generations(summary)) {
        say_rate(answer, info, "freed      ", summary->collected_major_samples);
        return;
    }
    say_rate(answer, info, "into major ",
             summary->allocated_samples[HEAPTAP_MAJOR] +
                 summary->allocated_samples[HEAPTAP_EXTERNAL] + summary->promoted_samples);
    say_rate(answer, info, "out of it  ", summary->collected_major_samples);
}

static void say_sizes(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    double all = (double)summary_allocated_samples(summary);
    char longest[UNITS_TEXT_BYTES], small[64] = "16";
    if (all == 0)
        return;
    units_bytes(longest, (double)summary->longest_words * summary->estimate.word_bytes);
    if (info->trace->word_bits != 8)
        snprintf(small, sizeof small, "4 words, %.0f %% up to 16",
                 percentage(summary->up_to_16_samples, all));
    answer_fact(answer, "Sizes",
                "%.0f %% of the bytes in blocks of up to %s, %.0f %% up to 256; the largest has %s",
                percentage(info->trace->word_bits == 8 ? summary->up_to_16_samples
                                                       : summary->up_to_4_samples,
                           all),
                small, percentage(summary->up_to_256_samples, all), longest);
}

/* ---- What was alive ------------------------------------------------------------------ */

static void say_live(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    double peak = (double)summary->peak.samples;
    char bytes[FIGURE_BYTES], blocks[FIGURE_BYTES], sampled[FIGURE_BYTES], when[UNITS_TEXT_BYTES];
    answer_fact(answer, "At the end", "%s live in %s%s",
                bounded_bytes(bytes, info, (double)summary->live_samples,
                              summary_live_bytes_range(summary)),
                bounded_blocks(blocks, summary->live_objects, summary_live_objects_range(summary)),
                sampled_text(sampled, info, (double)summary->live_blocks, "sampled"));
    answer_fact(
        answer, "Peak", "%s live at %s%s", bounded_bytes(bytes, info, peak, info_peak_range(info)),
        time_text(when, summary->peak.time_us), sampled_text(sampled, info, peak, "samples"));
}

static void say_events(struct answer *answer, const struct summary *summary)
{
    uint64_t allocations = summary_allocations(summary);
    char promotions[64] = "";
    if (has_generations(summary))
        snprintf(promotions, sizeof promotions, " %" PRIu64 " promotion%s,", summary->promotions,
                 plural((double)summary->promotions));
    answer_fact(answer, "Events", "%" PRIu64 ": %" PRIu64 " allocation%s,%s %" PRIu64 " %s%s",
                summary_events(summary), allocations, plural((double)allocations), promotions,
                summary->collections, has_generations(summary) ? "collection" : "end",
                plural((double)summary->collections));
}

/* ---- What is odd --------------------------------------------------------------------- */

static void note(struct answer *answer, uint64_t count, const char *what)
{
    if (count > 0)
        answer_fact(answer, "Note", "%" PRIu64 " %s", count, what);
}

static void say_notes(struct answer *answer, const struct info *info)
{
    const struct heaptap_reader_notes *notes = info->notes;
    const struct summary *summary = info->summary;
    const struct heaptap_metadata *stop = info_stop(info);
    char when[UNITS_TEXT_BYTES];
    if (!info->is_complete)
        answer_fact(answer, "Note", "the trace is cut or damaged: this is what comes before");
    if (stop && stop_is_of_file(stop->name))
        answer_fact(answer, "Note", "%s", plain(stop->name));
    else if (stop)
        answer_fact(answer, "Note", "recording ended early, after %s: %s",
                    time_text(when, (int64_t)stop->number), stop->name);
    note(answer, notes->foreign_packets, "packets of another process skipped");
    note(answer, notes->clock_steps, "events earlier than the one before: the clock stepped back");
    note(answer, notes->location_conflicts, "codes described twice, differently");
    note(answer, notes->damaged_locations, "packets of names damaged");
    note(answer, notes->empty_gaps, "empty gaps between packets");
    note(answer, summary->odd_promotions, "promotions of blocks that aren't in the minor heap");
    note(answer, summary->unknown_promotions, "promotions of blocks never seen being allocated");
    note(answer, summary->unknown_collections,
         "collections of blocks never seen being allocated, or ended before");
}

void info_say(struct answer *answer, const struct info *info)
{
    say_file(answer, info);
    say_program(answer, info);
    say_sampling(answer, info);
    say_runtime(answer, info->trace);
    say_metadata(answer, info);
    answer_say(answer, "%s", "");
    if (*info->filter)
        answer_fact(answer, "Filter", "%s", info->filter);
    say_allocated(answer, info);
    say_rates(answer, info);
    say_sizes(answer, info);
    say_live(answer, info);
    say_events(answer, info->summary);
    say_notes(answer, info);
}
