/* Preloaded in place of the recorder: appends what the recorder would read of its environment to
 * the file $STAND_IN_LOG, and records nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By this heaptap knows the recorder. */
__attribute__((visibility("default"))) void heaptap_recorder_test_begin(void);

void heaptap_recorder_test_begin(void)
{
}

static __attribute__((constructor)) void tell(void)
{
    const char *name = getenv("STAND_IN_LOG");
    FILE *log = name ? fopen(name, "ae") : NULL;
    if (!log)
        return;
    for (char **entry = environ; *entry; entry++)
        if (!strncmp(*entry, "HEAPTAP_", 8) || !strncmp(*entry, "MEMTRACE", 8) ||
            !strncmp(*entry, "LD_PRELOAD=", 11))
            fprintf(log, "%s\n", *entry);
    fclose(log);
}
