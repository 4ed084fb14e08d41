/* What the server says of itself: the versions of the protocol, what a client is told first, and the tools. */
#ifndef AGENT_ABOUT_H
#define AGENT_ABOUT_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"

/* What versions of the protocol have; a sum. */
enum about_trait {
    ABOUT_OUTPUT_SCHEMAS = 1, /* and structured content */
    ABOUT_PROGRESS_MESSAGES = 2,
    ABOUT_BATCHES = 4, /* arrays of messages */
};

struct about_version {
    const char *name;
    unsigned traits; /* of enum about_trait */
};

/* The version of that name, or where there is none, the newest. */
const struct about_version *about_version(const char *name);

static inline bool about_has(const struct about_version *version, enum about_trait trait)
{
    return version->traits & trait;
}

/* Results of `initialize` and `tools/list`; new. */
json_t *about_server(const struct agent_options *options, const struct about_version *version);
json_t *about_tools(const struct agent_options *options, const struct about_version *version);

#endif
