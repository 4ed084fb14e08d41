/* heaptap dump: every event as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/trace_input.h"

int cmd_dump(int argc, char **argv)
{
    struct trace_input input;
    struct heaptap_event event;
    if (!trace_input_open(&input, argv[1], NULL))
        return input.exit_status;
    while (trace_input_next(&input, &event)) {
        printf("%010lld ", (long long)event.time_us);
        if (event.kind != HEAPTAP_ALLOC) {
            printf("%010llu %s\n", (unsigned long long)event.id,
                   event.kind == HEAPTAP_PROMOTE ? "promote" : "collect");
            continue;
        }
        static const char *const sources[] = {"alloc", "alloc_major", "alloc_ext"};
        printf("%010llu %s %llu len=%llu dom=%u % 4lld:", (unsigned long long)event.id,
               sources[event.source], (unsigned long long)event.samples,
               (unsigned long long)event.length, event.domain, (long long)event.common_prefix);
        for (uint32_t i = 0; i < event.stack_length; i++) {
            size_t count;
            const struct heaptap_location *l =
                heaptap_reader_frame_locations(input.reader, event.stack[i], &count);
            if (count == 0)
                printf(" $%lld",
                       (long long)heaptap_reader_frame_code(input.reader, event.stack[i]));
            for (size_t k = 0; k < count; k++)
                printf(" %s@%s:%u:%u-%u", l[k].function, l[k].file, l[k].line, l[k].start_char,
                       l[k].end_char);
        }
        putchar('\n');
    }
    trace_input_close(&input);
    return input.exit_status;
}
