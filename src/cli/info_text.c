#include "cli/info_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/plain.h"
#include "base/units.h"
#include "render/table.h"
#include "profile/range_text.h"

enum { DOMAINS = 1 << 16, LABEL_COLUMNS = 12 };

/* A line with a name in front; in bold where the terminal has it. */
__attribute__((format(printf, 2, 3))) static void line(const char *label, const char *format, ...)
{
    bool colour = *label && table_stdout_has_colour();
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    printf("%s%-*s%s", colour ? "\033[1m" : "", LABEL_COLUMNS, label, colour ? "\033[0m" : "");
    puts(vasprintf(&text, format, arguments) < 0 ? "?" : plain(text));
    free(text);
    va_end(arguments);
}

/* A quantity of samples as bytes; four at a time. */
static const char *bytes_of(const struct summary_report *report, double samples)
{
    static char texts[4][UNITS_TEXT_BYTES];
    static unsigned next;
    return units_bytes(texts[next++ % 4], estimate_bytes(&report->summary->estimate, samples));
}

/* A number; four at a time. */
static const char *count_of(double count)
{
    static char texts[4][UNITS_TEXT_BYTES];
    static unsigned next;
    char *text = texts[next++ % 4];
    if (count < 9999.5)
        snprintf(text, UNITS_TEXT_BYTES, "%.0f", count);
    else
        units_count(text, count);
    return text;
}

/* Bounds of a figure, in brackets behind it; "" where it is exact.  Four at a time. */
static const char *range_of(struct estimate_range range, const char *(*quantity)(char *, double))
{
    static char texts[4][RANGE_TEXT_BYTES];
    static unsigned next;
    return range_text(texts[next++ % 4], &range, quantity);
}

/* ", 153 sampled"; exact traces have nothing to say of that. */
static const char *sampled(const struct summary_report *report, double count, const char *what)
{
    static char text[2 * UNITS_TEXT_BYTES];
    *text = 0;
    if (report->info->sample_rate < 1)
        snprintf(text, sizeof text, ", %s %s", count_of(count), what);
    return text;
}

static const char *seconds_of(int64_t us)
{
    static char texts[4][UNITS_TEXT_BYTES];
    static unsigned next;
    return units_duration(texts[next++ % 4], (double)us * 1e-6);
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---- What it is */

static void print_file(const struct summary_report *report)
{
    char stored[UNITS_TEXT_BYTES], whole[UNITS_TEXT_BYTES];
    uint64_t events = summary_events(report->summary);
    bool compressed = strcmp(report->compression, "none") != 0;
    units_bytes(stored, (double)report->stored_bytes);
    units_bytes(whole, (double)report->notes->bytes);
    line("Trace", "%s, memtrace format version %u", report->name, report->info->version);
    if (compressed)
        line("File", "%s, %s compressed; %s decompressed", stored, report->compression, whole);
    else
        line("File", "%s", stored);
    if (events > 0 && !*report->filter)
        line("", "%.1f bytes an event", (double)report->notes->bytes / (double)events);
}

static void print_program(const struct summary_report *report)
{
    const struct heaptap_trace_info *info = report->info;
    char date[64] = "unknown";
    time_t seconds = (time_t)(info->start_us / 1000000);
    struct tm tm;
    if (info->start_us != 0 && gmtime_r(&seconds, &tm))
        strftime(date, sizeof date, "%a %d %b %Y %H:%M:%S UTC", &tm);
    line("Program", "%s", info->executable);
    if (info->pid != 0 || info->host[0])
        line("", "pid %" PRIu64 " on %s", info->pid, info->host);
    line("Started", "%s", date);
    line("Ran", "%s until the last event", seconds_of(report->summary->last_us));
    if (info->context[0])
        line("Context", "%s", info->context);
}

static void print_sampling(const struct heaptap_trace_info *info)
{
    bool is_bytes = info->word_bits == 8;
    const char *unit = is_bytes ? "byte" : "word";
    char every[UNITS_TEXT_BYTES];
    units_count(every, 1 / info->sample_rate);
    if (info->sample_rate == 1)
        line("Sampling", "every %s (rate 1): all figures are exact", unit);
    else
        line("Sampling", "one %s in %s (rate %g%s): figures are estimates, bounds in brackets",
             unit, every, info->sample_rate * (is_bytes ? 8 : 1),
             is_bytes ? " per word of 8 bytes" : "");
    if (info->word_bits != 8)
        line("", "%u-bit words", info->word_bits);
}

/* The value of the one-letter parameter in OCAMLRUNPARAM's notation; NULL where it isn't there. */
static const char *runtime_param(const char *params, char letter)
{
    for (const char *at = params; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (at[0] == letter && at[1] == '=')
            return at + 2;
    return NULL;
}

static void print_runtime_params(const struct heaptap_trace_info *info)
{
    const char *minor = runtime_param(info->runtime_params, 's');
    const char *overhead = runtime_param(info->runtime_params, 'o');
    char bytes[UNITS_TEXT_BYTES];
    if (!info->runtime_params[0])
        return;
    if (minor && overhead) {
        double words = strtod(minor, NULL);
        units_bytes(bytes, words * info->word_bits / 8);
        line("GC", "minor heap %.0f words (%s), space_overhead %d", words, bytes, atoi(overhead));
        line("", "OCAMLRUNPARAM %s", info->runtime_params);
    } else {
        line("GC", "%s", info->runtime_params);
    }
}

/* ---- Figures */

static void print_source(const struct summary_report *report, const char *name,
                         enum heaptap_source source)
{
    const struct summary *summary = report->summary;
    double samples = (double)summary->allocated_samples[source];
    if (summary->allocations[source] == 0)
        return;
    line("", "%s %s in %s blocks%s", name, bytes_of(report, samples),
         count_of(summary->allocated_objects[source]),
         sampled(report, (double)summary->allocations[source], "sampled"));
    if (source == HEAPTAP_MINOR)
        line("", "  %.1f %% promoted (%s)", share((double)summary->promoted_samples, samples),
             bytes_of(report, (double)summary->promoted_samples));
}

static void print_rate(const struct summary_report *report, const char *what, double samples)
{
    double seconds = (double)report->summary->last_us * 1e-6;
    if (seconds > 0)
        line("", "%s %s/s", what, bytes_of(report, samples / seconds));
}

/* Does it tell heaps apart?  Only runtimes with a garbage collector have two. */
static bool has_generations(const struct summary *summary)
{
    return summary->allocations[HEAPTAP_MINOR] > 0 || summary->allocations[HEAPTAP_EXTERNAL] > 0 ||
           summary->promotions > 0;
}

static void print_heap_rates(const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    double major = (double)(summary->allocated_samples[HEAPTAP_MAJOR] +
                            summary->allocated_samples[HEAPTAP_EXTERNAL]);
    if (has_generations(summary)) {
        print_rate(report, "into major ", major + (double)summary->promoted_samples);
        print_rate(report, "out of it  ", (double)summary->collected_major_samples);
    } else {
        print_rate(report, "freed      ", (double)summary->collected_major_samples);
    }
}

static void print_allocated(const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    double all = (double)summary_allocated_samples(summary);
    const char *bytes =
        range_of(summary_bytes_range(summary, summary_allocated_samples(summary)), units_bytes);
    const char *objects = range_of(summary_objects_range(summary), units_count);
    if (has_generations(summary)) {
        line("Allocated", "%s%s in %s%s blocks", bytes_of(report, all), bytes,
             count_of(summary_allocated_objects(summary)), objects);
        print_source(report, "minor heap", HEAPTAP_MINOR);
        print_source(report, "major heap", HEAPTAP_MAJOR);
        print_source(report, "external  ", HEAPTAP_EXTERNAL);
    } else {
        line("Allocated", "%s%s in %s%s blocks%s", bytes_of(report, all), bytes,
             count_of(summary_allocated_objects(summary)), objects,
             sampled(report, (double)summary->allocations[HEAPTAP_MAJOR], "sampled"));
    }
    line("Rates", "%s", report->summary->last_us > 0 ? "a second, over the whole run" : "none");
    print_rate(report, "allocated  ", all);
    print_heap_rates(report);
}

static void print_sizes(const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    double all = (double)summary_allocated_samples(summary);
    char longest[UNITS_TEXT_BYTES];
    if (all == 0)
        return;
    units_bytes(longest, (double)summary->longest_words * summary->estimate.word_bytes);
    if (report->info->word_bits == 8) {
        line("Sizes", "%.0f %% of the bytes in blocks of up to 16, %.0f %% up to 256;",
             share((double)summary->up_to_16_samples, all),
             share((double)summary->up_to_256_samples, all));
        line("", "the largest has %s", longest);
        return;
    }
    line("Sizes", "%.0f %% of the bytes in blocks of up to 4 words,",
         share((double)summary->up_to_4_samples, all));
    line("", "%.0f %% up to 16, %.0f %% up to 256; the largest has %s",
         share((double)summary->up_to_16_samples, all),
         share((double)summary->up_to_256_samples, all), longest);
}

static void print_live(const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    line(
        "At the end", "%s%s live in %s%s blocks%s", bytes_of(report, (double)summary->live_samples),
        range_of(summary_bytes_range(summary, summary->live_samples), units_bytes),
        count_of(summary->live_objects), range_of(summary_live_objects_range(summary), units_count),
        sampled(report, (double)summary->live_blocks, "sampled"));
    double peak = (double)summary->peak.samples;
    line("Peak", "%s%s live at %s%s", bytes_of(report, peak),
         range_of(estimate_peak_range(&summary->estimate, peak, (double)summary->peak.highest),
                  units_bytes),
         seconds_of(summary->peak.time_us), sampled(report, peak, "samples"));
}

static void print_events(const struct summary *summary)
{
    const uint64_t *allocations = summary->allocations;
    if (!has_generations(summary)) {
        line("Events", "%" PRIu64 ": %" PRIu64 " allocations, %" PRIu64 " ends",
             summary_events(summary), allocations[HEAPTAP_MAJOR], summary->collections);
        return;
    }
    line("Events", "%" PRIu64 ": %" PRIu64 " allocations, %" PRIu64 " promotions,",
         summary_events(summary), allocations[0] + allocations[1] + allocations[2],
         summary->promotions);
    line("", "%" PRIu64 " collections", summary->collections);
}

/* ---- Tables */

/* Columns of the domain table, the dispensable ones last. */
enum { ALWAYS = 4, UP_TO_PROMOTED, ALL = 7, ROOM_FOR_ALL = 66, ROOM_FOR_FIVE = 45 };

/* How many of them a terminal has room for: a number that is cut says something else. */
static int domain_columns(void)
{
    int width = table_width();
    if (width == 0 || width >= ROOM_FOR_ALL)
        return ALL;
    return width >= ROOM_FOR_FIVE ? UP_TO_PROMOTED : ALWAYS;
}

static bool add_domain(struct table *table, const struct summary_report *report, unsigned number,
                       int columns)
{
    const struct domain_summary *domain = report->summary->domains[number];
    const struct heaptap_metadata *thread = summary_thread(report, number);
    char name[16], events[UNITS_TEXT_BYTES];
    snprintf(name, sizeof name, "%u", number);
    snprintf(events, sizeof events, "%" PRIu64,
             summary_domain_allocations(domain) + domain->promotions + domain->collections);
    const char *row[ALL + 1] = {name,
                                events,
                                bytes_of(report, (double)domain->allocated_samples),
                                bytes_of(report, (double)domain->collected_samples),
                                bytes_of(report, (double)domain->promoted_samples),
                                seconds_of(domain->first_us),
                                seconds_of(domain->last_us)};
    row[columns] = thread ? thread->name : "";
    return table_add(table, row);
}

static bool print_domains(const struct summary_report *report)
{
    struct table_column titles[ALL + 1] = {{"DOMAIN", true, false},    {"EVENTS", true, false},
                                           {"ALLOCATED", true, false}, {"COLLECTED", true, false},
                                           {"PROMOTED", true, false},  {"FIRST", true, false},
                                           {"LAST", true, false}};
    struct table table;
    int columns = domain_columns();
    size_t named = 0;
    for (unsigned i = 0; i < DOMAINS; i++)
        named += report->summary->domains[i] && summary_thread(report, i);
    if (report->summary->domain_count < 2 && named == 0)
        return true;
    titles[columns] = (struct table_column){"THREAD", false, true};
    if (!table_init(&table, titles, columns + (named > 0)))
        return false;
    bool done = true;
    for (unsigned i = 0; done && i < DOMAINS; i++)
        if (report->summary->domains[i])
            done = add_domain(&table, report, i, columns);
    putchar('\n');
    if (done)
        table_print(&table);
    table_release(&table);
    return done;
}

static bool print_modules(const struct summary_report *report)
{
    static const struct table_column columns[] = {{"ADDRESS", true, false},
                                                  {"SIZE", true, false},
                                                  {"BUILD ID", false, true},
                                                  {"MODULE", false, true}};
    struct table table;
    bool done = true, any = false;
    for (size_t i = 0; i < report->metadata_count; i++)
        any |= report->metadata[i].kind == HEAPTAP_MODULE;
    if (!any)
        return true;
    if (!table_init(&table, columns, 4))
        return false;
    for (size_t i = 0; done && i < report->metadata_count; i++) {
        const struct heaptap_metadata *module = &report->metadata[i];
        char address[24], size[UNITS_TEXT_BYTES], id[2 * HEAPTAP_BUILD_ID_MAX + 1] = "";
        if (module->kind != HEAPTAP_MODULE)
            continue;
        snprintf(address, sizeof address, "0x%" PRIx64, module->address);
        for (unsigned k = 0; k < module->build_id_size && k < HEAPTAP_BUILD_ID_MAX; k++)
            snprintf(id + 2 * k, 3, "%02x", module->build_id[k]);
        const char *row[] = {address, units_bytes(size, (double)module->size_bytes), id,
                             module->name};
        done = table_add(&table, row);
    }
    putchar('\n');
    if (done)
        table_print(&table);
    table_release(&table);
    return done;
}

static void print_other_metadata(const struct summary_report *report)
{
    size_t types = 0;
    for (size_t i = 0; i < report->metadata_count; i++) {
        const struct heaptap_metadata *record = &report->metadata[i];
        if (record->kind == HEAPTAP_PROPERTY)
            line("Property", "%s = %s", record->name, record->value);
        else if (record->kind == HEAPTAP_DROPS)
            line("Dropped", "%" PRIu64 " samples of domain %u: %s", record->number, record->domain,
                 record->name);
        types += record->kind == HEAPTAP_TYPE;
    }
    if (types > 0)
        line("Types", "%zu described", types);
}

static void note(uint64_t count, const char *what)
{
    if (count > 0)
        line("Note", "%" PRIu64 " %s", count, what);
}

static void print_notes(const struct summary_report *report)
{
    const struct heaptap_reader_notes *notes = report->notes;
    const struct summary *summary = report->summary;
    const struct heaptap_metadata *stop = summary_stop(report);
    if (!report->complete)
        line("Note", "the trace is cut or damaged: this is what comes before");
    if (stop)
        line("Note", "recording ended early, after %s: %s", seconds_of((int64_t)stop->number),
             stop->name);
    note(notes->foreign_packets, "packets of another process skipped");
    note(notes->clock_steps, "events earlier than the one before: the clock stepped back");
    note(notes->location_conflicts, "codes described twice, differently");
    note(notes->damaged_locations, "packets of names damaged");
    note(notes->empty_gaps, "empty gaps between packets");
    note(summary->odd_promotions, "promotions of blocks that aren't in the minor heap");
    note(summary->unknown_promotions, "promotions of blocks never seen being allocated");
    note(summary->unknown_collections,
         "collections of blocks never seen being allocated, or ended before");
}

bool info_text_print(const struct summary_report *report)
{
    print_file(report);
    print_program(report);
    print_sampling(report->info);
    print_runtime_params(report->info);
    print_other_metadata(report);
    putchar('\n');
    if (*report->filter)
        line("Filter", "%s", report->filter);
    print_allocated(report);
    print_sizes(report);
    print_live(report);
    print_events(report->summary);
    print_notes(report);
    return print_domains(report) && print_modules(report);
}
