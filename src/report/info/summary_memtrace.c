#include "report/info/summary_memtrace.h"

#include <inttypes.h>
#include <time.h>

#include "base/plain.h"

static void print_bytes(FILE *file, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (unit < 4 && !(bytes < 1000)) {
        bytes /= 1024;
        unit++;
    }
    fprintf(file, "%3.*f %s", unit > 0 && bytes < 10 ? 1 : 0, bytes, units[unit]);
}

static void print_date(FILE *file, int64_t start_us)
{
    static const char days[] = "SunMonTueWedThuFriSat",
                      months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)((double)start_us * 1e-6);
    struct tm tm = {0};
    gmtime_r(&seconds, &tm);
    fprintf(file, "   at %.3s %.3s %d %02d:%02d:%02d %d UTC\n", days + 3 * tm.tm_wday,
            months + 3 * tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
            tm.tm_year + 1900);
}

static void print_head(FILE *file, const struct summary_memtrace *trace)
{
    const struct heaptap_trace_info *info = trace->info;
    fprintf(file, "Trace file %s (", plain(trace->name));
    print_bytes(file, (double)trace->stored_bytes);
    fprintf(file, ")\n   of %s\n", plain(info->executable));
    print_date(file, info->start_us);
    fprintf(file, "   on host %s (%u-bit), pid %" PRIu64 ", sample rate %.1e\n", plain(info->host),
            info->word_bits, info->pid, info->sample_rate);
    fprintf(file, "   with OCaml GC params %s\n", plain(info->runtime_params));
    if (info->context[0])
        fprintf(file, "   with context: %s\n", plain(info->context));
}

/* "Runtime" is the time of the last event in the file, not of the latest. */
static void print_figures(FILE *file, const struct summary_memtrace *trace)
{
    const struct summary *summary = trace->summary;
    const struct estimate *estimate = &summary->estimate;
    const uint64_t *samples = summary->allocated_samples;
    double seconds = (double)summary->final_us * 1e-6;
    double minor = estimate_bytes(estimate, (double)samples[HEAPTAP_MINOR]);
    double major =
        estimate_bytes(estimate, (double)(samples[HEAPTAP_MAJOR] + samples[HEAPTAP_EXTERNAL]));
    double promoted = estimate_bytes(estimate, (double)summary->promoted_samples);
    double collected = estimate_bytes(
        estimate, (double)(summary->collected_major_samples + summary->unknown_collections));
    double all = minor + major;
    fputs("Trace statistics:\n   Minor: ", file);
    print_bytes(file, minor / seconds);
    fprintf(file, "/s allocations, %.1f%% promoted\n   Major: ", 100 * promoted / minor);
    print_bytes(file, (major + promoted) / seconds);
    fputs("/s allocations (", file);
    print_bytes(file, major / seconds);
    fputs("/s direct), ", file);
    print_bytes(file, collected / seconds);
    fprintf(file,
            "/s collections\n   Sizes (by word): %.0f%% <= 4w, %.0f%% <= 16w, %.0f%% <= 256w. "
            "Max: ",
            100 * estimate_bytes(estimate, (double)summary->up_to_4_samples) / all,
            100 * estimate_bytes(estimate, (double)summary->up_to_16_samples) / all,
            100 * estimate_bytes(estimate, (double)summary->up_to_256_samples) / all);
    print_bytes(file, (double)summary->longest_words * estimate->word_bytes);
    fprintf(file, "\n   Runtime: %.3f s\n", seconds);
}

void summary_memtrace_print(FILE *file, const struct summary_memtrace *trace)
{
    print_head(file, trace);
    print_figures(file, trace);
}
