/* A client's call of a tool, from its arguments to its result. */
#ifndef AGENT_CALL_H
#define AGENT_CALL_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"
#include "agent/job.h"
#include "agent/words.h"
#include "base/error.h"

struct call {
    const struct agent_options *options;
    const struct tool *tool;
    json_t *id;           /* of the request */
    json_t *arguments;    /* an object */
    struct words command; /* what begins it wants to run: empty where it needs nothing to be run */
    long seconds;         /* that the command may take */
    struct job job;
    json_t *result; /* what it comes to, an object; NULL: `error` says why there is none */
    struct heaptap_error error;
};

/* An argument that is a text; NULL where it isn't there, or, with call->error set, is no text. */
const char *call_text(struct call *call, const char *name);

/* The same of one that has to be there: its absence is an error, too. */
const char *call_need(struct call *call, const char *name);

/* Sets call->error; false. */
__attribute__((format(printf, 2, 3))) bool call_refuse(struct call *call, const char *format, ...);

/* Adds the real path of a file below the root that an argument names.  False with call->error. */
bool call_add_file(struct call *call, const char *name);

/* Adds --filter, where the argument `filter` is there.  False with call->error. */
bool call_add_filter(struct call *call);

/* What its command said on standard output, as JSON; NULL with call->error, made of what it said on standard error. */
json_t *call_answer(struct call *call, int status);

#endif
