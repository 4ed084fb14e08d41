#include "tap/guest/python/objects.h"

#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/weak_words.h"

enum {
    TYPE_TRAVERSE = 184,
    TYPE_DICT = 264,
    DICT_USED = 16,
    DICT_VALUES = 40,
    DICT_BYTES = 48,
    NAMED_KEYS_MOST = 64, /* of a dictionary with more keys these are data, and no names */
};

#define TYPE_IS_DICT ((uint64_t)1 << 29)

typedef int visit_function(const void *object, void *context);
typedef int traverse_function(const void *object, visit_function *visit, void *context);

bool objects_find_functions(struct objects_functions *functions)
{
    return weak_words_find() && python_find_symbol(&functions->dict_next, "PyDict_Next") &&
           python_find_symbol(&functions->modules, "PyImport_GetModuleDict") &&
           python_find_symbol(&functions->own_dict, "_PyObject_GetDictPtr") &&
           python_find_symbol(&functions->is_collected, "PyObject_IS_GC") &&
           python_find_symbol(&functions->collector_off, "PyGC_Disable") &&
           python_find_symbol(&functions->tuple_type, "PyTuple_Type");
}

/* ---- Nodes --------------------------------------------------------------------------- */

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static const char *object_at(uint64_t address)
{
    return (const char *)(uintptr_t)address;
}

static uint64_t flags_of(const char *type)
{
    return python_word(type, TYPE_FLAGS);
}

static uint64_t block_of(const struct objects *objects, const char *object)
{
    uint64_t address = address_of(object);
    if (!objects->functions->is_collected(object))
        return address;
    bool has_more = flags_of(python_pointer(object, OBJECT_TYPE)) & python.layout.preheader;
    return address - COLLECTOR_HEAD - (has_more ? PREHEADER : 0);
}

const struct block_slot *objects_block(const struct objects *objects, uint32_t number,
                                       uint64_t *address)
{
    uint64_t node = objects->nodes.items[number];
    *address = node & NODE_IS_BLOCK ? node - NODE_IS_BLOCK : block_of(objects, object_at(node));
    return object_nodes_slot(&objects->nodes, *address);
}

const char *objects_type(const struct objects *objects, uint32_t number)
{
    uint64_t node = objects->nodes.items[number];
    return node & NODE_IS_BLOCK ? NULL : python_pointer(object_at(node), OBJECT_TYPE);
}

/* ---- Edges --------------------------------------------------------------------------- */

static void tell_items(struct objects *objects, const void *dict, enum holders_name kind)
{
    const void *key, *value;
    ptrdiff_t at = 0;
    bool is_named = kind != HOLDERS_NAME_KEY || python_word(dict, DICT_USED) <= NAMED_KEYS_MOST;
    while (objects->functions->dict_next(dict, &at, &key, &value)) {
        objects->tell(objects, address_of(value), is_named ? key : NULL, kind);
        objects->tell(objects, address_of(key), NULL, HOLDERS_NAME_PLAIN);
    }
}

static bool is_dict(const void *object)
{
    return object && flags_of(python_pointer(object, OBJECT_TYPE)) & TYPE_IS_DICT;
}

static void tell_names(struct objects *objects, const char *object, const char *type)
{
    const void **own = NULL;
    if (is_dict(object)) {
        tell_items(objects, object, HOLDERS_NAME_KEY);
    } else if (flags_of(type) & TYPE_OF_TYPES) {
        if (flags_of(object) & TYPE_IS_HEAP_TYPE && is_dict(python_pointer(object, TYPE_DICT)))
            tell_items(objects, python_pointer(object, TYPE_DICT), HOLDERS_NAME_ATTRIBUTE);
    } else if ((own = objects->functions->own_dict(object)) && is_dict(*own)) {
        tell_items(objects, *own, HOLDERS_NAME_ATTRIBUTE);
    }
}

static int visit(const void *object, void *context)
{
    struct objects *objects = context;
    objects->tell(objects, address_of(object), NULL, HOLDERS_NAME_PLAIN);
    return 0;
}

/* The block that a word points to, or that begins a little before, as values of attributes do; 0 for none. */
static uint64_t block_at(const struct objects *objects, uint64_t word)
{
    enum { BEFORE_MOST = 32 };
    for (uint64_t at = word & ~(uint64_t)15; word - at <= BEFORE_MOST + 15; at -= 16) {
        const struct block_slot *slot = object_nodes_slot(&objects->nodes, at);
        if (slot)
            return word - at < note_bytes(slot->note) ? at : 0;
    }
    return 0;
}

/* Whether it is that of an object which has a number. */
static bool has_object(const struct objects *objects, uint64_t block)
{
    for (uint64_t head = 0; head <= COLLECTOR_HEAD + PREHEADER; head += 16) {
        uint32_t number = object_nodes_find(&objects->nodes, block + head);
        if (number != UINT32_MAX && !(objects->nodes.items[number] & NODE_IS_BLOCK))
            return true;
    }
    return false;
}

/* Of code, names and constants are objects that the collector doesn't ask it for. */
static bool is_of_code(const struct objects *objects, uint64_t word, uint64_t block)
{
    if ((word - block) % 16 != 0 || word - block > COLLECTOR_HEAD + PREHEADER)
        return false;
    const char *type = python_pointer(object_at(word), OBJECT_TYPE);
    return type == objects->functions->tuple_type || type == python.string_type ||
           type == python.bytes_type || type == python.code_type;
}

static void tell_block(struct objects *objects, uint64_t word, uint64_t block)
{
    if (is_of_code(objects, word, block))
        objects->tell(objects, word, NULL, HOLDERS_NAME_PLAIN);
    else if (objects->nodes.reached && !has_object(objects, block) &&
             !weak_words_points_aside(word, block))
        objects->tell(objects, block | NODE_IS_BLOCK, NULL, HOLDERS_NAME_PLAIN);
}

/* Does an object's word lead to where values of attributes lie?  Such a block has objects alone, behind words of another use of the
 * memory, which the interpreter hasn't overwritten. */
static bool leads_to_attributes(uint64_t object, int64_t offset)
{
    return offset < -COLLECTOR_HEAD || (offset == DICT_VALUES && is_dict(object_at(object)));
}

static void note_attributes(struct objects *objects, uint64_t block)
{
    if (!address_table_find(&objects->attributes, block) &&
        !address_table_add(&objects->attributes, block, 1))
        objects->nodes.failed = true;
}

/* Blocks that belong to the object and are none themselves: a list's items, the table of a dictionary.  A dictionary that the copy has
 * made, of an object's attributes, is not recorded, but what it has is. */
static void tell_blocks(struct objects *objects, uint32_t number)
{
    uint64_t start, node = objects->nodes.items[number];
    const struct block_slot *slot = objects_block(objects, number, &start);
    const struct weak_words weak = weak_words_of(objects_type(objects, number));
    uint64_t bytes = slot ? note_bytes(slot->note) : 0;
    if (!slot && is_dict(object_at(node))) {
        start = node;
        bytes = DICT_BYTES;
    }
    for (uint64_t at = start; at + sizeof(uint64_t) <= start + bytes; at += sizeof(uint64_t)) {
        uint64_t word = python_word(object_at(at), 0), block = block_at(objects, word);
        int64_t offset = (int64_t)(at - node);
        if (!block || block == start || weak_words_has(&weak, offset))
            continue;
        if (leads_to_attributes(node, offset))
            note_attributes(objects, block);
        tell_block(objects, word, block);
    }
}

/* A block that is no object may be linked to others: those of a deque, an ordered dictionary's nodes. */
static void tell_linked(struct objects *objects, uint32_t number)
{
    uint64_t start;
    const struct block_slot *slot = objects_block(objects, number, &start);
    uint64_t bytes = slot ? note_bytes(slot->note) : 0;
    if (address_table_find(&objects->attributes, start))
        return;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t word = python_word(object_at(start), at);
        if (word != start && object_nodes_slot(&objects->nodes, word) &&
            !has_object(objects, word) && !weak_words_points_aside(word, word))
            objects->tell(objects, word | NODE_IS_BLOCK, NULL, HOLDERS_NAME_PLAIN);
    }
}

/* A module, or the dictionary of its variables, which each of its functions refers to. */
static bool is_of_module(const struct objects *objects, const char *object)
{
    const void **own = is_dict(object) ? NULL : objects->functions->own_dict(object);
    const void *dict = own ? *own : object;
    return dict && address_table_find(&objects->variables, address_of(dict));
}

static void tell_all_blocks(struct objects *objects, uint32_t number)
{
    uint64_t node = objects->nodes.items[number];
    if (node & NODE_IS_BLOCK)
        tell_linked(objects, number);
    else if (!is_of_module(objects, object_at(node)))
        tell_blocks(objects, number);
}

void objects_each_edge(struct objects *objects, uint32_t number)
{
    uint64_t node = objects->nodes.items[number];
    const char *object = object_at(node), *type = objects_type(objects, number);
    traverse_function *traverse;
    if (node & NODE_IS_BLOCK) {
        if (number < objects->nodes.reached)
            tell_linked(objects, number);
        return;
    }
    if (is_of_module(objects, object))
        return;
    tell_names(objects, object, type);
    if (objects->functions->is_collected(object)) {
        const char *found = python_pointer(type, TYPE_TRAVERSE);
        memcpy(&traverse, &found, sizeof traverse);
        if (traverse)
            traverse(object, visit, objects);
    }
    tell_blocks(objects, number);
}

/* ---- Roots --------------------------------------------------------------------------- */

void objects_each_variable(struct objects *objects,
                           void (*tell)(struct objects *objects, const char *module,
                                        const char *name, uint64_t value))
{
    const void *modules = objects->functions->modules(), *name, *module, *key, *value;
    ptrdiff_t at = 0;
    while (is_dict(modules) && objects->functions->dict_next(modules, &at, &name, &module)) {
        const void **variables = objects->functions->own_dict(module);
        ptrdiff_t place = 0;
        while (variables && is_dict(*variables) &&
               objects->functions->dict_next(*variables, &place, &key, &value))
            tell(objects, name, key, address_of(value));
    }
}

static void add_variable(struct objects *objects, const char *module, const char *name,
                         uint64_t value)
{
    object_nodes_add(&objects->nodes, value);
}

static void find_modules(struct objects *objects)
{
    const void *modules = objects->functions->modules(), *name, *module;
    ptrdiff_t at = 0;
    while (is_dict(modules) && objects->functions->dict_next(modules, &at, &name, &module)) {
        const void **own = objects->functions->own_dict(module);
        if (own && is_dict(*own) && !address_table_find(&objects->variables, address_of(*own)) &&
            !address_table_add(&objects->variables, address_of(*own), 1))
            objects->nodes.failed = true;
    }
}

static void add_edge(struct objects *objects, uint64_t to, const char *name, enum holders_name kind)
{
    object_nodes_add(&objects->nodes, to);
}

static void add_others(struct objects *objects)
{
    uint64_t address = 0;
    objects->nodes.reached = objects->nodes.count;
    for (; blocks_next(objects->nodes.blocks, &address, (uint64_t)1 << 47); address += 16)
        if (!has_object(objects, address))
            object_nodes_add(&objects->nodes, address | NODE_IS_BLOCK);
}

/* What is pointed to besides objects is none, which is known when all objects are. */
bool objects_number(struct objects *objects, const struct objects_functions *functions,
                    const struct blocks *blocks)
{
    *objects = (struct objects){.functions = functions, .tell = add_edge};
    if (!object_nodes_init(&objects->nodes, blocks))
        return false;
    functions->collector_off();
    find_modules(objects);
    objects_each_variable(objects, add_variable);
    for (uint32_t number = 0; number < objects->nodes.count; number++)
        objects_each_edge(objects, number);
    objects->nodes.reached = UINT32_MAX;
    for (uint32_t number = 0; number < objects->nodes.count; number++)
        tell_all_blocks(objects, number);
    add_others(objects);
    return !objects->nodes.failed;
}
