#include <math.h>
#include <stdio.h>
#include <time.h>

#include "vm.h"

static value fail(struct vm *vm, const char *why)
{
    vm->failure = why;
    return NIL;
}

static value native_clock(struct vm *vm, value *arguments)
{
    return number_value((double)clock() / CLOCKS_PER_SEC);
}

static value native_len(struct vm *vm, value *arguments)
{
    if (is_kind(arguments[0], ARRAY))
        return number_value(AS(array, arguments[0])->count);
    if (is_kind(arguments[0], STRING))
        return number_value(AS(string, arguments[0])->length);
    return fail(vm, "len is of an array or a string");
}

void array_append(struct heap *heap, const value *array, const value *v)
{
    struct array *it = AS(array, *array);
    uint32_t capacity = it->slots == NIL ? 0 : AS(slots, it->slots)->capacity;
    if (it->count == capacity) {
        value larger = slots_new(heap, capacity ? 2 * capacity : 4);
        it = AS(array, *array);
        for (uint32_t i = 0; i < it->count; i++)
            heap_store(heap, as_object(larger), &AS(slots, larger)->at[i],
                       AS(slots, it->slots)->at[i]);
        heap_store(heap, &it->object, &it->slots, larger);
    }
    struct slots *slots = AS(slots, it->slots);
    heap_store(heap, &slots->object, &slots->at[it->count++], *v);
}

static value native_append(struct vm *vm, value *arguments)
{
    if (!is_kind(arguments[0], ARRAY))
        return fail(vm, "append is to an array");
    array_append(&vm->heap, &arguments[0], &arguments[1]);
    return arguments[0];
}

static value native_remove(struct vm *vm, value *arguments)
{
    if (!is_kind(arguments[0], ARRAY) || AS(array, arguments[0])->count == 0)
        return fail(vm, "remove is from an array with an element");
    struct array *array = AS(array, arguments[0]);
    value *last = &AS(slots, array->slots)->at[--array->count], removed = *last;
    *last = NIL;
    return removed;
}

static value native_str(struct vm *vm, value *arguments)
{
    char text[32];
    if (is_kind(arguments[0], STRING))
        return arguments[0];
    if (!is_number(arguments[0]))
        return fail(vm, "str is of a number or a string");
    int length = snprintf(text, sizeof text, "%g", as_number(arguments[0]));
    return string_new(&vm->heap, text, (size_t)length);
}

static value native_sqrt(struct vm *vm, value *arguments)
{
    if (!is_number(arguments[0]))
        return fail(vm, "sqrt is of a number");
    return number_value(sqrt(as_number(arguments[0])));
}

static value native_floor(struct vm *vm, value *arguments)
{
    if (!is_number(arguments[0]))
        return fail(vm, "floor is of a number");
    return number_value(floor(as_number(arguments[0])));
}

/* collect(major): for programs that look at the collector. */
static value native_collect(struct vm *vm, value *arguments)
{
    heap_collect(&vm->heap, !is_falsey(arguments[0]));
    return NIL;
}

void define_natives(struct vm *vm)
{
    define_native(vm, "clock", 0, native_clock);
    define_native(vm, "len", 1, native_len);
    define_native(vm, "append", 2, native_append);
    define_native(vm, "remove", 1, native_remove);
    define_native(vm, "str", 1, native_str);
    define_native(vm, "sqrt", 1, native_sqrt);
    define_native(vm, "floor", 1, native_floor);
    define_native(vm, "collect", 1, native_collect);
}
