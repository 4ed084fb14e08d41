/* The view in a terminal: the cards of the summary, the lines that the chosen one is about, and on request the callers and the source
 * of one.  All of it are answers of reports: summary, hotspots, tree --callers and list. */
#ifndef CLI_TERMINAL_TERMINAL_H
#define CLI_TERMINAL_TERMINAL_H

#include "page/answer.h"

struct terminal_view {
    struct viewer_state *state; /* what is shown */
    /* Reads again what has grown; true where something has.  It says how long to wait until the next time. */
    bool (*follow)(void *context, int *wait_ms);
    void *context;
};

/* Until the user ends it.  False with a sentence. */
bool terminal_run(const struct terminal_view *view, struct heaptap_error *error);

#endif
