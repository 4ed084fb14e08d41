/* The objects that a program's modules lead to, numbered, with what each refers to.  Only in a copy of the process: objects are given
 * dictionaries that they had put off, and the collector is switched off. */
#ifndef TAP_GUEST_PYTHON_OBJECTS_H
#define TAP_GUEST_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/holders_dump.h"
#include "tap/guest/objects.h"

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
    struct object_nodes nodes;
    const struct objects_functions *functions;
    struct address_table
        variables; /* dictionaries of modules: their values are roots, and held by nothing else */
    struct address_table attributes; /* blocks that have values of attributes */

    /* While edges are told. */
    void (*tell)(struct objects *objects, uint64_t to, const char *name, enum holders_name kind);
};

/* Numbers all.  False without memory. */
bool objects_number(struct objects *objects, const struct objects_functions *functions,
                    const struct blocks *blocks);

/* Tells the variables of all modules. */
void objects_each_variable(struct objects *objects,
                           void (*tell)(struct objects *objects, const char *module,
                                        const char *name, uint64_t value));

#endif
