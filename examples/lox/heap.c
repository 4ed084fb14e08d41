#include "heap.h"

#include <stdio.h>
#include <stdlib.h>

#include "vm.h"

enum { FIRST_FIELDS = 4 };

static void *checked(void *memory)
{
    if (!memory) {
        fputs("lox: out of memory\n", stderr);
        exit(71);
    }
    return memory;
}

/* An independent account of what happens, which tests compare with what heaptap says. */
static void log_event(const struct heap *heap, const char *what, const struct object *object,
                      const void *other)
{
    if (heap->log)
        fprintf(stderr, "%s %p %p %u %s %u\n", what, (const void *)object, other,
                object ? object->size : 0, object ? kind_name(object->kind) : "-",
                heap->vm ? vm_line(heap->vm) : 0);
}

void heap_init(struct heap *heap, struct vm *vm)
{
    *heap = (struct heap){.vm = vm, .major_at = FIRST_MAJOR_BYTES};
    heap->nursery = heap->nursery_at = checked(malloc(NURSERY_BYTES));
    heap->nursery_end = heap->nursery + NURSERY_BYTES;
}

/* ---- Birth -------------------------------------------------------------------------------- */

static struct object *allocate_old(struct heap *heap, size_t size)
{
    struct object *object = checked(malloc(size));
    *object = (struct object){.old = true, .size = (uint32_t)size, .next = heap->old};
    heap->old = object;
    heap->old_bytes += size;
    return object;
}

static struct object *allocate(struct heap *heap, size_t size, enum object_kind kind)
{
    struct object *object;
    size = (size + 7) & ~(size_t)7;
    bool large = size > LARGE_BYTES;
    if (!heap->compiling) {
        if (large ? heap->old_bytes + size > heap->major_at
                  : (size_t)(heap->nursery_end - heap->nursery_at) < size)
            heap_collect(heap, large);
    }
    if (heap->compiling || large) {
        object = allocate_old(heap, size);
        object->kind = kind;
        heaptap_guest_alloc(&heap->tap, &heap->vm->calls, object, size, heap->types[kind],
                            HEAPTAP_GUEST_ASK); /* HEAPTAP: born old */
    } else {
        object = (struct object *)heap->nursery_at;
        heap->nursery_at += size;
        *object = (struct object){.kind = kind, .size = (uint32_t)size};
        heaptap_guest_alloc_minor(&heap->tap, &heap->vm->calls, object, size, heap->types[kind],
                                  HEAPTAP_GUEST_ASK); /* HEAPTAP: born young */
    }
    log_event(heap, object->old ? "major" : "minor", object, NULL);
    return object;
}

/* ---- Collecting ---------------------------------------------------------------------------- */

static void append(struct object ***list, size_t *count, size_t *capacity, struct object *object)
{
    if (*count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        *list = checked(realloc(*list, *capacity * sizeof **list));
    }
    (*list)[(*count)++] = object;
}

static void make_gray(struct heap *heap, struct object *object)
{
    append(&heap->gray, &heap->gray_count, &heap->gray_capacity, object);
}

static struct object *move_old(struct heap *heap, struct object *young)
{
    struct object *object = allocate_old(heap, young->size), *next = object->next;
    memcpy(object, young, young->size);
    object->old = true;
    object->next = next;
    if (object->kind == UPVALUE &&
        ((struct upvalue *)young)->slot == &((struct upvalue *)young)->closed)
        ((struct upvalue *)object)->slot = &((struct upvalue *)object)->closed;
    young->next = object;
    heaptap_guest_move(&heap->tap, young, object, true); /* HEAPTAP: promoted */
    log_event(heap, "promote", young, object);
    make_gray(heap, object);
    return object;
}

static void visit_minor(void *context, value *slot)
{
    if (!is_object(*slot) || as_object(*slot)->old)
        return;
    struct object *young = as_object(*slot);
    *slot = object_value(young->next ? young->next : move_old(context, young));
}

static void visit_major(void *context, value *slot)
{
    if (!is_object(*slot) || as_object(*slot)->marked)
        return;
    as_object(*slot)->marked = true;
    make_gray(context, as_object(*slot));
}

static void scan_gray(struct heap *heap, void (*visit)(void *, value *))
{
    while (heap->gray_count > 0)
        object_visit(heap->gray[--heap->gray_count], visit, heap);
}

static void collect_minor(struct heap *heap)
{
    log_event(heap, "minor-begin", NULL, NULL);
    heaptap_guest_gc_begin(&heap->tap); /* HEAPTAP */
    vm_visit_roots(heap->vm, visit_minor, heap);
    for (size_t i = 0; i < heap->remembered_count; i++) {
        heap->remembered[i]->remembered = false;
        object_visit(heap->remembered[i], visit_minor, heap);
    }
    heap->remembered_count = 0;
    scan_gray(heap, visit_minor);
    heaptap_guest_gc_end(&heap->tap); /* HEAPTAP: those that moved are where they are now, */
    heaptap_guest_region_reset(&heap->tap, heap->nursery,
                               heap->nursery_end); /* HEAPTAP: the others are dead */
    heap->nursery_at = heap->nursery;
    log_event(heap, "minor-end", NULL, NULL);
}

static void free_old(struct heap *heap, struct object *object)
{
    heaptap_guest_free(&heap->tap, object); /* HEAPTAP */
    log_event(heap, "free", object, NULL);
    if (object->kind == FUNCTION) {
        struct code *code = &((struct function *)object)->code;
        free(code->bytes);
        free(code->lines);
        free(code->places);
        free(code->constants);
    }
    heap->old_bytes -= object->size;
    free(object);
}

static void sweep(struct heap *heap)
{
    struct object **at = &heap->old;
    while (*at) {
        struct object *object = *at;
        if (object->marked) {
            object->marked = false;
            at = &object->next;
        } else {
            *at = object->next;
            free_old(heap, object);
        }
    }
}

/* Comes after a minor collection: every object is old. */
static void collect_major(struct heap *heap)
{
    heaptap_guest_gc_begin(&heap->tap); /* HEAPTAP */
    vm_visit_roots(heap->vm, visit_major, heap);
    scan_gray(heap, visit_major);
    sweep(heap);
    heaptap_guest_gc_end(&heap->tap); /* HEAPTAP */
    heap->major_at = 2 * heap->old_bytes;
    if (heap->major_at < FIRST_MAJOR_BYTES)
        heap->major_at = FIRST_MAJOR_BYTES;
}

void heap_collect(struct heap *heap, bool major)
{
    collect_minor(heap);
    if (major || heap->old_bytes > heap->major_at)
        collect_major(heap);
}

void heap_release(struct heap *heap)
{
    heaptap_guest_stop(&heap->tap); /* HEAPTAP: what is live now was so at the program's end */
    heap->log = false;
    while (heap->old) {
        struct object *object = heap->old;
        heap->old = object->next;
        free_old(heap, object);
    }
    free(heap->nursery);
    free(heap->remembered);
    free(heap->gray);
}

/* ---- References ------------------------------------------------------------------------------ */

void heap_store(struct heap *heap, struct object *object, value *slot, value v)
{
    *slot = v;
    if (object->old && !object->remembered && is_object(v) && !as_object(v)->old) {
        object->remembered = true;
        append(&heap->remembered, &heap->remembered_count, &heap->remembered_capacity, object);
    }
}

bool heap_set_field(struct heap *heap, const value *owner, size_t table_offset, const value *name,
                    const value *is)
{
    if (*(value *)((char *)as_object(*owner) + table_offset) == NIL) {
        value first = fields_new(heap, FIRST_FIELDS);
        heap_store(heap, as_object(*owner), (value *)((char *)as_object(*owner) + table_offset),
                   first);
    }
    struct fields *fields = AS(fields, *(value *)((char *)as_object(*owner) + table_offset));
    struct field *field = fields_find(fields, *name);
    bool known = field->name != NO_VALUE;
    if (!known && 4 * (fields->count + 1) > 3 * fields->capacity) {
        value larger_value = fields_new(heap, 2 * fields->capacity);
        struct fields *larger = AS(fields, larger_value);
        value *table = (value *)((char *)as_object(*owner) + table_offset);
        fields = AS(fields, *table);
        for (uint32_t i = 0; i < fields->capacity; i++)
            if (fields->at[i].name != NO_VALUE) {
                struct field *to = fields_find(larger, fields->at[i].name);
                heap_store(heap, &larger->object, &to->name, fields->at[i].name);
                heap_store(heap, &larger->object, &to->is, fields->at[i].is);
            }
        larger->count = fields->count;
        heap_store(heap, as_object(*owner), table, larger_value);
        fields = larger;
        field = fields_find(fields, *name);
    }
    fields->count += !known;
    if (!known)
        heap_store(heap, &fields->object, &field->name, *name);
    heap_store(heap, &fields->object, &field->is, *is);
    return known;
}

/* ---- Objects of each kind --------------------------------------------------------- */

value string_reserve(struct heap *heap, size_t length)
{
    struct string *string = (void *)allocate(heap, sizeof *string + length + 1, STRING);
    string->length = (uint32_t)length;
    string->text[length] = 0;
    return object_value(string);
}

value string_new(struct heap *heap, const char *text, size_t length)
{
    struct string *string = AS(string, string_reserve(heap, length));
    memcpy(string->text, text, length);
    string->hash = hash_text(text, length);
    return object_value(string);
}

value array_new(struct heap *heap)
{
    struct array *array = (void *)allocate(heap, sizeof *array, ARRAY);
    array->count = 0;
    array->slots = NIL;
    return object_value(array);
}

value slots_new(struct heap *heap, uint32_t capacity)
{
    struct slots *slots = (void *)allocate(heap, sizeof *slots + capacity * sizeof(value), SLOTS);
    slots->capacity = capacity;
    for (uint32_t i = 0; i < capacity; i++)
        slots->at[i] = NIL;
    return object_value(slots);
}

value fields_new(struct heap *heap, uint32_t capacity)
{
    struct fields *fields =
        (void *)allocate(heap, sizeof *fields + capacity * sizeof fields->at[0], FIELDS);
    fields->count = 0;
    fields->capacity = capacity;
    for (uint32_t i = 0; i < capacity; i++)
        fields->at[i] = (struct field){NO_VALUE, NIL};
    return object_value(fields);
}

value function_new(struct heap *heap)
{
    struct function *function = (void *)allocate(heap, sizeof *function, FUNCTION);
    memset((char *)function + sizeof function->object, 0,
           sizeof *function - sizeof function->object);
    function->name = NIL;
    return object_value(function);
}

value native_new(struct heap *heap, int arity, value (*call)(struct vm *, value *))
{
    struct native *native = (void *)allocate(heap, sizeof *native, NATIVE);
    native->arity = arity;
    native->call = call;
    native->name = NIL;
    return object_value(native);
}

value closure_new(struct heap *heap, const value *function)
{
    uint32_t count = (uint32_t)AS(function, *function)->upvalue_count;
    struct closure *closure =
        (void *)allocate(heap, sizeof *closure + count * sizeof(value), CLOSURE);
    closure->function = *function;
    closure->upvalue_count = count;
    for (uint32_t i = 0; i < count; i++)
        closure->upvalues[i] = NIL;
    return object_value(closure);
}

value upvalue_new(struct heap *heap, value *slot)
{
    struct upvalue *upvalue = (void *)allocate(heap, sizeof *upvalue, UPVALUE);
    upvalue->slot = slot;
    upvalue->closed = upvalue->next = NIL;
    return object_value(upvalue);
}

value class_new(struct heap *heap, const value *name)
{
    struct class *class = (void *)allocate(heap, sizeof *class, CLASS);
    class->name = *name;
    class->methods = NIL;
    return object_value(class);
}

value instance_new(struct heap *heap, const value *class)
{
    struct instance *instance = (void *)allocate(heap, sizeof *instance, INSTANCE);
    instance->class = *class;
    instance->fields = NIL;
    return object_value(instance);
}

value method_new(struct heap *heap, const value *receiver, const value *closure)
{
    struct method *method = (void *)allocate(heap, sizeof *method, METHOD);
    method->receiver = *receiver;
    method->closure = *closure;
    return object_value(method);
}
