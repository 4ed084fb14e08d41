/* The heap of Lox: a nursery in which objects are born by moving a pointer, and an old generation
 * of blocks from malloc.
 *
 * A minor collection copies what is reachable in the nursery into the old generation and empties
 * the nursery; a major one marks and sweeps the old generation.  An old object that comes to refer
 * to a young one is remembered (heap_store), as it is a root of the next minor collection.
 *
 * Every function here that makes an object may collect, and then every young object moves: a caller
 * keeps what it needs on the stack of the machine and fetches it from there again. */
#ifndef LOX_HEAP_H
#define LOX_HEAP_H

#include "heaptap/guest.h"
#include "object.h"

enum { NURSERY_BYTES = 256 << 10, LARGE_BYTES = 8 << 10, FIRST_MAJOR_BYTES = 4 << 20 };

struct heap {
    char *nursery, *nursery_at, *nursery_end;
    struct object *old;         /* all of them */
    size_t old_bytes, major_at; /* a major collection is due when the former reaches the latter */
    struct object **remembered; /* old objects that may refer to young ones */
    size_t remembered_count, remembered_capacity;
    struct object **gray; /* objects that are reached and not yet scanned */
    size_t gray_count, gray_capacity;
    struct vm *vm;  /* who has the roots */
    bool compiling; /* everything is born old, and nothing is collected */
    uint32_t compiling_line;
    bool log; /* every event goes to stderr, for tests */

    struct heaptap_guest tap; /* HEAPTAP */
    uint32_t types[OBJECT_KINDS];
};

void heap_init(struct heap *heap, struct vm *vm);
void heap_release(struct heap *heap);

value string_new(struct heap *heap, const char *text, size_t length);
/* The string's text is to be filled in, and then its hash. */
value string_reserve(struct heap *heap, size_t length);
value array_new(struct heap *heap);
value slots_new(struct heap *heap, uint32_t capacity);
value fields_new(struct heap *heap, uint32_t capacity);
value function_new(struct heap *heap);
value native_new(struct heap *heap, int arity, value (*call)(struct vm *, value *));
value closure_new(struct heap *heap, const value *function);
value upvalue_new(struct heap *heap, value *slot);
value class_new(struct heap *heap, const value *name);
value instance_new(struct heap *heap, const value *class);
value method_new(struct heap *heap, const value *receiver, const value *closure);

/* *slot, which is in `object`, becomes `v`. */
void heap_store(struct heap *heap, struct object *object, value *slot, value v);

/* Sets a name in the table that `owner` refers to at this offset; it is made, or replaced by a
 * larger one, as need be.  The pointers are to references that a collection updates.  False: the
 * name is new. */
bool heap_set_field(struct heap *heap, const value *owner, size_t table_offset, const value *name,
                    const value *is);

void heap_collect(struct heap *heap, bool major);

#endif
