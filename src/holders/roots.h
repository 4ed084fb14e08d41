/* Which variable, thread or mapping each root of a snapshot lies in. */
#ifndef HOLDERS_ROOTS_H
#define HOLDERS_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/names.h"
#include "heaptap/trace.h"
#include "holders/graph.h"

/* What a root is called in a trace (docs/trace-format.md). */
#define ROOT_GLOBAL                                                                                \
    "global" /* a variable, or the data of a module where that is all that is known */
#define ROOT_LOCAL "thread-local" /* the same of a thread */
#define ROOT_STACK "stack"        /* of a thread */
#define ROOT_MEMORY "mapping"     /* a mapping that is no module's */
#define ROOT_REGISTRY "registry"  /* what C code keeps in Lua's registry */
#define ROOT_FUNCTION "local"     /* a variable of a function that is under way */
#define ROOT_GARBAGE "garbage"    /* nothing leads to it, and the collector has not freed it yet */
#define ROOT_LOST "lost"          /* no root leads to it */
#define ROOT_SEVERAL "several"    /* of dominators: no single root */

/* Texts are the roots'. */
struct root {
    const char *kind;
    const char *name; /* of the variable, demangled; of the thread; of the mapping; "" for none */
    const char *file; /* where a variable is declared; "" where unknown */
    uint64_t line;
    const char *module; /* path; "" for none */
};

struct roots {
    struct root *
        items; /* in the order in which they were met; the last two are ROOT_LOST and ROOT_SEVERAL */
    size_t count, capacity;
    uint32_t *of; /* by number in graph->roots: which of them */
    struct map by_text;
    struct names names;
};

/* Finds them.  `records` are the metadata of the snapshot's trace.  False when there is no memory; release it in either case. */
bool roots_find(struct roots *roots, const struct graph *graph,
                const struct heaptap_metadata *records, size_t count, const char *program);

/* The classes whose vtables constants point to: "std::runtime_error"; "" for what is none.  `names` has an item for each of the
 * constants, which are sorted.  Borrowed from the roots; false when there is no memory. */
bool roots_find_classes(struct roots *roots, const struct graph *graph,
                        const struct heaptap_metadata *records, size_t count,
                        const uint64_t *constants, size_t constant_count, const char **names);

void roots_release(struct roots *roots);

static inline bool root_is_of_stack(const struct root *root)
{
    return strcmp(root->kind, ROOT_STACK) == 0 || strcmp(root->kind, ROOT_FUNCTION) == 0;
}

static inline uint32_t roots_lost(const struct roots *roots)
{
    return (uint32_t)roots->count - 2;
}

static inline uint32_t roots_several(const struct roots *roots)
{
    return (uint32_t)roots->count - 1;
}

#endif
