/* What a tool takes: a table, from which its input schema comes, and by which the arguments of a call are checked. */
#ifndef AGENT_ARGUMENTS_H
#define AGENT_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"
#include "base/text.h"

enum argument_kind {
    ARGUMENT_TEXT,
    ARGUMENT_WHOLE,   /* a whole number, from `least` to `most` */
    ARGUMENT_FLAG,    /* true or false */
    ARGUMENT_WORDS,   /* a list of texts, one at least */
    ARGUMENT_OPTIONS, /* an object of texts, numbers, true and false */
};

struct argument {
    const char *name;
    enum argument_kind kind;
    bool is_needed;
    const char *help;
    long least, most;
    /* The i-th of the words that a text may be, NULL past the end; no function: any text. */
    const char *(*word)(size_t i);
    /* What else its description has; NULL for nothing. */
    void (*describe)(struct text *text, const struct agent_options *options);
};

/* That all tools with answers of reports have. */
#define ARGUMENT_OF_FILE                                                                           \
    {                                                                                              \
        "file", ARGUMENT_TEXT, true, "A recording or profile, as `files` lists it"                 \
    }
#define ARGUMENT_OF_FILTER                                                                         \
    {                                                                                              \
        "filter", ARGUMENT_TEXT, false, "Clauses, as in `ask`"                                     \
    }
#define ARGUMENT_OF_JSON                                                                           \
    {                                                                                              \
        "json", ARGUMENT_FLAG, false, "The answer as JSON, to compute with, in place of text"      \
    }

/* A table ends with a row without a name. */
json_t *arguments_schema(const struct argument *table, const struct agent_options *options);

struct call;

/* Are they as the table says?  False with call->error.  null is as good as no argument, and is taken out. */
bool arguments_check(struct call *call, const struct argument *table);

#endif
