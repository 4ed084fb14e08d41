/* The tools that a client may call.
 *
 * One is a row here: what it is for, what it takes, and two functions.  `begin` looks at the arguments, and either puts a
 * command together or has the result at once; `finish` makes the result of what the command said. */
#ifndef AGENT_TOOL_H
#define AGENT_TOOL_H

#include "agent/call.h"

struct tool {
    const char *name;
    const char *title;
    const char *description;
    json_t *(*schema)(
        const struct agent_options *options); /* of its arguments: a new JSON schema */
    bool is_writing;                          /* it makes files or runs programs */
    /* False with call->error. */
    bool (*begin)(struct call *call);
    /* Sets call->result, or call->error. */
    void (*finish)(struct call *call, int status);
};

/* NULL past the end. */
const struct tool *tool_at(size_t number);

/* NULL where there is none, or the options don't allow it. */
const struct tool *tool_find(const char *name, const struct agent_options *options);

/* Is it there, with these options? */
bool tool_is_allowed(const struct tool *tool, const struct agent_options *options);

/* Each tool's row, in a file of its own: tool_<name>.c */
extern const struct tool tool_files, tool_ask, tool_compare, tool_source, tool_expect, tool_record;

/* For their schemas: {"type": "object", "properties": {...}, "required": [...]}; `required` is a list of names with spaces
 * between.  Takes over `properties`. */
json_t *tool_schema(json_t *properties, const char *required);

/* {"type": type, "description": description} */
json_t *tool_property(const char *type, const char *description);

/* The result of an answer, which it takes over: the answer cut to the budget, with the command that gives it and what could
 * be asked next, an array that may be NULL. */
json_t *tool_result(struct call *call, json_t *answer, json_t *next);

#endif
