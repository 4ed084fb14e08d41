/* How fast the reader is alone:   read_trace FILE [file|true] [stacks|skip] */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "heaptap/trace.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    struct heaptap_reader_options options = {
        .order = argc > 2 && strcmp(argv[2], "true") == 0 ? HEAPTAP_TRUE_ORDER : HEAPTAP_FILE_ORDER,
        .skip_stacks = argc > 3 && strcmp(argv[3], "skip") == 0,
    };
    struct heaptap_reader *reader;
    struct heaptap_event event;
    struct heaptap_error error;
    double events = 0, start = now();
    if (argc < 2 || heaptap_reader_open(&reader, argv[1], &options, &error) != HEAPTAP_OK) {
        fprintf(stderr, "read_trace: %s\n", argc < 2 ? "which trace?" : error.message);
        return 1;
    }
    while (heaptap_reader_next(reader, &event, &error) == HEAPTAP_OK)
        events++;
    double seconds = now() - start, bytes = (double)heaptap_reader_notes(reader)->bytes;
    printf("%.0f events, %.3f s, %.0f MB/s, %.1f ns an event\n", events, seconds,
           bytes / seconds / 1e6, seconds / events * 1e9);
    heaptap_reader_close(reader);
    return 0;
}
