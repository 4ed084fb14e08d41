/* The model: one profile in memory, of whatever kind it was recorded, as all reports read it.
 *
 * What is in it
 *
 *   frames    A code of the program (an address, usually), with its module and its lines: function,
 *             file and line, the outermost of inlined functions first.  All strings are interned:
 *             equal texts are one pointer.
 *   stacks    A trie of frames (profile/stack_trie.h), callers first.  A stack is a number, and
 *             values by stack are plain arrays.
 *   objects   Of a trace: one row a sampled block, in the order of their birth: its stack, its
 *             shape, when it was born, promoted and died.  A model made for one question may hold
 *             blocks that have ended in rows of many (profile/folded_rows.h).
 *   samples   Of a file that tells values by stack only (pprof and its kin): one row a stack and
 * set of labels, with a value of each type that the file has.
 *
 * A model has objects or samples, never both: `kind` tells.  A report that needs times or sizes of
 * single blocks asks for MODEL_OBJECTS.
 *
 * Shapes.  Blocks of equal size, samples, source and domain share a shape, so that a row is 20
 * bytes (24 in a trace that knows promotions, more in runs of hours: profile/wide_column.h), and a filter looks at each shape once, not at each
 * block.
 *
 * From a model to a report
 *
 *   model + filter (profile/filter.h) -> matcher (profile/matcher.h): which rows, and from when to
 *       when they count;
 *   matcher -> selection (profile/selection.h): a tally by stack, with what the filter leaves of
 * the stacks.  Call trees, tops and graphs read nothing else; matcher -> series (profile/series.h):
 * live bytes and allocation over time.
 *
 * A new filter is a new matcher on the same model: nothing is read again.
 *
 * Values are estimates as in profile/estimate.h; times are microseconds since the start of the
 * trace and never step back: where the recorder's clock did, the time stands still.  A model keeps
 * nothing of the reader it was made from.  That of a file of samples also has what the file says of
 * itself, and, as long as it is read, merged or written, its samples as a list
 * (profile/profile_file.h). */
#ifndef PROFILE_MODEL_H
#define PROFILE_MODEL_H

#include "base/names.h"
#include "profile/estimate.h"
#include "profile/peak.h"
#include "profile/stack_trie.h"
#include "profile/symbols.h"
#include "profile/wide_column.h"
#include "profile/wrapper_set.h"

#define MODEL_NONE UINT32_MAX
#define MODEL_NEVER INT64_MAX /* a time: it didn't happen until the end */

enum model_kind {
    MODEL_OBJECTS, /* a trace: blocks with their times, or only their sums by stack */
    MODEL_SAMPLES, /* values by stack */
};

struct model_module {
    const char *path;
    const char *build_id;                                  /* lower-case hexadecimal; "" for none */
    uint64_t start, size;                                  /* in memory */
    uint64_t epoch;                                        /* of the codes in it (base/code.h) */
    uint64_t file_offset;                                  /* of the byte at `start` */
    bool has_functions, has_files, has_lines, has_inlines; /* as a profile says of its places */
    bool is_program; /* of several profiles as one: the program of one of them */
};

/* A test that the program ran (heaptap/test.h). */
struct model_test {
    const char *name, *limits; /* limits: as the file has them, not checked */
    int64_t begin_us, end_us;  /* as in struct heaptap_metadata */
};

struct model_frame {
    uint64_t code;       /* an address, or what else the file numbers places by */
    uint32_t module;     /* index, or MODEL_NONE */
    uint32_t first_line; /* index into lines */
    uint32_t line_count; /* 0 where nothing is known */
    uint32_t type;       /* index into types: what the frame, as the innermost of a stack, says of
                            the block; else MODEL_NONE */
    bool is_folded;      /* as a profile says: of several identical functions it may be any */
};

struct model_domain {    /* or thread */
    const char *name;    /* "" where it has none */
    uint64_t thread;     /* kernel's number; 0 where it isn't known */
    const char *program; /* path of its process's program; "" where it isn't known */
    uint64_t pid;        /* of its process */
    int64_t exit_us; /* MODEL_NEVER; of several processes: when it ended, where others went on */
    uint64_t exit_births; /* blocks born until then; UINT64_MAX for never */
};

struct model_process { /* of several that are read as one */
    const char
        *program; /* its path; "" where it isn't known; NULL where there was no memory for it */
    uint32_t first_domain;    /* its domains are those up to the next one's */
    int64_t begin_us, end_us; /* of its run; MODEL_NEVER for an end that is not known */
};

/* ---- Objects ------------------------------------------------------------------------ */

struct model_shape {
    uint64_t words;      /* of the block, without the header */
    uint64_t samples;    /* at least 1 */
    uint64_t first_half; /* of them, those of the first half (profile/peak.h) */
    double density; /* samples / (words + header): times 1 / lambda, the blocks it stands for */
    uint16_t domain;
    uint8_t source;    /* enum heaptap_source */
    uint32_t next;     /* another of the same hash, or MODEL_NONE */
    uint64_t count;    /* objects of this shape */
    uint64_t live;     /* of them, alive at the end */
    uint64_t promoted; /* of them, promoted */
};

/* Columns: all of `count` rows, in order of birth; folded ones in that of the earliest of their blocks. */
struct model_objects {
    size_t count, capacity;
    uint32_t *stack;
    uint32_t *shape;
    struct wide_column born_us;
    struct wide_column died_us;     /* none for those alive at the end, be it their process's */
    struct wide_column promoted_us; /* none for those that were not; no rows where no block was */
    struct wide_column birth; /* blocks born before it; no rows where that is the row's number */
    struct wide_column end;   /* those born before its end; none for those alive at the end */
    uint16_t *end_domain;     /* that on which it ended; NULL where all ended on their own */
    uint64_t first_birth;     /* the number of the first row, where `birth` has no rows */
    uint32_t *blocks; /* how many it stands for (profile/folded_rows.h); NULL where each is one */
    double *lived_us; /* of ended blocks, the sum of their lives; NULL likewise */
};

/* One row, put together. */
struct model_object {
    uint32_t stack;
    const struct model_shape *shape;
    int64_t born_us, promoted_us, died_us;
};

/* ---- Samples ------------------------------------------------------------------------ */

struct model_value_type {
    const char *name; /* "alloc_space" */
    const char *unit; /* "bytes" */
};

struct model_label {
    const char *key;
    const char *text; /* NULL for a number */
    int64_t number;
    const char *unit; /* "" for none */
};

/* Labels that stand together; set 0 is empty. */
struct model_label_set {
    uint32_t first, count; /* in labels */
    uint32_t next;         /* another of the same hash, or MODEL_NONE */
};

struct model_samples {
    size_t count, capacity, value_capacity;
    uint32_t *stack;
    uint32_t *labels; /* number of a set */
    int64_t *values;  /* value_types.count a row */
    struct model_value_type *types;
    size_t type_count, type_capacity;
    size_t default_type;
    bool is_cut; /* a value is the largest or smallest number there is (base/saturate.h) */
    struct model_label_set *sets;
    size_t set_count, set_capacity;
    struct model_label *label;
    size_t label_count, label_capacity;
    struct map sets_by_hash;
    struct map rows; /* by stack and set of labels: the row */
};

/* ---- The whole ---------------------------------------------------------------------- */

struct growth;
struct lives;
struct profile_file;
struct model_holders;
struct stack_tally;

struct model {
    enum model_kind kind;
    struct heaptap_trace_info info; /* of a trace; else the start, if known, and rate 1 */
    bool is_guest;     /* its blocks are an interpreter's objects, whose types are known */
    bool is_collected; /* its blocks die when a garbage collector finds them, which may be late */
    double
        thinned; /* one sample in so many of the file's is here, chosen at random; 1 for all.  Its rate allows for it */
    struct estimate estimate;
    struct names names; /* all strings */
    struct model_module *modules;
    size_t module_count, module_capacity;
    struct model_frame *frames;
    size_t frame_count, frame_capacity;
    struct heaptap_location *lines; /* strings never NULL */
    size_t line_count, line_capacity;
    struct stack_trie trie;
    struct model_domain *domains; /* by number */
    size_t domain_count, domain_capacity;
    double
        memory_limit; /* bytes: the most that its process could have, as it was recorded; 0 where that is not known */
    const char *memory_limit_of;     /* "cgroup", "address-space", "machine" */
    bool asked_holders;              /* a recording was to look through what blocks are held */
    bool has_exits;                  /* some process ended before the run */
    struct model_process *processes; /* in the order of their domains */
    size_t process_count,
        process_capacity; /* traces that were read as one; 0 where it was a single one */
    const char **types;   /* of a guest language: an allocation's is told by its innermost frame */
    size_t type_count, type_capacity;
    struct model_test *tests; /* in the order in which they ended */
    size_t test_count, test_capacity;
    struct model_holders *
        holders; /* what holds its blocks (profile/holders.h); owned; NULL where that was not recorded */

    struct model_shape *shapes;
    size_t shape_count, shape_capacity;
    struct map shapes_by_hash;
    struct model_objects objects;
    int64_t end_us; /* of the run: as of run_end_us */
    struct peak peak;
    struct growth
        *growth; /* of folded rows that were asked for lives (profile/growth.h); owned; else NULL */
    struct lives *
        lives; /* likewise (profile/lives.h): of blocks that have ended, by stack; owned; else NULL */

    struct stack_tally *
        sums; /* by stack, of all that was allocated, where nothing else will be asked (model_read_sums): then there
                                 are no shapes, objects and times; else NULL */

    struct model_samples samples;
    struct profile_file *
        file; /* of a file of samples, what it says besides (profile/profile_file.h); owned; else NULL */

    struct wrappers wrappers; /* of allocators, by what all of it comes through */
    struct map
        moved_lines; /* of a difference by line (report/change/difference.h): lines that have moved -> their numbers in the base */
    struct names gone_files; /* of the same: the files of lines that only the base has */

    const char *
        suppressed; /* what the file wants left out as known leaks, as a regular expression; NULL for nothing */
    size_t suppression_count; /* patterns in that */
};

/* NULL when there is no memory. */
struct model *model_new(enum model_kind kind);
void model_free(struct model *model);

/* A time of a column: MODEL_NEVER, the largest, where it has none. */
static inline int64_t model_time(const struct wide_column *times, size_t row)
{
    return (int64_t)(wide_column_get(times, row) & INT64_MAX);
}

static inline int64_t model_row_born_us(const struct model *model, size_t row)
{
    return model_time(&model->objects.born_us, row);
}

/* MODEL_NEVER for a block alive at the end, be it its process's. */
static inline int64_t model_row_died_us(const struct model *model, size_t row)
{
    return model_time(&model->objects.died_us, row);
}

/* Was any block promoted? */
static inline bool model_has_promotions(const struct model *model)
{
    return model->objects.promoted_us.low;
}

static inline int64_t model_row_promoted_us(const struct model *model, size_t row)
{
    return model_has_promotions(model) ? model_time(&model->objects.promoted_us, row) : MODEL_NEVER;
}

static inline struct model_object model_object(const struct model *model, size_t row)
{
    return (struct model_object){
        .stack = model->objects.stack[row],
        .shape = &model->shapes[model->objects.shape[row]],
        .born_us = model_row_born_us(model, row),
        .promoted_us = model_row_promoted_us(model, row),
        .died_us = model_row_died_us(model, row),
    };
}

/* A short life: a hundredth of the run, a second at most. */
static inline int64_t model_short_life_us(const struct model *model)
{
    return model->end_us / 100 < 1000000 ? model->end_us / 100 : 1000000;
}

static inline uint64_t model_row_birth(const struct model *model, size_t row)
{
    const struct model_objects *objects = &model->objects;
    return objects->birth.low ? wide_column_get(&objects->birth, row) : objects->first_birth + row;
}

/* The domain of a row's block, where its process has ended with it alive; NULL for any other. */
static inline const struct model_domain *model_row_exit(const struct model *model, size_t row)
{
    if (!model->has_exits || model_row_died_us(model, row) != MODEL_NEVER)
        return NULL;
    return &model->domains[model->shapes[model->objects.shape[row]].domain];
}

/* Blocks born before its end; UINT64_MAX for never. */
static inline uint64_t model_row_end(const struct model *model, size_t row)
{
    const struct model_domain *exit = model_row_exit(model, row);
    return exit ? exit->exit_births : wide_column_get(&model->objects.end, row);
}

/* The domain on which a block ended. */
static inline uint32_t model_row_end_domain(const struct model *model, size_t row)
{
    const struct model_objects *objects = &model->objects;
    return objects->end_domain ? objects->end_domain[row]
                               : model->shapes[objects->shape[row]].domain;
}

/* How many blocks a row stands for. */
static inline uint32_t model_row_blocks(const struct model *model, size_t row)
{
    return model->objects.blocks ? model->objects.blocks[row] : 1;
}

/* The type of a stack's blocks, for which its innermost frame stands; MODEL_NONE for none. */
static inline uint32_t model_stack_type(const struct model *model, uint32_t stack)
{
    uint32_t node = model->trie.ends[stack];
    return node == STACK_ROOT ? MODEL_NONE : model->frames[model->trie.nodes[node].frame].type;
}

/* Of the halves of a block's samples, which: bits 1 << half. */
enum { MODEL_BOTH_HALVES = 3 };

static inline uint64_t model_shape_samples(const struct model_shape *shape, unsigned halves)
{
    return halves == MODEL_BOTH_HALVES ? shape->samples
           : halves == 1               ? shape->first_half
           : halves == 2               ? shape->samples - shape->first_half
                                       : 0;
}

/* Of the block itself. */
static inline uint64_t model_shape_seen_words(const struct model *model,
                                              const struct model_shape *shape)
{
    return estimate_seen_words(&model->estimate, shape->words, (enum heaptap_source)shape->source);
}

/* Their share of its density. */
static inline double model_shape_density(const struct model_shape *shape, unsigned halves)
{
    return halves == MODEL_BOTH_HALVES
               ? shape->density
               : shape->density * (double)model_shape_samples(shape, halves) /
                     (double)shape->samples;
}

/* Of the samples of some halves, the sum of squares of their weights as density. */
static inline double model_shape_squares(const struct model_shape *shape, unsigned halves)
{
    return model_shape_density(shape, halves) * shape->density / (double)shape->samples;
}

/* Which halves of what lives so long are alive at the peak. */
static inline unsigned model_halves_at_peak(const struct model *model, const struct peak_life *life)
{
    unsigned halves = 0;
    for (int half = 0; half < PEAK_HALVES; half++)
        halves |= (unsigned)peak_holds(&model->peak, half, life) << half;
    return halves;
}

static inline double model_shape_bytes(const struct model *model, const struct model_shape *shape)
{
    return (double)shape->words * model->estimate.word_bytes;
}

/* The byte after its last. */
static inline uint64_t model_module_limit(const struct model_module *module)
{
    return module->start + module->size;
}

static inline void model_module_set_named(struct model_module *module)
{
    module->has_functions = module->has_files = module->has_lines = module->has_inlines = true;
}

/* The frames, as reports ask for them. */
struct frame_source model_frames(const struct model *model);

/* frame_source.tells_codes. */
static inline bool model_tells_codes(const struct model *model)
{
    return model->kind == MODEL_OBJECTS && model->info.word_bits == 8;
}

/* The module that is the program itself: in a trace the one of its path, in a profile the first, by
 * pprof's rule.  NULL where the file names none.  Borrowed from the model. */
const struct model_module *model_program(const struct model *model);

/* Its path, or its file's name without folders, also where no module is the program; "" for none.  Borrowed. */
const char *model_program_path(const struct model *model);
const char *model_program_name(const struct model *model);

/* Of several processes the paths of their programs, by number: some more than once, "" for none at that number; NULL after the last
 * one.  Borrowed. */
const char *model_program_of(const struct model *model, size_t number);

/* ---- Building: what all kinds share --------------------------------------------------
 *
 * Numbers returned are MODEL_NONE, and truths false, when there is no memory. */

/* The model's copy of a text; NULL when there is no memory. */
const char *model_text(struct model *model, const char *text);

/* Texts are copied. */
uint32_t model_add_module(struct model *model, const struct model_module *module);

/* The same of a record of a trace, of kind HEAPTAP_MODULE. */
uint32_t model_take_module(struct model *model, const struct heaptap_metadata *record);

/* The module that holds a code; MODEL_NONE for none. */
uint32_t model_module_of(const struct model *model, uint64_t code);

/* A frame of its own number; locations (outermost first) are copied. */
uint32_t model_add_frame(struct model *model, uint64_t code, uint32_t module,
                         const struct heaptap_location *locations, size_t count);

/* Adds a copy of the line to those of a frame, callers first: of the frame that last got one, or of one that has none. */
bool model_add_line(struct model *model, uint32_t frame, const struct heaptap_location *line);

/* Gives a frame copies of these lines in place of its own, and says of its module that it has names. */
bool model_name_frame(struct model *model, uint32_t frame, const struct heaptap_location *lines,
                      size_t count);

/* A type of a guest language, for which the frame stands where it is the innermost; MODEL_NONE for no frame.  False when
 * there is no memory. */
bool model_add_type(struct model *model, uint32_t frame, const char *name);

/* The number of a stack, perhaps a new one. */
uint32_t model_stack(struct model *model, const uint32_t *frames, size_t count,
                     enum heaptap_stack_direction direction);

/* Finds wrappers of allocators, once all stacks and what comes by them are there.  False when there is no memory. */
bool model_find_wrappers(struct model *model);

/* ---- Building: samples --------------------------------------------------------------- */

/* To be called for each type before the first sample. */
bool model_add_value_type(struct model *model, const char *name, const char *unit);

/* The number of a set of labels, perhaps a new one; texts are copied. */
uint32_t model_label_set(struct model *model, const struct model_label *labels, size_t count);

/* One value for each type.  Samples of one stack and set of labels are added up; those of nothing
 * but zeros are left out. */
bool model_add_sample(struct model *model, uint32_t stack, uint32_t label_set,
                      const int64_t *values);

/* No sample will be added any more: frees what only adding needs, and finds wrappers.  False when there is no memory. */
bool model_samples_end(struct model *model);

/* Turns values into the units that figures are compared in and held to: sizes into bytes, times into nanoseconds
 * (base/unit_names.h); those of other units stay.  What leaves the range is cut: is_cut.  False when there is no memory. */
bool model_to_base_units(struct model *model);

/* The index of the type of a name; -1 for none. */
long model_find_value_type(const struct model *model, const char *name);

#endif
