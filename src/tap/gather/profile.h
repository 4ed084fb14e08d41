/* What the files of the profile writer share.
 *
 * Domains write into stores that all of them share, each at numbers that it has taken for itself a
 * run at a time, and look things up in tables of their own.  So they never wait for each other; the
 * price is that a stack which two threads have stands there twice; a file has it once (merged.c).  Frames are shared: a new one is
 * named under a lock, an old one is found without. */
#ifndef TAP_GATHER_PROFILE_H
#define TAP_GATHER_PROFILE_H

#include "heaptap/pprof.h"
#include "spec/pprof_fields.h"
#include "tap/gather/store.h"

struct growing_file;

enum { RUN = 64 }; /* numbers that a domain takes at a time */

/* A block's number: that of its group above its samples; 0 samples where these are as many as its
 * words, which is so at rate 1. */
enum { BLOCK_SAMPLE_BITS = 35, BLOCK_GROUP_BITS = 27 };

#define BLOCK_SAMPLES_MAX ((UINT64_C(1) << BLOCK_SAMPLE_BITS) - 1)

/* Times in microseconds, with samples as weights, and sums of them (struct group). */
__extension__ typedef __int128 sample_us;

enum { FRAME_UNKNOWN = 1 }; /* the frame of empty stacks; frames are numbered from 1 on */

/* A table of numbers over 0, found by hash; what they are numbers of is elsewhere.  A grown one
 * takes the place of the old one, which stays mapped for those who are still looking into it. */
struct table {
    size_t mask;
    size_t used;
    struct table *before; /* the one that it replaced */
    _Atomic uint32_t slots[];
};

/* Numbers that one domain finds by hash.  Beside each stands half of its hash: so what others are
 * numbers of is hardly ever looked at, and not at all when the index grows. */
struct index {
    size_t mask;
    size_t used;
    struct index_slot {
        uint32_t number; /* 0: free */
        uint32_t mark;   /* the lower half of the hash, where its slot is looked for first */
    } slots[];
};

/* Everything that has names.  Added to under the lock. */
struct names {
    atomic_flag lock;
    struct kept *kept;
    _Atomic(struct table *) frame_table;
    struct table *function_table, *string_table;
    struct store *frames, *lines, *functions, *strings, *text, *modules;
};

struct heaptap_pprof {
    struct kept *kept;
    struct store stores[KEPT_ARRAYS]; /* node 0 is the empty stack */
    int64_t start_us;                 /* as in `kept` */
    uint32_t max_frames;              /* likewise */
    struct growing_file *file;        /* NULL: not kept */
    int keep_failure;                 /* why not, where that was asked for: an errno */
    _Atomic uint32_t domains;         /* that there ever were */
    bool renews;                      /* any thread writes what was allocated (halve.h) */
    bool goes_on;                     /* files that are written meanwhile say so */
    bool borrowed;                    /* what is kept is in memory of somebody else's (restore.c) */
    heaptap_describe *describe;
    heaptap_pprof_locate *locate;
    void *describe_context;
    struct names names;
    char new_path[4096]; /* of the file being saved */
    char target[4096];   /* that it replaces */
};

struct heaptap_pprof_domain {
    struct heaptap_pprof *profile;
    size_t mapped_bytes;
    uint32_t next_node, node_end; /* of the run */
    uint32_t next_group, group_end;
    struct index *nodes;  /* by parent and code */
    struct index *stacks; /* the nodes at which stacks end, by all codes of the stack */
    struct index *groups; /* by node, length and halvings */
    uint32_t halvings;    /* of the rate at which the blocks are sampled that it is given */
    struct heaptap_location scratch[HEAPTAP_LOCATIONS_MAX]; /* for the describe callback */
    uint32_t depth;                                         /* of the last stack */
    bool has_gap;                                           /* it was too long */
    uint32_t path_depth; /* how many of its frames are in `path` */
    uint32_t *path;      /* [i]: the node of its first i frames; max_frames + 1 of them */
    uint64_t *hashes;    /* [i]: of its first i codes; as many */
    uint64_t codes[];    /* of it, caller first; max_frames of them, and behind them these two */
};

/* Strings that every profile has, in this order. */
enum {
    STRING_TYPES = 1, /* and the others of pprof_value_names */
    STRING_COUNT = STRING_TYPES + PPROF_VALUES,
    STRING_BYTES,
    STRING_SPACE,
    STRING_TIME_UNITS, /* and the others of pprof_time_units */
};

/* ---- gather.c ----------------------------------------------------------------------- */

/* Of each array's items. */
const uint32_t *pprof_item_bytes(void);

static inline struct node *store_node(const struct heaptap_pprof *profile, uint32_t number)
{
    return store_at(&profile->stores[KEPT_NODES], number, sizeof(struct node));
}

static inline struct group *store_group(const struct heaptap_pprof *profile, uint32_t number)
{
    return store_at(&profile->stores[KEPT_GROUPS], number, sizeof(struct group));
}

/* The group of a block, and its samples; NULL where no such block was given out. */
struct group *gather_group_of(const struct heaptap_pprof *profile, uint64_t block,
                              uint64_t *samples);

/* Counts what was allocated. */
void gather_allocated(struct heaptap_pprof *profile, struct group *group, uint64_t samples,
                      int64_t time_us);

/* So many samples live up to this time; that they have ended is not counted. */
void gather_end_lives(struct heaptap_pprof *profile, struct group *group, uint64_t samples,
                      int64_t time_us);

/* ---- stacks.c ----------------------------------------------------------------------- */

bool stacks_begin(struct heaptap_pprof_domain *domain);
void stacks_end(struct heaptap_pprof_domain *domain);

/* The group of a block's stack and size, perhaps a new one; 0 when there is no memory. */
uint32_t stacks_group(struct heaptap_pprof_domain *domain,
                      const struct heaptap_allocation *allocation);

/* The same of a node at which a stack ends. */
uint32_t stacks_group_at(struct heaptap_pprof_domain *domain, uint32_t node, uint64_t length);

/* ---- keep.c ------------------------------------------------------------------------- */

/* Puts profile->kept and what it leads to into a new file: 0, or an errno where that can't be mapped. */
int keep_begin(struct heaptap_pprof *profile, const char *path);

/* The file stays. */
void keep_end(struct heaptap_pprof *profile);

/* ---- merged.c ----------------------------------------------------------------------- */

/* The groups that were there when it began. */
struct merged {
    uint32_t groups, nodes; /* numbers below these */
    uint32_t *
        next; /* by group: the next one of its stack and size, around to itself; 0: it is not known */
};

/* False, with a zeroed struct, where no two can be of one stack and size, or there is no memory.  `path` has room for
 * max_frames. */
bool merged_begin(struct merged *merged, struct heaptap_pprof *profile, uint32_t *path);
void merged_end(struct merged *merged);

/* ---- sums.c ------------------------------------------------------------------------- */

/* What a file says of a group, in samples at the file's rate. */
struct sums {
    uint64_t allocated, live, promoted;
    double all; /* what was allocated, before samples were left out, and */
    double
        lives_us; /* how long that has lived up to now: by the weight that it has at the file's rate */
};

/* So long do those live that are left. */
double sums_lives_us(const struct sums *sums);

/* A group's sums at one moment, or nearly so, at a rate that was halved so many times, and no less
 * often than that of its own blocks.  `said`: NULL where there are no intervals. */
struct sums sums_of(const struct heaptap_pprof *profile, uint32_t number, uint32_t halvings,
                    int64_t now_us, struct said *said);

/* ---- write.c ------------------------------------------------------------------------ */

/* The whole file; 0 or an errno. */
int pprof_write_to(struct heaptap_pprof *profile, int64_t time_us, struct heaptap_sink sink);

/* ---- said.c ------------------------------------------------------------------------- */

/* Intervals: the file that is to be written is the next one; it has been. */
void pprof_saying(struct heaptap_pprof *profile, int64_t now_us);
void pprof_said(struct heaptap_pprof *profile);

/* ---- names.c ------------------------------------------------------------------------ */

/* Where the stores are. */
void names_find(struct heaptap_pprof *profile);

/* Numbers "" and the unknown frame; false when there is no memory. */
bool names_begin(struct heaptap_pprof *profile);
void names_end(struct names *names);

/* The bytes of a string, which are in one piece. */
static inline const char *names_text(const struct names *names, const struct string *string)
{
    return store_at(names->text, string->text, sizeof(struct text_unit));
}

/* A string's number; 0 for NULL, and when there is no memory.  Takes the lock. */
uint32_t names_string(struct names *names, const char *text);

/* The frame of a code, perhaps a new one; 0 when there is no memory.  `scratch` has room for
 * HEAPTAP_LOCATIONS_MAX. */
uint32_t names_frame(struct heaptap_pprof *profile, uint64_t code,
                     struct heaptap_location *scratch);

/* ---- table.c ------------------------------------------------------------------------ */

struct table *table_new(size_t slots);
void table_free(struct table *table); /* and those before it */

/* Both may be small numbers. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    a = (a * UINT64_C(0xd6e8feb86659fd93)) ^ b;
    a = (a ^ a >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 32;
}

/* A table twice as large with the numbers of `table`, each at the hash that `hash_of` gives for
 * it; NULL when there is no memory. */
struct table *table_grown(struct table *table, uint64_t (*hash_of)(void *context, uint32_t number),
                          void *context);

static inline bool table_is_full(const struct table *table)
{
    return table->used * 2 > table->mask;
}

void table_put(struct table *table, uint64_t hash, uint32_t number);

struct index *index_new(size_t slots);
void index_free(struct index *index);

/* Gives an index room for one more; false when there is no memory. */
bool index_make_room(struct index **index);

void index_put(struct index *index, uint64_t hash, uint32_t number);

#endif
