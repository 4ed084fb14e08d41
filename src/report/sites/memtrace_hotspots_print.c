#include "report/sites/memtrace_hotspots_print.h"

#include <inttypes.h>

#include "base/plain.h"
#include "profile/estimate.h"

enum { POSITIONS_SHOWN = 3 };

static void print_bytes(FILE *file, double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB"};
    if (bytes < 100) {
        fprintf(file, "%4.0f B", bytes);
        return;
    }
    for (int i = 0; i < 3; i++) {
        bool fits = bytes < 100.0 * 1024;
        bytes /= 1024;
        if (fits) {
            fprintf(file, "%4.1f %s", bytes, units[i]);
            return;
        }
    }
    fprintf(file, "%4.1f TB", bytes / 1024);
}

static void print_positions(const struct memtrace_site *site, FILE *file)
{
    for (size_t i = 0; i < site->position_count && i < POSITIONS_SHOWN; i++) {
        const struct memtrace_position *at = &site->positions[i];
        fprintf(file, "%s%" PRIu32 ":%" PRIu32 "-%" PRIu32, i > 0 ? ", " : "", at->line,
                at->start_char, at->end_char);
    }
    if (site->position_count > POSITIONS_SHOWN)
        fputs("...", file);
}

static void print_site(const struct memtrace_site *site, double share,
                       const struct estimate *estimate, FILE *file)
{
    print_bytes(file, estimate_bytes(estimate, (double)site->samples));
    fprintf(file, " (%4.1f%%) at %s (%s:", 100 * share, plain(site->function), plain(site->file));
    print_positions(site, file);
    fputs(")\n", file);
    if (site->caller_count > 0)
        fputs("      including:\n", file);
    for (size_t i = 0; i < site->caller_count; i++) {
        const struct memtrace_caller *caller = &site->callers[i];
        fputs("    ", file);
        print_bytes(file, estimate_bytes(estimate, (double)caller->samples));
        fprintf(file, " via %s (%.0f%% of this)\n", plain(caller->function),
                100 * ((double)caller->samples / (double)caller->total));
    }
    fputc('\n', file);
}

void memtrace_hotspots_print(const struct memtrace_hotspots *hotspots,
                             const struct heaptap_trace_info *info, FILE *file)
{
    struct estimate estimate = estimate_of(info);
    fprintf(file, "Trace for %s [%" PRId64 "]:\n   %" PRIu64 " samples of ",
            plain(info->executable), (int64_t)info->pid, hotspots->samples);
    print_bytes(file, estimate_bytes(&estimate, (double)hotspots->samples));
    fputs(" allocations\n\n", file);
    for (size_t i = 0; i < hotspots->count; i++)
        print_site(&hotspots->sites[i],
                   (double)hotspots->sites[i].samples / (double)hotspots->samples, &estimate, file);
}
