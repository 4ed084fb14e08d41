/* Through what a model's blocks are held, by allocation site and by root, as a filter leaves them.  The filter chooses blocks by their
 * stacks; what they are held through is told in any case. */
#ifndef REPORT_HOLDERS_HOLDER_SITES_H
#define REPORT_HOLDERS_HOLDER_SITES_H

#include "profile/holders.h"
#include "profile/selection.h"

/* The place of blocks that the trace doesn't have: in sampled recordings, those that others are held through. */
#define HOLDERS_NOT_RECORDED "<not sampled>"

/* A way from a root to blocks: a step of it.  Ways of stacks that have one site are one. */
struct holder_step {
    uint32_t parent; /* index into steps, which it is behind; HOLDERS_NONE: of a root */
    uint32_t root;   /* index into the snapshot's roots */
    uint32_t site;   /* index into sites; HOLDERS_NONE: of a root */
    uint32_t
        stack; /* of the model, one that comes here; HOLDERS_NONE of a root, or where it isn't known */
    uint32_t offset; /* as in struct holders_way */
    const char *
        type; /* of its blocks: their class, by the vtable, or what holder_type_of says; NULL where neither tells */
    const char *name;       /* as in struct holders_way */
    uint32_t depth;         /* blocks that it leads through, the last among them */
    uint64_t blocks, bytes; /* that end here and pass the filter */
    uint64_t left_bytes;    /* of these, what is left as the trace ends */
    uint64_t samples;       /* that these are made of */
};

struct holder_site {
    uint32_t symbol; /* in symbols */
    uint64_t blocks, bytes, samples;
    uint64_t lost_blocks, lost_bytes, lost_samples; /* of these, what no root leads to */
    uint64_t retained_bytes; /* these, and what is held through one of them alone, of any site */
};

struct holder_root_sum {
    uint64_t blocks, bytes,
        samples;             /* that pass the filter, to which the shortest way is from here */
    uint64_t retained_bytes; /* held by nothing else, of any site */
};

struct holder_sites {
    const struct holders_snapshot *snapshot; /* borrowed with the model */
    struct symbols symbols;
    struct holder_step *steps;
    size_t step_count, step_capacity;
    struct holder_site *sites;
    size_t site_count, site_capacity;
    struct holder_root_sum *roots; /* by index of the snapshot's roots */
    struct holder_site whole;
};

/* Of a snapshot of the matcher's model.  False when there is no memory; release it in either case. */
bool holder_sites_init(struct holder_sites *sites, const struct holders_snapshot *snapshot,
                       const struct matcher *matcher, const struct selection *selection,
                       enum symbol_grain grain);
void holder_sites_release(struct holder_sites *sites);

/* What a stack's blocks are, as far as the functions that allocate them tell: "std::map node"; NULL where they don't. */
const char *holder_type_of(const struct model *model, uint32_t stack);

#endif
