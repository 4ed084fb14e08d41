/* Values and objects of Lox.
 *
 * A value is 64 bits: a double, or a NaN that carries nil, a boolean or the address of an object.
 * Every reference from an object to another is stored as a value, so that the collector has one
 * kind of thing to look at and to change. */
#ifndef LOX_OBJECT_H
#define LOX_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t value;

#define QUIET_NAN UINT64_C(0x7ffc000000000000)
#define OBJECT_BITS (UINT64_C(0x8000000000000000) | QUIET_NAN)
#define NIL (QUIET_NAN | 1)
#define FALSE_VALUE (QUIET_NAN | 2)
#define TRUE_VALUE (QUIET_NAN | 3)
#define NO_VALUE (QUIET_NAN | 4) /* an empty place in a table; no program ever sees it */

enum object_kind {
    STRING,
    ARRAY,
    SLOTS,  /* the elements of an array */
    FIELDS, /* a hash table from names to values */
    FUNCTION,
    NATIVE,
    CLOSURE,
    UPVALUE,
    CLASS,
    INSTANCE,
    METHOD, /* a function bound to an instance */
    OBJECT_KINDS,
};

struct object {
    uint8_t kind;
    bool old;            /* in the old generation: it never moves again */
    bool marked;         /* by the major collection under way */
    bool remembered;     /* old, and in the set of those that may refer to young ones */
    uint32_t size;       /* in bytes, with this */
    struct object *next; /* old: the next of all.  Young: where it was moved to, or NULL */
};

struct string {
    struct object object;
    uint32_t length, hash;
    char text[]; /* and a zero */
};

struct slots {
    struct object object;
    uint32_t capacity;
    value at[];
};

struct array {
    struct object object;
    uint32_t count;
    value slots; /* NIL while there never was an element */
};

struct field {
    value name; /* a string, or NO_VALUE */
    value is;
};

struct fields {
    struct object object;
    uint32_t count, capacity; /* a power of two */
    struct field at[];
};

/* The code of a function: bytes, and for each the line that it comes from. */
struct code {
    uint8_t *bytes;
    uint32_t *lines;
    uint32_t *places; /* HEAPTAP: the location's number, once it is known */
    uint32_t count, capacity;
    value *constants;
    uint32_t constant_count, constant_capacity;
};

struct function {
    struct object object;
    int arity, upvalue_count;
    value name; /* NIL: the script */
    struct code code;
};

struct vm;

struct native {
    struct object object;
    int arity;
    value name;
    /* The result; arguments are at arguments[0].  Sets vm->failure where it can't. */
    value (*call)(struct vm *vm, value *arguments);
};

struct upvalue {
    struct object object;
    value *slot; /* on the stack while open, then &closed */
    value closed;
    value next; /* open ones, topmost first */
};

struct closure {
    struct object object;
    value function;
    uint32_t upvalue_count;
    value upvalues[];
};

struct class
{
    struct object object;
    value name, methods; /* FIELDS */
};

struct instance {
    struct object object;
    value class, fields; /* FIELDS */
};

struct method {
    struct object object;
    value receiver, closure;
};

static inline bool is_number(value v)
{
    return (v & QUIET_NAN) != QUIET_NAN;
}

static inline bool is_object(value v)
{
    return (v & OBJECT_BITS) == OBJECT_BITS;
}

static inline double as_number(value v)
{
    double number;
    memcpy(&number, &v, sizeof number);
    return number;
}

static inline value number_value(double number)
{
    value v;
    memcpy(&v, &number, sizeof v);
    return v;
}

static inline value bool_value(bool it)
{
    return it ? TRUE_VALUE : FALSE_VALUE;
}

static inline struct object *as_object(value v)
{
    return (struct object *)(uintptr_t)(v & ~OBJECT_BITS);
}

static inline value object_value(const void *object)
{
    return OBJECT_BITS | (uint64_t)(uintptr_t)object;
}

static inline bool is_kind(value v, enum object_kind kind)
{
    return is_object(v) && as_object(v)->kind == kind;
}

#define AS(type, v) ((struct type *)as_object(v))

static inline bool is_falsey(value v)
{
    return v == NIL || v == FALSE_VALUE;
}

bool values_equal(value a, value b);

/* "LoxString", ... */
const char *kind_name(enum object_kind kind);

uint32_t hash_text(const char *text, size_t length);

/* Tells `visit` of every reference in an object. */
void object_visit(struct object *object, void (*visit)(void *context, value *slot), void *context);

/* The place of `name` in a table: where it is, or where it would go.  NULL: the table is empty. */
struct field *fields_find(struct fields *fields, value name);

void print_value(value v);

#endif
