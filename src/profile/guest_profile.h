/* What an interpreter's heaps allocated, by stack and type: a model of values (profile/model.h), and what is known of its rows
 * besides.  Frames of the model are places and, at the end of each stack, types, as in traces of guest languages; its
 * values are alloc_objects, alloc_space, inuse_objects and inuse_space.  So filters and other reports read it like any
 * profile; `heaptap memtracer` reads the rows as well.
 *
 * Numbers of blocks are doubles: whole below 2^53 where every block was recorded, estimates where
 * blocks were drawn. */
#ifndef PROFILE_GUEST_PROFILE_H
#define PROFILE_GUEST_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "profile/filter.h"
#include "profile/model.h"

/* A place in the guest program; equal names are one pointer. */
struct guest_site {
    const char *file;     /* NULL: not known */
    const char *function; /* NULL: none, or not known */
    uint32_t line;        /* 0: none */
};

struct guest_tally {
    double allocated; /* blocks */
    double bytes;     /* of these, and of those that were resized here */
    double samples; /* drawn, on which the others rest; all bytes where every block was recorded */
    double start_allocated, start_bytes; /* of these two, those of the interpreter's start */
    double resized;                      /* blocks that came by being resized here */
    double left;                         /* blocks that were resized away */
    double freed;                        /* blocks that ended */
    double live;                         /* blocks that are left */
    double live_bytes;                   /* of these */
    double peak_bytes;     /* the most that were live at a time; of several tallies, their sum */
    double promoted;       /* blocks that left the nursery */
    double promoted_bytes; /* of these */
    double temporary;      /* of those that ended, the short-lived ones */
    double age_sum;        /* of ended blocks: bytes allocated during their lives */
    double live_age_sum;   /* of live blocks: the same so far */
};

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from);

struct guest_profile_row {
    uint32_t node;  /* of the model's trie: where the blocks come from; STACK_ROOT: not known */
    uint32_t type;  /* in the model's types; 0: not known */
    uint32_t stack; /* of the model: the place and the type */
    uint32_t heap;  /* in heaps */
    struct guest_tally tally;
};

/* One heap; a process has one or more. */
struct guest_heap {
    const char *language;
    double rate;      /* samples a byte; 1: every block */
    double allocated; /* blocks, counted apart from the rows */
    double clock;     /* bytes allocated */
    double live_bytes, peak_bytes;
    double start_live_bytes; /* alive when the interpreter had started, and the program began */
    double unknown_frees;
    double collections;
    double before_blocks, before_bytes;
    double lost_samples;
    bool stopped;
};

/* One process. */
struct guest_profile {
    uint64_t pid, parent_pid;
    int64_t start_us;
    bool forked; /* it began as a copy of its parent */
    bool stacks; /* whole stacks are known, and not only their last sites */
    bool fast;   /* lines may be approximate */
    const char *script, *executable, *trace; /* NULL: not known, none */

    struct guest_heap *heaps;
    size_t heap_count, heap_capacity;
    struct model *model;
    uint32_t *type_frames; /* of the model's types */
    size_t type_frame_capacity;
    struct guest_profile_row *rows;
    size_t row_count, row_capacity;
    const char **notes;
    size_t note_count, note_capacity;
    bool *stack_passes; /* by stack of the model: does a filter let it through?  NULL: all pass */
    struct map by_site; /* hash -> frame; see guest_profile_site */
};

/* Zeroed storage is to be initialised; false when there is no memory. */
bool guest_profile_init(struct guest_profile *profile);
void guest_profile_release(struct guest_profile *profile);

/* Numbers, made where there are none yet; UINT32_MAX when there is no memory.  Names that are
 * empty are not known.  A site is a frame of the model, 0 where nothing is known of it. */
uint32_t guest_profile_site(struct guest_profile *profile, const char *file, const char *function,
                            uint32_t line);
uint32_t guest_profile_type(struct guest_profile *profile, const char *name);

/* The node of a place that is called at the node `parent`; likewise. */
static inline uint32_t guest_profile_node(struct guest_profile *profile, uint32_t parent,
                                          uint32_t site)
{
    return stack_trie_child(&profile->model->trie, parent, site);
}

/* Adds a row; false when there is no memory. */
bool guest_profile_add_row(struct guest_profile *profile, uint32_t node, uint32_t type,
                           uint32_t heap, const struct guest_tally *tally);

/* Lets only rows pass whose stacks the filter lets through; its clauses are on frames and types (guest_profile_is_clause).
 * False when there is no memory. */
bool guest_profile_filter(struct guest_profile *profile, const struct filter *filter);

static inline bool guest_profile_is_clause(const struct filter_clause *clause)
{
    return clause->word == FILTER_FOCUS || clause->word == FILTER_IGNORE ||
           clause->word == FILTER_TYPE;
}

/* The one copy of a text; NULL for an empty one, or without memory. */
const char *guest_profile_name(struct guest_profile *profile, const char *text);

/* ---- What the numbers stand for ------------------------------------------------------ */

struct guest_site guest_profile_place(const struct guest_profile *profile, uint32_t site);

/* NULL: not known. */
static inline const char *guest_profile_type_name(const struct guest_profile *profile,
                                                  uint32_t type)
{
    return type > 0 ? profile->model->types[type] : NULL;
}

/* The site at which a stack ends, and its caller: a node, STACK_ROOT for none. */
static inline uint32_t guest_profile_site_at(const struct guest_profile *profile, uint32_t node)
{
    return node == STACK_ROOT ? 0 : profile->model->trie.nodes[node].frame;
}

static inline uint32_t guest_profile_caller(const struct guest_profile *profile, uint32_t node)
{
    return profile->model->trie.nodes[node].parent;
}

#endif
