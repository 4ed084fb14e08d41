/* Causes: rules of languages, rows that look at the evidence of one origin and say what its blocks are, and what helps in that
 * language.  A file has one language's rows; the first that applies to an origin is its cause.  Another language is
 * another such file, and a row in `tables` of advice_causes.c. */
#ifndef ANALYZE_ADVICE_CAUSE_H
#define ANALYZE_ADVICE_CAUSE_H

#include "analyze/evidence.h"

struct advice_cause {
    const char *name;      /* "boxed-integers" */
    const char *title;     /* what it is: "Boxed integers" */
    const char *condition; /* when it applies */
    bool (*applies)(const struct evidence *evidence);
    double (*saved)(
        const struct evidence *evidence); /* bytes that the remedy spares; NULL: all of them */
    const char *remedy;                   /* what helps; a sentence or two */
    const char *before, *after;           /* an example: the two lines */
    const char *verify;                   /* how to see that it has helped; a sentence */
    bool is_growth;                       /* it is also why what is alive grows */
    bool yields;                          /* to any other cause of the same place */
};

/* Of each place the blocks of one cause must be this part of all bytes, or there is no advice. */
#define ADVICE_LEAST_SHARE 0.05

/* Each ended by a row without a name. */
extern const struct advice_cause advice_ocaml[], advice_cpp[], advice_python[], advice_lua[];

/* How most are verified: by comparing. */
extern const char advice_verify[];

/* The i-th of all of them; NULL past the end. */
const struct advice_cause *advice_cause_at(size_t i);

#endif
