/* Causes: rules of languages, rows that look at the evidence of one origin and say what its blocks are, and what helps in that
 * language.  A file has one language's rows; the first that applies to an origin is its cause.  Another language is
 * another such file, and a row in `tables` of advice_causes.c.
 *
 * What a row promises is what its remedy saves: each has a pair of programs at least, tests/programs/advice/LANGUAGE/NAME/before and after,
 * which tests/cli/advice-shapes.sh records with all compilers at hand. */
#ifndef REPORT_ADVICE_CAUSE_H
#define REPORT_ADVICE_CAUSE_H

#include "report/sites/evidence.h"

/* What the evidence must have; nothing is asked where a member is 0. */
struct advice_needs {
    /* One of several, ended by NULL: */
    const char *const *calls;   /* functions of a library that the place calls */
    const char *const *applied; /* OCaml: functions, by their names in the stack or in the text */
    const char *const *begins;  /* OCaml: words that the expression begins with */
    const char *const *code;    /* words that stand in the line */
    const char *const *types;   /* of a guest language: types of the blocks */
    unsigned words_least,
        words_most; /* nearly all blocks have so many words, OCaml's header left out */
    bool
        is_young; /* 80 % of the bytes die at once: in OCaml without being promoted, else within a short life */
};

/* What a remedy has less of. */
enum advice_measure {
    MEASURE_ALLOCATED,
    MEASURE_LIVE,     /* at the end */
    MEASURE_OVERHEAD, /* what the allocator takes for each block beside its bytes, and no bytes */
    ADVICE_MEASURES
};

struct advice_example {
    const char *before, *after; /* a line each */
};

struct advice_cause {
    const char *name;      /* "boxed-integers" */
    const char *title;     /* what it is: "Boxed integers" */
    const char *condition; /* when it applies: what follows, in words */
    struct advice_needs needs;
    bool (*applies)(const struct evidence *evidence); /* what it needs besides; NULL: nothing */
    double (*keeps)(
        const struct evidence *evidence); /* bytes that the remedy still allocates; NULL: none */
    const char *remedy;                   /* what helps; a sentence or two */
    const char *before, *after;           /* an example: the two lines */
    const struct advice_example *(*example)(
        const struct evidence *evidence); /* one that is nearer to the evidence; NULL: these two */
    const char *verify;                   /* how to see that it has helped; NULL: by comparing */
    enum advice_measure measure;          /* in which it saves */
    bool is_growth;                       /* it is also why what is alive grows */
    bool spares_replaced; /* blocks that others replace: known by the pairs that samples show */
    bool
        spares_slack; /* also what is never used of the blocks that it keeps, of which it is only known that it is half of them at most */
    bool spares_overhead; /* also what the allocator takes for each block beside its bytes */
    bool
        reads_line; /* chosen by what stands in the line: of several calls there it may be another */
    bool yields;    /* to any other cause of the same place */
    bool
        names_caller; /* where a constructor or clone() allocates, or OCaml's functor, the line to change is that of its caller */
};

/* Of each place the blocks of one cause must be this part of all bytes, or there is no advice. */
#define ADVICE_LEAST_SHARE 0.05

/* Each ended by a row without a name. */
extern const struct advice_cause advice_ocaml_library[], advice_ocaml_numbers[],
    advice_ocaml_values[], advice_cpp_library[], advice_cpp_blocks[], advice_python_values[],
    advice_python_lists[], advice_lua[];

/* What glibc's malloc takes for a block of so many bytes beyond these. */
double advice_header_bytes(double size);

/* How to see that its remedy has helped; a sentence. */
const char *advice_verify(const struct advice_cause *cause);

/* The i-th of all of them; NULL past the end. */
const struct advice_cause *advice_cause_at(size_t i);

#endif
