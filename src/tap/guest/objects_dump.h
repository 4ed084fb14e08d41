/* The file of a snapshot of an interpreter's objects (spec/holders_dump.h): what adapters write alike, in the copy of the process. */
#ifndef TAP_GUEST_OBJECTS_DUMP_H
#define TAP_GUEST_OBJECTS_DUMP_H

#include "heaptap/guest.h"
#include "tap/guest/objects.h"
#include "tap/holders/output.h"
#include "tap/holders/scan.h"
#include "tap/holders/snapshot.h"

/* Keys and their numbers, from 1 on. */
struct numbered {
    struct address_table by_key;
    uint64_t *keys; /* by number less 1 */
    uint32_t count;
};

/* The number of a key, perhaps a new one; 0 where there is no room for it. */
uint32_t numbered_put(struct numbered *numbered, uint64_t key);

/* A root: numbers of names, 0 for none. */
struct dump_root {
    enum holders_object_root kind;
    uint32_t module; /* or function, of a local */
    uint32_t name;
    uint32_t file;
    uint32_t line;
};

/* The parts before the blocks; no names and types are numbered then.  False without memory.  The copy ends after some minutes,
 * whatever befalls it. */
bool dump_begin(struct snapshot_output *output, const struct snapshot_options *options,
                struct numbered *names, struct numbered *types);

/* The blocks of all objects, of which types become keys; and what each refers to: objects_each_edge tells it to an adapter, which calls
 * dump_edge, with a number of names. */
void dump_objects(struct snapshot_output *output, const struct object_nodes *nodes,
                  struct objects *objects, struct numbered *types);
void dump_edge(struct snapshot_output *output, uint32_t name, uint32_t object);

void dump_root(struct snapshot_output *output, const struct dump_root *root, uint32_t object);

/* After the roots: the objects that nothing leads to from these are roots of a kind, too. */
void dump_unreached(struct snapshot_output *output, const struct object_nodes *nodes,
                    enum holders_object_root kind);

/* The names, and the types: `put_name` writes a key's kind and text, `put_type` a type's text. */
void dump_names(struct snapshot_output *output, const struct numbered *names,
                const struct numbered *types, void (*put_name)(uint64_t key),
                void (*put_type)(uint64_t type));
void dump_text(struct snapshot_output *output, const char *text, size_t size);
void dump_end(struct snapshot_output *output, const struct scan_task *task);

/* ---- In the program ------------------------------------------------------------------ */

/* Whether snapshots are asked for, of this heap. */
bool guest_wants_holders(const struct heaptap_guest *heap);

/* Takes one, beside the process's trace: that of the end for number 0. */
bool guest_take_holders(struct snapshot *snapshot, const struct snapshot_options *options,
                        uint32_t number);

#endif
