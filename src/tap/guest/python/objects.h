/* The objects that a program's modules lead to, numbered, with what each refers to.  Only in a copy of the process: objects are given
 * dictionaries that they had put off, and the collector is switched off. */
#ifndef TAP_GUEST_PYTHON_OBJECTS_H
#define TAP_GUEST_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/holders_dump.h"
#include "tap/guest/python/table.h"
#include "tap/guest/blocks.h"

/* Functions of the interpreter that are needed besides (interpreter.h). */
struct objects_functions {
    int (*dict_next)(const void *dict, ptrdiff_t *at, const void **key, const void **value);
    const void *(*modules)(void);
    const void **(*own_dict)(const void *object);
    int (*is_collected)(const void *object);
    int (*collector_off)(void);
    const char *tuple_type;
};

/* False where this interpreter lacks one. */
bool objects_find_functions(struct objects_functions *functions);

struct objects {
    const struct objects_functions *functions;
    const struct blocks *blocks; /* that are recorded */
    struct address_table
        variables; /* dictionaries of modules: their values are roots, and held by nothing else */
    struct address_table
        numbers; /* of objects, and of blocks that are none, such as a list's items: their numbers */
    uint64_t *nodes; /* addresses by number; the lowest bit stands for a block that is no object */
    uint32_t count;
    uint32_t reached; /* numbers from here on are of blocks that no module leads to */
    bool failed;      /* there is no memory */

    /* While edges are told. */
    void (*tell)(struct objects *objects, uint64_t to, const char *name, enum holders_name kind);
    void *context;
};

/* Numbers all.  False without memory. */
bool objects_number(struct objects *objects, const struct objects_functions *functions,
                    const struct blocks *blocks);

/* UINT32_MAX for what has none. */
uint32_t objects_find(const struct objects *objects, uint64_t address);

/* Tells what an object refers to: `name`, a string object, is NULL where the reference has none. */
void objects_each_edge(struct objects *objects, uint32_t number);

/* Tells the variables of all modules: `context` of `tell` is the module's name then. */
void objects_each_variable(struct objects *objects,
                           void (*tell)(struct objects *objects, const char *module,
                                        const char *name, uint64_t value));

/* The address of a node's block, and its slot; NULL where that is not recorded. */
const struct block_slot *objects_block(const struct objects *objects, uint32_t number,
                                       uint64_t *address);

/* The type of an object; NULL for a block that is none. */
const char *objects_type(const struct objects *objects, uint32_t number);

#endif
