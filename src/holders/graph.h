/* The graph of a snapshot (spec/holders_dump.h): blocks, which of them hold the address of which, and the roots. */
#ifndef HOLDERS_GRAPH_H
#define HOLDERS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

#define GRAPH_NONE UINT32_MAX
#define GRAPH_NO_ID UINT64_MAX

struct graph_block {
    uint64_t
        id; /* in the trace; GRAPH_NO_ID: that doesn't have it, so that it only leads to others */
    uint64_t address;
    double
        bytes; /* that the program may use: at first by the allocator, then what it stands for in the trace */
    uint64_t samples; /* that it has in the trace; 0 where that doesn't have it */
    double weight;    /* blocks that it stands for */
    uint64_t first;   /* its first word, where that points to constants of a module; else 0 */
    bool has_ended;   /* the trace has its end, too: it was freed after the snapshot */
    uint32_t stack; /* of its allocation: number in whoever's trie has them; GRAPH_NONE for none */
};

/* Of what an interpreter's objects are called by. */
struct graph_name {
    uint64_t address; /* of a type, by which these are sorted; else 0 */
    char *text;       /* ".orders", "['apples']"; "shop" of a module */
};

struct graph_edge {
    uint32_t to; /* the block */
    uint32_t
        offset; /* of the word that holds its address, in the block that this edge is of; of objects, the number of the name, 0 for none */
};

/* A word outside of blocks. */
struct graph_root {
    uint64_t address;
    uint32_t block;              /* that it points into */
    uint32_t thread;             /* number in threads, and 1; 0: none */
    uint8_t kind;                /* enum holders_segment; of objects, enum holders_object_root */
    uint32_t module, name, file; /* of objects: numbers of names, 0 for none */
    uint32_t line;
};

/* What a function of a thread has on the stack, up to where the next frame's begins. */
struct graph_frame {
    uint64_t slot; /* behind which it begins */
    uint64_t pc;   /* its return address */
};

struct graph_thread {
    struct graph_frame *frames; /* the innermost first */
    size_t frame_count, frame_capacity;
    uint64_t id, pointer; /* pointer: 0 where it isn't known */
    char name[17];
};

struct graph {
    struct graph_block *blocks; /* by address */
    uint32_t count;
    struct graph_edge *edges; /* by the block that holds */
    size_t *first_edge;       /* of each block; count + 1 of them */
    size_t edge_count, edge_capacity;
    struct graph_root *roots; /* by address */
    size_t root_count, root_capacity;
    struct graph_thread *threads;
    size_t thread_count;
    uint8_t cause;    /* of the snapshot: enum holders_cause */
    uint64_t time_us; /* since the trace's start */
    bool
        is_of_objects; /* an interpreter's: blocks are in any order, and `first` is the object's type */
    struct graph_name *names; /* by number less 1 */
    uint32_t name_count;
    struct graph_name *types; /* by address */
    uint32_t type_count;
    char *maps;        /* of the process, as the kernel writes them */
    uint64_t still_us; /* how long the program stood still */
    uint64_t processor_us;
};

/* HEAPTAP_BAD_INPUT where the snapshot was cut short, or is none.  To be released in every case. */
enum heaptap_status graph_read(struct graph *graph, int fd,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void graph_release(struct graph *graph);

/* Of an interpreter's objects: by number, "" for none; and of a type. */
const char *graph_name(const struct graph *graph, uint32_t number);
const char *graph_type_name(const struct graph *graph, uint64_t address);

#endif
