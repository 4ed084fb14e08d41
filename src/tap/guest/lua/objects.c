#include "tap/guest/lua/objects.h"

#include <string.h>

#include "tap/guest/state.h"

enum {
    NAMED_BITS =
        6, /* of a table with more entries than this many bits number, keys are data, and no names */
    WEAK_KEYS = 1,
    WEAK_VALUES = 2,
};

static const char an_item[] = "[]", no_name[] = "";

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static const void *object_at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static int kind_at(uint64_t node)
{
    return ((const struct lua_table *)object_at(node))->tt & VALUE_KIND;
}

/* ---- Nodes --------------------------------------------------------------------------- */

static uint64_t block_of(uint64_t object, int kind)
{
    return kind == KIND_THREAD ? object - THREAD_MARGIN : object;
}

const struct block_slot *objects_block(const struct objects *objects, uint32_t number,
                                       uint64_t *address)
{
    uint64_t node = objects->nodes.items[number];
    *address = node & NODE_IS_BLOCK ? node - NODE_IS_BLOCK : block_of(node, kind_at(node));
    return object_nodes_slot(&objects->nodes, *address);
}

bool objects_is_known(const struct objects *objects, const struct lua_value *value)
{
    int kind = value->type & VALUE_KIND;
    const struct block_slot *slot =
        object_nodes_slot(&objects->nodes, block_of(address_of(value->is.object), kind));
    const struct report *report = &objects->heap->guest.state->report;
    return slot && report->rows[note_row(slot->note)].type == objects->heap->types[kind];
}

/* ---- Tables -------------------------------------------------------------------------- */

static uint32_t array_size(const struct lua_table *table)
{
    uint32_t size = table->limit;
    if (table->flags & TABLE_LIMIT_IS_LESS && size & (size - 1))
        size = (uint32_t)1 << (32 - __builtin_clz(size));
    return size;
}

static uint64_t node_count(const struct lua_table *table)
{
    return (uint64_t)1 << table->node_bits;
}

static bool is_collected(uint8_t type)
{
    return type & VALUE_COLLECTED;
}

static bool is_string(uint8_t type)
{
    return is_collected(type) && (type & VALUE_KIND) == LUA_TYPE_STRING;
}

static const char *key_text(const struct lua_node *node)
{
    return is_string(node->key_type) ? ((const struct lua_string *)node->key)->text : NULL;
}

/* What a table has at a name; NULL for nothing. */
static const struct lua_node *node_at(const struct lua_table *table, const char *name)
{
    for (uint64_t i = 0; table && i < node_count(table); i++) {
        const char *text = key_text(&table->nodes[i]);
        if (text && strcmp(text, name) == 0)
            return &table->nodes[i];
    }
    return NULL;
}

static const char *string_at(const struct lua_table *table, const char *name)
{
    const struct lua_node *node = node_at(table, name);
    return node && is_string(node->type) ? ((const struct lua_string *)node->value)->text : NULL;
}

static unsigned weakness_of(const struct lua_table *table)
{
    const char *mode = string_at(table->metatable, "__mode");
    return !mode ? 0 : (strchr(mode, 'k') ? WEAK_KEYS : 0) | (strchr(mode, 'v') ? WEAK_VALUES : 0);
}

/* Strings are values, which no table has weakly. */
static bool holds_key(const struct objects *objects, const struct lua_node *node)
{
    return !is_collected(node->key_type) || is_string(node->key_type) ||
           object_nodes_find(&objects->nodes, address_of(node->key)) < objects->nodes.reached;
}

static void tell_value(struct objects *objects, const struct lua_value *value, const char *name,
                       enum holders_name kind)
{
    if (is_collected(value->type))
        objects->tell(objects, address_of(value->is.object), name, kind);
}

static void tell_object(struct objects *objects, const void *object, const char *name)
{
    if (object)
        objects->tell(objects, address_of(object), name, HOLDERS_NAME_PLAIN);
}

static void tell_block(struct objects *objects, const void *block)
{
    if (block)
        objects->tell(objects, address_of(block) | NODE_IS_BLOCK, NULL, HOLDERS_NAME_PLAIN);
}

/* "a_name2", by which a program calls its fields. */
static bool is_identifier(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c != '_' && !(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
            (c == text || *c < '0' || *c > '9'))
            return false;
    return *text;
}

static void tell_entry(struct objects *objects, const struct lua_node *node, unsigned weak,
                       bool is_named)
{
    const char *text = is_named ? key_text(node) : NULL;
    enum holders_name kind = !text                 ? HOLDERS_NAME_PLAIN
                             : is_identifier(text) ? HOLDERS_NAME_ATTRIBUTE
                                                   : HOLDERS_NAME_KEY;
    const struct lua_value value = {{node->value}, node->type};
    bool holds_value = !(weak & WEAK_VALUES) || is_string(node->type);
    if (holds_value && (!(weak & WEAK_KEYS) || holds_key(objects, node)))
        tell_value(objects, &value, text ? text : an_item, kind);
    if (is_collected(node->key_type) && (!(weak & WEAK_KEYS) || is_string(node->key_type)))
        objects->tell(objects, address_of(node->key), NULL, HOLDERS_NAME_PLAIN);
}

static bool are_values_roots(const struct objects *objects, const void *of)
{
    return address_table_find(&objects->variables, address_of(of));
}

static void tell_table(struct objects *objects, const struct lua_table *table)
{
    unsigned weak = weakness_of(table);
    tell_object(objects, table->metatable, "metatable");
    tell_block(objects, table->array);
    tell_block(objects, table->nodes);
    if (are_values_roots(objects, table))
        return;
    for (uint32_t i = 0; i < array_size(table); i++)
        if (!(weak & WEAK_VALUES) || is_string(table->array[i].type))
            tell_value(objects, &table->array[i], an_item, HOLDERS_NAME_PLAIN);
    for (uint64_t i = 0; i < node_count(table); i++)
        if (table->nodes[i].type & VALUE_KIND)
            tell_entry(objects, &table->nodes[i], weak, table->node_bits <= NAMED_BITS);
}

/* ---- Other objects ------------------------------------------------------------------- */

static void tell_lua_closure(struct objects *objects, const struct lua_closure *closure)
{
    const struct lua_prototype *prototype = closure->prototype;
    tell_object(objects, prototype, NULL);
    for (int i = 0; i < closure->nupvalues; i++) {
        const struct lua_upvalue *upvalue = closure->upvalues[i];
        const struct lua_string *name =
            prototype && i < prototype->sizeupvalues ? prototype->upvalues[i].name : NULL;
        if (!upvalue)
            continue;
        tell_object(objects, upvalue, NULL);
        if (!name || strcmp(name->text, "_ENV") != 0)
            tell_value(objects, upvalue->value, name ? name->text : no_name, HOLDERS_NAME_UPVALUE);
        else
            tell_value(objects, upvalue->value, NULL, HOLDERS_NAME_PLAIN);
    }
}

static void tell_c_closure(struct objects *objects, const struct c_closure *closure)
{
    for (int i = 0; i < closure->nupvalues; i++)
        tell_value(objects, &closure->upvalues[i], no_name, HOLDERS_NAME_UPVALUE);
}

static void tell_prototype(struct objects *objects, const struct lua_prototype *prototype)
{
    const void *const blocks[] = {prototype->k,        prototype->code,     prototype->p,
                                  prototype->upvalues, prototype->lineinfo, prototype->abslineinfo,
                                  prototype->locvars};
    tell_object(objects, prototype->source, NULL);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tell_block(objects, blocks[i]);
    for (int i = 0; i < prototype->sizek; i++)
        tell_value(objects, &prototype->k[i], NULL, HOLDERS_NAME_PLAIN);
    for (int i = 0; i < prototype->sizep; i++)
        tell_object(objects, prototype->p[i], NULL);
    for (int i = 0; i < prototype->sizeupvalues; i++)
        tell_object(objects, prototype->upvalues[i].name, NULL);
    for (int i = 0; i < prototype->sizelocvars; i++)
        tell_object(objects, prototype->locvars[i].name, NULL);
}

/* What it has may point to blocks that it got by Lua's allocator, such as luaL_Buffer's. */
static void tell_userdata(struct objects *objects, const struct lua_userdata *userdata)
{
    const char *bytes = (const char *)&userdata->gclist;
    tell_object(objects, userdata->metatable, "metatable");
    for (int i = 0; i < userdata->value_count; i++)
        tell_value(objects, &userdata->values[i], NULL, HOLDERS_NAME_PLAIN);
    if (userdata->value_count)
        bytes = (const char *)&userdata->values[userdata->value_count];
    for (uint64_t at = 0; at + sizeof(uint64_t) <= userdata->bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        const struct block_slot *slot = object_nodes_slot(&objects->nodes, word);
        const struct report *report = &objects->heap->guest.state->report;
        if (slot && report->rows[note_row(slot->note)].type == objects->heap->types[KIND_STORAGE])
            tell_block(objects, object_at(word));
    }
}

static void tell_thread(struct objects *objects, struct lua_State *L)
{
    tell_block(objects, L->stack);
    for (const struct call_info *call = objects_base_call(L); call; call = call->next)
        tell_block(objects, call);
    if (!are_values_roots(objects, L))
        frames_tell(objects, L, false);
}

void objects_each_edge(struct objects *objects, uint32_t number)
{
    uint64_t node = objects->nodes.items[number];
    const void *object = object_at(node);
    if (node & NODE_IS_BLOCK)
        return;
    switch (((const struct lua_table *)object)->tt | VALUE_COLLECTED) {
    case VALUE_TABLE:
        tell_table(objects, object);
        break;
    case VALUE_LUA_CLOSURE:
        tell_lua_closure(objects, object);
        break;
    case VALUE_C_CLOSURE:
        tell_c_closure(objects, object);
        break;
    case VALUE_USERDATA:
        tell_userdata(objects, object);
        break;
    case VALUE_THREAD:
        tell_thread(objects, (struct lua_State *)(uintptr_t)node);
        break;
    case VALUE_PROTOTYPE:
        tell_prototype(objects, object);
        break;
    default:
        break;
    }
}

/* ---- Types --------------------------------------------------------------------------- */

const char *objects_type(const struct objects *objects, uint32_t number)
{
    static const char *const names[VALUE_KIND + 1] = {
        [4] = "string", [5] = "table",   [6] = "function",   [7] = "userdata",
        [8] = "thread", [9] = "upvalue", [10] = "prototype",
    };
    uint64_t node = objects->nodes.items[number];
    if (node & NODE_IS_BLOCK)
        return NULL;
    int kind = kind_at(node);
    const struct lua_table *metatable =
        kind == KIND_TABLE      ? ((const struct lua_table *)object_at(node))->metatable
        : kind == KIND_USERDATA ? ((const struct lua_userdata *)object_at(node))->metatable
                                : NULL;
    const char *name = string_at(metatable, "__name");
    return name ? name : names[kind];
}

/* ---- Roots --------------------------------------------------------------------------- */

static void tell_root(struct objects *objects, const struct lua_value *value,
                      enum holders_object_root kind, const char *module, const char *name)
{
    const struct object_name root = {.kind = kind, .module = module, .name = name},
                             own = {.kind = HOLDERS_ROOT_INTERPRETER};
    if (is_collected(value->type))
        objects->tell_root(objects, address_of(value->is.object),
                           value->is.object == objects->heap->main ? &own : &root);
}

/* The values of a table whose values are roots. */
static void tell_fields(struct objects *objects, const struct lua_table *table,
                        enum holders_object_root kind, const char *module)
{
    if (!table)
        return;
    for (uint32_t i = 0; i < array_size(table); i++)
        tell_root(objects, &table->array[i], kind, module, an_item);
    for (uint64_t i = 0; i < node_count(table); i++) {
        const struct lua_node *node = &table->nodes[i];
        const char *text = key_text(node);
        const struct lua_value value = {{node->value}, node->type},
                               key = {{node->key}, node->key_type};
        if (!(node->type & VALUE_KIND))
            continue;
        tell_root(objects, &value, kind, module, text ? text : an_item);
        tell_root(objects, &key, HOLDERS_ROOT_INTERPRETER, NULL, NULL);
    }
}

/* Tables that are the values of package.loaded, each with one of its names. */
static void tell_modules(struct objects *objects, const struct lua_table *loaded)
{
    for (uint64_t i = 0; loaded && i < node_count(loaded); i++) {
        const struct lua_node *node = &loaded->nodes[i];
        const struct address_entry *entry =
            node->type == VALUE_TABLE
                ? address_table_find(&objects->variables, address_of(node->value))
                : NULL;
        if (entry && entry->value == address_of(key_text(node)))
            tell_fields(objects, node->value, HOLDERS_ROOT_VARIABLE, key_text(node));
    }
}

static const struct lua_table *loaded_of(const struct lua_table *registry)
{
    const struct lua_node *node = node_at(registry, "_LOADED");
    return node && node->type == VALUE_TABLE ? node->value : NULL;
}

/* A block that no object refers to: what the interpreter looks strings up in. */
static void tell_strings(struct objects *objects)
{
    static const struct object_name own = {.kind = HOLDERS_ROOT_INTERPRETER};
    const struct lua_global *global = objects->heap->main->global;
    objects->tell_root(objects, address_of(global->strings) | NODE_IS_BLOCK, &own);
}

/* Those of numbers, strings, functions ..., which all values of a basic type share.  They stand behind the main thread, a message, and the
 * names of metamethods; what is before differs between versions, and may be the same thread, followed by a function. */
static void tell_metatables(struct objects *objects)
{
    enum { WORDS_MOST = 128, METAMETHODS = 25, TYPES = 9 };
    static const char *const names[TYPES] = {"nil",      "boolean",  "lightuserdata",
                                             "number",   "string",   "table",
                                             "function", "userdata", "thread"};
    const struct lua_State *main = objects->heap->main;
    const void *const *words = (const void *const *)(main->global + 1);
    size_t at = 0;
    while (at < WORDS_MOST && (words[at] != main || words[at + 2] == main))
        at++;
    const void *const *metatables = &words[at + 2 + METAMETHODS];
    for (size_t i = 0; at < WORDS_MOST && i < TYPES; i++) {
        const struct object_name name = {
            .kind = HOLDERS_ROOT_REGISTRY, .module = "metatable", .name = names[i]};
        if (metatables[i])
            objects->tell_root(objects, address_of(metatables[i]), &name);
    }
}

void objects_each_root(struct objects *objects)
{
    const struct lua_heap *heap = objects->heap;
    const struct lua_table *registry = heap->registry, *loaded = loaded_of(registry);
    tell_fields(objects, objects_globals(heap), HOLDERS_ROOT_VARIABLE, NULL);
    tell_modules(objects, loaded);
    tell_fields(objects, loaded, HOLDERS_ROOT_VARIABLE, NULL);
    tell_fields(objects, registry, HOLDERS_ROOT_REGISTRY, "registry");
    tell_strings(objects);
    tell_metatables(objects);
    if (objects->is_over) {
        frames_tell_returned(objects, heap->main);
        return;
    }
    frames_tell(objects, heap->main, true);
    for (uint32_t i = 0; i < heap->resumer_count; i++)
        if (heap->resumers[i] != heap->main)
            frames_tell(objects, heap->resumers[i], true);
    if (heap->current != heap->main)
        frames_tell(objects, heap->current, true);
}

/* ---- Numbering ----------------------------------------------------------------------- */

static void add_variables(struct objects *objects, const void *of, const char *name)
{
    if (of && !are_values_roots(objects, of) &&
        !address_table_add(&objects->variables, address_of(of), address_of(name)))
        objects->nodes.failed = true;
}

static void find_variables(struct objects *objects)
{
    const struct lua_heap *heap = objects->heap;
    const struct lua_table *loaded = loaded_of(heap->registry);
    add_variables(objects, heap->registry, NULL);
    add_variables(objects, objects_globals(heap), NULL);
    add_variables(objects, loaded, NULL);
    for (uint64_t i = 0; loaded && i < node_count(loaded); i++)
        if (loaded->nodes[i].type == VALUE_TABLE && key_text(&loaded->nodes[i]))
            add_variables(objects, loaded->nodes[i].value, key_text(&loaded->nodes[i]));
    add_variables(objects, heap->main, NULL);
    for (uint32_t i = 0; i < heap->resumer_count; i++)
        add_variables(objects, heap->resumers[i], NULL);
    add_variables(objects, heap->current, NULL);
}

static void add_edge(struct objects *objects, uint64_t to, const char *name, enum holders_name kind)
{
    object_nodes_add(&objects->nodes, to);
}

static void add_root(struct objects *objects, uint64_t to, const struct object_name *name)
{
    object_nodes_add(&objects->nodes, to);
}

/* An object whose key is reached may have been gone by before: until no more are found. */
static void add_weakly_held(struct objects *objects)
{
    uint32_t before;
    do {
        before = objects->nodes.count;
        for (uint32_t number = 0; number < objects->nodes.count; number++) {
            uint64_t node = objects->nodes.items[number];
            bool is_weak = !(node & NODE_IS_BLOCK) && kind_at(node) == KIND_TABLE &&
                           weakness_of(object_at(node)) == WEAK_KEYS;
            if (number >= before || is_weak)
                objects_each_edge(objects, number);
        }
    } while (objects->nodes.count != before);
}

static void add_others(struct objects *objects)
{
    uint64_t address = 0;
    objects->nodes.reached = objects->nodes.count;
    for (; blocks_next(objects->nodes.blocks, &address, (uint64_t)1 << 47); address += 16)
        if (object_nodes_find(&objects->nodes, address) == UINT32_MAX &&
            object_nodes_find(&objects->nodes, address + THREAD_MARGIN) == UINT32_MAX)
            object_nodes_add(&objects->nodes, address | NODE_IS_BLOCK);
}

bool objects_number(struct objects *objects, const struct lua_heap *heap, bool is_over)
{
    *objects =
        (struct objects){.heap = heap, .is_over = is_over, .tell = add_edge, .tell_root = add_root};
    if (!object_nodes_init(&objects->nodes, &heap->guest.state->blocks))
        return false;
    objects->nodes.reached = UINT32_MAX;
    find_variables(objects);
    objects_each_root(objects);
    for (uint32_t number = 0; number < objects->nodes.count; number++)
        objects_each_edge(objects, number);
    add_weakly_held(objects);
    add_others(objects);
    return !objects->nodes.failed;
}

/* ---- Where it begins ----------------------------------------------------------------- */

struct lua_table *objects_globals(const struct lua_heap *heap)
{
    enum { GLOBALS = 2 };
    const struct lua_table *registry = heap->registry;
    const struct lua_value *globals =
        array_size(registry) >= GLOBALS ? &registry->array[GLOBALS - 1] : NULL;
    return globals && globals->type == VALUE_TABLE ? globals->is.object : NULL;
}

bool objects_has_layout(const struct lua_heap *heap)
{
    enum { PREDEFINED = 2 };
    const struct lua_table *registry = heap->registry;
    return registry && registry->tt == KIND_TABLE && registry->limit >= PREDEFINED &&
           registry->array[0].type == VALUE_THREAD && registry->array[0].is.object == heap->main &&
           registry->array[1].type == VALUE_TABLE && heap->main->tt == KIND_THREAD;
}
