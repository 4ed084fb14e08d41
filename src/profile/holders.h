/* What held a program's blocks when snapshots were taken, as the trace has it: ways from roots to blocks, summed up by the stacks that
 * blocks were allocated by. */
#ifndef PROFILE_HOLDERS_H
#define PROFILE_HOLDERS_H

#include "heaptap/trace.h"
#include "profile/model.h"

#define HOLDERS_NONE UINT32_MAX

enum holders_root_kind {
    HOLDERS_GLOBAL,  /* a variable; the data of a module where no more is known */
    HOLDERS_LOCAL,   /* a thread's own variable */
    HOLDERS_STACK,   /* a thread's */
    HOLDERS_MEMORY,  /* a mapping that is no module's */
    HOLDERS_GARBAGE, /* none, and the collector has not freed it yet */
    HOLDERS_LOST,    /* none */
    HOLDERS_SEVERAL, /* of dominators: no single one */
};

/* Texts are the model's. */
struct holders_root {
    enum holders_root_kind kind;
    const char *kind_name; /* "thread-local" */
    const char *name;      /* of the variable, thread or mapping; "" for none */
    const char *file;      /* where the variable is declared; "" for none */
    uint64_t line;
    const char *module; /* path; "" for none */
    uint64_t
        shared_bytes; /* of the blocks to which the shortest way is from here, those that other roots lead to as well */
    uint32_t
        shared_with; /* index of the root that leads to most of these; HOLDERS_NONE: none, or unknown */
};

/* A way from a root: a step further than the one that comes before it. */
struct holders_way {
    uint32_t parent; /* HOLDERS_NONE: of a root */
    uint32_t root;   /* index */
    uint32_t
        stack; /* of its blocks: number in the model's trie; HOLDERS_NONE where it isn't known, and of roots */
    uint32_t
        offset; /* bytes from the start of the block before, where these are the same for all; else HOLDERS_NONE */
    const char
        *class_name; /* of its blocks, by their vtable, or of objects, by their type; "" for none */
    const char *
        name; /* of objects, that by which the one before holds them: ".orders", "['apples']"; "" for none, or several */
    uint64_t blocks, bytes; /* that end here; where blocks are sampled, estimates */
    uint64_t left_bytes;    /* of these, what is left as the trace ends */
    uint64_t samples;       /* that these are made of */
};

/* A way comes behind the one before it. */
struct holders_ways {
    struct holders_way *items;
    size_t count, capacity;
};

struct holders_snapshot {
    struct holders_root *roots;
    size_t root_count, root_capacity;
    struct holders_ways paths;     /* the shortest to each block */
    struct holders_ways dominated; /* of each block, what all ways from roots lead through */
    const char *cause;             /* "end", "signal", ... (spec/holders_records.h) */
    bool knows_left;               /* left_bytes were told; older recorders don't */
    bool is_last;                  /* it was taken when the program ended */
    uint64_t time_us;              /* since the trace's start; 0 of traces that don't say it */
    uint64_t still_us;             /* how long the program stood still */
    uint64_t processor_us;         /* of the process that looked */
};

struct model_holders {
    struct holders_snapshot *snapshots; /* in the order in which they were taken */
    size_t count, capacity;
};

/* Takes them from the records of a reader, whose frames the model has.  False when there is no memory. */
bool holders_take(struct model *model, const struct heaptap_reader *reader);

/* Accepts NULL. */
void holders_free(struct model_holders *holders);

#endif
