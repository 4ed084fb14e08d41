/* Reasons in a record of HEAPTAP_STOPPED that are the file's: its recording may have gone on to the program's end. */
#ifndef BASE_STOP_REASON_H
#define BASE_STOP_REASON_H

#include <stdbool.h>
#include <string.h>

/* Nobody has finished the trace. */
#define STOP_UNFINISHED                                                                            \
    "it is not finished: it is being written, or was when it was copied, or its program was "      \
    "killed without `heaptap record`"

/* It was made of another, some of whose blocks were left out; what they are follows. */
#define STOP_PART "it is a part: "

static inline bool stop_is_of_file(const char *reason)
{
    return strcmp(reason, STOP_UNFINISHED) == 0 ||
           strncmp(reason, STOP_PART, sizeof STOP_PART - 1) == 0;
}

#endif
