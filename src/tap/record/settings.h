/* What the environment asks of the recorder. */
#ifndef TAP_RECORD_SETTINGS_H
#define TAP_RECORD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Samples per byte where nothing else is asked for. */
#define RATE_DEFAULT (1e-5 / 8)

enum { CALLSTACK_DEFAULT = 128, CALLSTACK_MOST = 4096, BUDGET_MOST = 1000000000 };

/* Strings are borrowed from the environment that was read. */
struct settings {
    const char *trace;       /* pattern of the trace's name */
    bool followed;           /* this program was started by one that is recorded */
    double rate;             /* samples per byte, in (0, 1]; 1: every block, exactly */
    uint64_t budget;         /* blocks at which the rate, 1 at first, is halved; 0: never */
    uint32_t callstack_size; /* innermost frames kept of a stack */
    const char *context;     /* free text for the trace; "" for none */
    bool follow;             /* children go on into files of their own */
    bool guests;             /* not interpreters, of whose programs adapters record the lines */
    uint64_t duration_us;    /* of the recording; 0: no end */
    uint64_t every_us;       /* a profile of each interval of this length; 0: one of the whole */
    const char *
        keep; /* NULL: no; else heaptap takes what a profile leaves when its process is no more, from
                                this folder, or SETTING_KEEP_BESIDE */
    uint64_t max_bytes; /* of the trace file; 0: no end */
    int toggle_signal;  /* switches recording off and on again; 0: none */
    bool
        holders; /* what holds the program's blocks is looked at when it ends, and when SIGUSR1 comes */
    uint64_t
        holders_above_bytes; /* and when the process has become so large, and twice as large, ...; 0: no */
    int32_t
        holders_parent; /* SIGUSR1 is for the child of this process, and what it becomes by exec; 1: for the first program */
    uint64_t holders_every_us; /* and in such intervals; 0: no */
    bool paused;               /* recording begins when it is switched on */
};

/* False where nothing is to be recorded: because nobody asked for it, or because a setting is bad,
 * of which a line on standard error tells. */
bool settings_read(struct settings *settings, char *const *environment);

/* Whether every block is recorded, exactly. */
static inline bool settings_ask_for_all(const struct settings *settings)
{
    return settings->rate == 1 && settings->budget == 0;
}

#endif
