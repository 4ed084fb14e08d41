/* A client's call of a tool, from its arguments to its result. */
#ifndef AGENT_CALL_H
#define AGENT_CALL_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"
#include "agent/job.h"
#include "agent/words.h"
#include "base/error.h"

/* The commands that a call runs, one after the other: a recording, then a report on it as text, and where JSON is asked for, once
 * more as that, which is cut by the size of the text. */
enum call_step { CALL_RUN, CALL_TEXT, CALL_JSON, CALL_DONE };

struct call {
    const struct agent_options *options;
    const struct tool *tool;
    json_t *id;        /* of the request */
    json_t *arguments; /* an object that the tool's table allows */
    enum call_step step;
    struct words command; /* of this step: empty where it needs nothing to be run */
    long seconds;         /* that the command may take */
    struct job job;
    json_t *token; /* of the client for notifications of progress; NULL: it wants none */
    int64_t started_ms, told_ms;

    char *file;                 /* that is being made, or was; NULL for none */
    struct text text;           /* what it comes to, for people and models */
    size_t text_budget;         /* bytes that this may have */
    json_t *result;             /* the same as an object, of a call that asks for JSON; else NULL */
    struct heaptap_error error; /* not HEAPTAP_OK: why it comes to nothing */
};

/* An argument that is a text; NULL where it isn't there. */
const char *call_text(const struct call *call, const char *name);

/* Is JSON asked for? */
bool call_wants_json(const struct call *call);

/* Sets call->error; false. */
__attribute__((format(printf, 2, 3))) bool call_refuse(struct call *call, const char *format, ...);

/* Begins the step's command with heaptap, the words of a command of it, and --json where the step is of that. */
void call_command(struct call *call, const char *words);

/* Adds --filter, where that argument is there, and what ends the options: what follows are no options, whatever they look like. */
void call_end_options(struct call *call);

/* Adds the real path of a file below the root.  False with call->error. */
bool call_add_file(struct call *call, const char *name);

/* The command as a person would type it in a shell, below the root; to be freed. */
char *call_command_text(const struct call *call);

/* Did the step's command fail?  Then call->error says why, by what it said on standard error. */
bool call_failed(struct call *call, int status);

/* Into call->error: the last sentence that the command said of itself, without its name: "heaptap top: there is no ..." */
void call_take_warning(struct call *call);

/* Adds lines of a text that is data: quoted, in plain form, long ones cut.  What is beyond the budget is counted. */
void call_quote(struct call *call, const char *bytes, size_t size);

__attribute__((format(printf, 2, 3))) void call_say(struct call *call, const char *format, ...);

#endif
