/* Points of interest: allocation sites to which a rule applies, with the figures that say so.
 *
 * General rules look at figures alone; their conditions stand in advice.c and, as text, in advice_text.c.  Causes
 * (report/advice/cause.h) know the language, the library functions that allocate, and the source line; where one says
 * why 30 % of a site's bytes are allocated or more, general rules that would say less of the same blocks are silent. */
#ifndef REPORT_ADVICE_RULES_H
#define REPORT_ADVICE_RULES_H

#include "report/advice/cause.h"
#include "report/sites/fates.h"

enum advice_rule {
    ADVICE_DOMINANT,      /* allocates much of everything */
    ADVICE_SHORT_LIVED,   /* much, and dead at once */
    ADVICE_DOUBLING,      /* blocks that replace smaller ones, growing by a factor */
    ADVICE_SMALL_STEPS,   /* the same, growing by little each time */
    ADVICE_MANY_SMALL,    /* many small blocks of one size */
    ADVICE_GROWING,       /* leaks or grows, by its verdict */
    ADVICE_PEAK,          /* holds much of the peak */
    ADVICE_PROMOTED_DEAD, /* promoted, and dead soon after */
    ADVICE_RULES
};

/* So much of the slack that there can be is taken to be there.  Where half of the last block can be slack, and the blocks before it have as
 * much as it, saved_bytes then errs by a fifth of the truth at most. */
#define ADVICE_SLACK_TAKEN 0.4

struct advice {
    enum advice_rule rule;            /* where there is no cause */
    const struct advice_cause *cause; /* NULL for a general rule */
    const struct site *site;          /* whose figures they are; borrowed from the sites */
    struct symbol symbol;             /* the place to change: the site's, or its caller's */
    double share;              /* of the whole that the rule is about; advice is ranked by it */
    const struct fates *fates; /* borrowed: all verdicts */
    double part; /* of the site's own bytes or objects that show what the rule is about */

    /* Of a cause. */
    double bytes, objects; /* in blocks that it explains */
    double saved_bytes;    /* of them, what its remedy spares */
    double slack_bytes;    /* of a cause that spares slack: as much of it as there can be */
    double overhead_bytes; /* of a cause that spares it: what the allocator takes beside them */
    double paired_bytes,
        gone_bytes; /* of a cause of pairs: replaced, as seen; and what doesn't stay */
    struct symbol
        place; /* by which they are added up: `symbol` is of the origin with the most of them */
    double most_bytes;           /* and so many these are */
    const struct origin *origin; /* that one; borrowed from the sites */
    struct advice_example example;
    struct report_type
        type; /* of C++: what each of its blocks is, by the debug information; no name where that is not known */
    bool is_guess;    /* its cause was chosen by the text of a line with several calls */
    const char *line; /* the source line, borrowed from the sources; "" where it is not at hand */
};

/* What applies, causes before general rules, of each the greatest share first; `*advice` is the caller's to free.  The verdicts' sites have origins; `sources` may be
 * NULL.  False when there is no memory. */
bool advice_find(const struct fates *fates, const struct evidence_sources *sources,
                 struct advice **advice, size_t *count);

/* The i-th rule of all, general or not: its name and when it applies.  False past the end. */
bool advice_rule_at(size_t i, const char **name, const char **condition);

const char *advice_name(const struct advice *advice); /* "short-lived" */
const char *advice_condition(const struct advice *advice);

enum { ADVICE_TEXT_BYTES = 500 };

/* What it is, with figures, and what to do about it; one or two sentences each. */
const char *advice_title(const struct advice *advice);
const char *advice_evidence(char *text, const struct advice *advice, const struct sites *sites);
const char *advice_remedy(const struct advice *advice, const struct sites *sites);

/* What to do about blocks of a site that stay, by the snapshot of what holds them; NULL where there is none. */
const char *advice_of_left(const struct sites *sites, const struct site *site);

/* On how many samples the figures of its rule rest; of exact recordings, bytes. */
uint64_t advice_samples(const struct advice *advice, const struct sites *sites);

/* Bounds of saved_bytes: those of an estimate, or the number itself.  Of pairs: what was seen to be replaced, and all that doesn't
 * stay, each with the bounds of an estimate.  Of slack: without any, and with as much as there can be. */
struct estimate_range advice_saved_range(const struct advice *advice, const struct sites *sites);

/* Are they apart? */
bool advice_saved_has_range(const struct advice *advice, const struct sites *sites);

/* Bounds of bytes. */
struct estimate_range advice_bytes_range(const struct advice *advice, const struct sites *sites);

enum { ADVICE_SAVED_BYTES = 160 };

/* "up to 2.3 MB (2.2 MB to 2.4 MB), and about 78 kB that malloc takes besides"; with NULL for the sites, no more than "up to 2.3 MB". */
const char *advice_saved_text(char text[ADVICE_SAVED_BYTES], const struct advice *advice,
                              const struct sites *sites);

/* "up to", or where the remedy spares blocks that others replace, "about": how sure it is that it saves saved_bytes. */
const char *advice_saves_how(const struct advice *advice);

/* Blocks that belong to no line of the program: a guest's interpreter's own, Python's imports, and what the library of C++ keeps for
 * exceptions. */
bool advice_is_nowhere(const struct site *site);

/* Python's imports: what a module is made of is there once it is imported, and stays.  The sites have origins. */
bool advice_is_import(const struct sites *sites, const struct site *site);

/* What usually helps in OCaml, by general rule; NULL where the general remedy does. */
extern const char *const advice_of_ocaml[ADVICE_RULES];

/* ---- Parts of advice_find ------------------------------------------------------------ */

struct advice_list {
    struct advice *items;
    size_t count, capacity;
};

/* Of symbols whose texts are interned. */
bool advice_is_same_place(const struct symbol *a, const struct symbol *b);

/* Adds what causes explain.  False when there is no memory. */
bool advice_add_causes(struct advice_list *list, const struct fates *fates,
                       const struct evidence_sources *sources);

#endif
