/* One answer being made: what it is about, and where it goes. */
#ifndef VIEWER_ANSWERING_H
#define VIEWER_ANSWERING_H

#include "export/json.h"
#include "viewer/answer.h"

struct answering {
    struct json *json;
    const struct viewer_state *state;
    const struct viewer_request *request;
    struct viewer_dataset *file;
    struct viewer_selected *selected;
    struct viewer_dataset *base;      /* to compare with; NULL for nothing */
    struct viewer_selected *compared; /* of the base */
    struct heaptap_error error;       /* for other verdicts than VIEWER_FINE */
};

static inline enum viewer_verdict answering_end(bool done)
{
    return done ? VIEWER_FINE : VIEWER_NO_MEMORY;
}

enum viewer_verdict answering_refuse(struct answering *answering, const char *message);

/* A tree, with the base's weights beside its own where there is one (answer_stacks.c). */
enum viewer_verdict answering_put_tree(struct answering *answering);

#endif
