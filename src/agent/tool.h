/* The tools that a client may call.
 *
 * One is a row here: what it is for, the table of what it takes, the tables that its answer is made of, and functions.  `begin`
 * puts together the command of the call's step, or has the result at once; `finish` makes of what the command said the
 * result, or the next step. */
#ifndef AGENT_TOOL_H
#define AGENT_TOOL_H

#include "agent/arguments.h"
#include "agent/call.h"
#include "answer/answer.h"

struct tool {
    const char *name;
    const char *title;
    const char *description;
    const struct argument *arguments;
    const char *answer; /* the report whose tables its answer in JSON has; NULL: any, or none */
    size_t most;        /* bytes of its text; 0: the budget */
    bool is_writing;    /* it makes files and runs programs */
    bool runs;          /* if it has a `command`, a call begins with CALL_RUN */
    /* False with call->error. */
    bool (*begin)(struct call *call);
    /* Sets call->step, and with CALL_DONE the text and result; or call->error.  NULL: nothing is run. */
    void (*finish)(struct call *call, int status);
    /* Which report a call asks for; NULL: no other questions follow. */
    const char *(*report)(const struct call *call);
};

/* NULL past the end. */
const struct tool *tool_at(size_t number);

/* Is it called as profiles are, in which there are no single blocks? */
bool tool_files_is_profile(const char *name);

/* NULL where there is none, or the options don't allow it. */
const struct tool *tool_find(const char *name, const struct agent_options *options);

/* Is it there, with these options? */
bool tool_is_allowed(const struct tool *tool, const struct agent_options *options);

/* JSON schemas of what it takes, and of its result.  New. */
json_t *tool_input_schema(const struct tool *tool, const struct agent_options *options);
json_t *tool_output_schema(const struct tool *tool);

/* Each tool's row, in a file of its own: tool_<name>.c */
extern const struct tool tool_diagnose, tool_files, tool_ask, tool_compare, tool_source,
    tool_expect, tool_record;

#endif
