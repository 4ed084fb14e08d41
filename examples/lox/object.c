#include "object.h"

#include <stdio.h>

const char *kind_name(enum object_kind kind)
{
    static const char *const names[OBJECT_KINDS] = {
        [STRING] = "LoxString",     [ARRAY] = "LoxArray",       [SLOTS] = "LoxArray elements",
        [FIELDS] = "LoxFields",     [FUNCTION] = "LoxFunction", [NATIVE] = "LoxNative",
        [CLOSURE] = "LoxClosure",   [UPVALUE] = "LoxUpvalue",   [CLASS] = "LoxClass",
        [INSTANCE] = "LoxInstance", [METHOD] = "LoxMethod",
    };
    return names[kind];
}

uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash;
}

static bool strings_equal(const struct string *a, const struct string *b)
{
    return a == b || (a->hash == b->hash && a->length == b->length &&
                      memcmp(a->text, b->text, a->length) == 0);
}

bool values_equal(value a, value b)
{
    if (is_number(a) && is_number(b))
        return as_number(a) == as_number(b);
    if (is_kind(a, STRING) && is_kind(b, STRING))
        return strings_equal(AS(string, a), AS(string, b));
    return a == b;
}

/* ---- References ------------------------------------------------------------------------ */

static void visit_many(value *slots, uint32_t count, void (*visit)(void *, value *), void *context)
{
    for (uint32_t i = 0; i < count; i++)
        visit(context, &slots[i]);
}

void object_visit(struct object *object, void (*visit)(void *context, value *slot), void *context)
{
    switch ((enum object_kind)object->kind) {
    case STRING:
    case OBJECT_KINDS:
        break;
    case ARRAY:
        visit(context, &((struct array *)object)->slots);
        break;
    case SLOTS: {
        struct slots *slots = (struct slots *)object;
        visit_many(slots->at, slots->capacity, visit, context);
        break;
    }
    case FIELDS: {
        struct fields *fields = (struct fields *)object;
        visit_many(&fields->at[0].name, 2 * fields->capacity, visit, context);
        break;
    }
    case FUNCTION: {
        struct function *function = (struct function *)object;
        visit(context, &function->name);
        visit_many(function->code.constants, function->code.constant_count, visit, context);
        break;
    }
    case NATIVE:
        visit(context, &((struct native *)object)->name);
        break;
    case UPVALUE:
        visit(context, &((struct upvalue *)object)->closed);
        visit(context, &((struct upvalue *)object)->next);
        break;
    case CLOSURE: {
        struct closure *closure = (struct closure *)object;
        visit(context, &closure->function);
        visit_many(closure->upvalues, closure->upvalue_count, visit, context);
        break;
    }
    case CLASS:
        visit(context, &((struct class *)object)->name);
        visit(context, &((struct class *)object)->methods);
        break;
    case INSTANCE:
        visit(context, &((struct instance *)object)->class);
        visit(context, &((struct instance *)object)->fields);
        break;
    case METHOD:
        visit(context, &((struct method *)object)->receiver);
        visit(context, &((struct method *)object)->closure);
        break;
    }
}

/* ---- Tables ------------------------------------------------------------------------------ */

struct field *fields_find(struct fields *fields, value name)
{
    const struct string *wanted = AS(string, name);
    for (uint32_t at = wanted->hash;; at++) {
        struct field *field = &fields->at[at & (fields->capacity - 1)];
        if (field->name == NO_VALUE || strings_equal(AS(string, field->name), wanted))
            return field;
    }
}

/* ---- Printing ---------------------------------------------------------------------------- */

static void print_function(value name)
{
    if (name == NIL)
        printf("<script>");
    else
        printf("<fn %s>", AS(string, name)->text);
}

static void print_array(const struct array *array)
{
    static int depth;
    putchar('[');
    if (depth >= 8 && array->count)
        printf("...");
    depth++;
    for (uint32_t i = 0; i < array->count && depth <= 8; i++) {
        if (i)
            printf(", ");
        print_value(AS(slots, array->slots)->at[i]);
    }
    depth--;
    putchar(']');
}

static void print_object(value v)
{
    switch ((enum object_kind)as_object(v)->kind) {
    case STRING:
        fwrite(AS(string, v)->text, 1, AS(string, v)->length, stdout);
        break;
    case ARRAY:
        print_array(AS(array, v));
        break;
    case FUNCTION:
        print_function(AS(function, v)->name);
        break;
    case NATIVE:
        printf("<native fn>");
        break;
    case CLOSURE:
        print_function(AS(function, AS(closure, v)->function)->name);
        break;
    case METHOD:
        print_object(AS(method, v)->closure);
        break;
    case CLASS:
        printf("%s", AS(string, AS(class, v)->name)->text);
        break;
    case INSTANCE:
        print_object(AS(instance, v)->class);
        printf(" instance");
        break;
    default:
        printf("<%s>", kind_name(as_object(v)->kind));
        break;
    }
}

void print_value(value v)
{
    if (is_number(v))
        printf("%g", as_number(v));
    else if (is_object(v))
        print_object(v);
    else
        printf("%s", v == NIL ? "nil" : v == TRUE_VALUE ? "true" : "false");
}
