/* Whatever is made may collect, and then young objects move: values are held on the stack, and
 * fetched from there again after each call that makes something. */
#include "vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler.h"

/* ---- What heaptap asks ------------------------------------------------------------------- */

static const struct frame *running(const struct vm *vm)
{
    return vm->frame_count ? &vm->frames[vm->frame_count - 1] : NULL;
}

/* The instruction that is being run: the one before the next. */
static uint32_t offset_of(const struct frame *frame)
{
    return (uint32_t)(frame->next - frame->function->code.bytes) - 1;
}

uint32_t vm_line(const struct vm *vm)
{
    const struct frame *frame = running(vm);
    return frame ? frame->function->code.lines[offset_of(frame)] : vm->heap.compiling_line;
}

/* HEAPTAP: the number of the place of the instruction; asked for once, then kept beside it. */
static uint32_t place_of(struct vm *vm, const struct frame *frame)
{
    struct code *code = &frame->function->code;
    uint32_t offset = offset_of(frame);
    if (!code->places[offset])
        code->places[offset] = heaptap_guest_location(
            &vm->heap.tap, vm->script,
            frame->function->name == NIL ? NULL : AS(string, frame->function->name)->text,
            code->lines[offset]);
    return code->places[offset];
}

/* HEAPTAP: where the program is. */
static uint32_t locate(void *context, struct heaptap_guest *tap, struct heaptap_guest_thread *calls,
                       const void *hint)
{
    struct vm *vm = context;
    const struct frame *frame = running(vm);
    return frame ? place_of(vm, frame)
                 : heaptap_guest_location(tap, vm->script, NULL, vm->heap.compiling_line);
}

/* ---- Life ---------------------------------------------------------------------------------- */

void vm_init(struct vm *vm, const char *script)
{
    vm->script = script;
    vm->frame_count = 0;
    vm->failure = NULL;
    vm->open_upvalues = vm->globals = vm->init = NIL;
    vm->stack = vm->top = malloc(STACK_MAX * sizeof *vm->stack);
    heap_init(&vm->heap, vm);
    vm->heap.compiling = true;
    value name = string_new(&vm->heap, "globals", 7), class = class_new(&vm->heap, &name);
    vm->globals = instance_new(&vm->heap, &class);
    vm->init = string_new(&vm->heap, "init", 4);
    define_natives(vm);
    vm->heap.compiling = false;
    vm->heap.log = getenv("LOX_LOG") != NULL;

    /* HEAPTAP: what the program makes is recorded, from here on. */
    struct heaptap_guest_options options = {.locate = locate, .context = vm, .script = script};
    if (heaptap_guest_start_if_requested(&vm->heap.tap, "Lox", &options)) {
        for (int i = 0; i < OBJECT_KINDS; i++)
            vm->heap.types[i] = heaptap_guest_type(&vm->heap.tap, kind_name(i));
        vm->calls_wanted = heaptap_guest_wants_stacks(&vm->heap.tap);
    }
}

void vm_release(struct vm *vm)
{
    heap_release(&vm->heap);
    heaptap_guest_thread_release(&vm->calls); /* HEAPTAP */
    free(vm->stack);
}

void vm_visit_roots(struct vm *vm, void (*visit)(void *context, value *slot), void *context)
{
    for (value *slot = vm->stack; slot < vm->top; slot++)
        visit(context, slot);
    for (int i = 0; i < vm->frame_count; i++)
        visit(context, &vm->frames[i].closure);
    visit(context, &vm->open_upvalues);
    visit(context, &vm->globals);
    visit(context, &vm->init);
}

/* ---- The stack ------------------------------------------------------------------------------- */

static void push(struct vm *vm, value v)
{
    *vm->top++ = v;
}

static value pop(struct vm *vm)
{
    return *--vm->top;
}

static value peek(const struct vm *vm, int below)
{
    return vm->top[-1 - below];
}

__attribute__((format(printf, 2, 3))) static bool fail(struct vm *vm, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    for (int i = vm->frame_count - 1; i >= 0; i--) {
        const struct frame *frame = &vm->frames[i];
        const char *name =
            frame->function->name == NIL ? "script" : AS(string, frame->function->name)->text;
        fprintf(stderr, "  %s:%u: in %s\n", vm->script,
                frame->function->code.lines[offset_of(frame)], name);
    }
    return false;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The value of a field, in an instance or of a class's methods; NO_VALUE if there is none. */
static value get(value table, value name)
{
    if (table == NIL)
        return NO_VALUE;
    struct field *field = fields_find(AS(fields, table), name);
    return field->name == NO_VALUE ? NO_VALUE : field->is;
}

static void define_global(struct vm *vm, const value *name, const value *v)
{
    heap_set_field(&vm->heap, &vm->globals, offsetof(struct instance, fields), name, v);
}

void define_native(struct vm *vm, const char *name, int arity, value (*call)(struct vm *, value *))
{
    value it = native_new(&vm->heap, arity, call);
    value text = string_new(&vm->heap, name, strlen(name));
    AS(native, it)->name = text;
    define_global(vm, &text, &it);
}

static const char *text_of(value string)
{
    return AS(string, string)->text;
}

/* ---- Calls ------------------------------------------------------------------------ */

static bool check_arity(struct vm *vm, int arity, int count)
{
    return arity == count || fail(vm, "Expected %d arguments but got %d.", arity, count);
}

static bool call_closure(struct vm *vm, value closure, int count)
{
    struct function *function = AS(function, AS(closure, closure)->function);
    if (!check_arity(vm, function->arity, count))
        return false;
    if (vm->frame_count == FRAMES_MAX || vm->stack + STACK_MAX - vm->top < 512)
        return fail(vm, "Stack overflow.");
    if (vm->calls_wanted && vm->frame_count) /* HEAPTAP: a call begins, from here */
        heaptap_guest_push(&vm->calls, place_of(vm, running(vm)));
    vm->frames[vm->frame_count++] =
        (struct frame){closure, function, function->code.bytes, vm->top - count - 1};
    return true;
}

static bool call_native(struct vm *vm, value callee, int count)
{
    const struct native *native = AS(native, callee);
    if (!check_arity(vm, native->arity, count))
        return false;
    value result = native->call(vm, vm->top - count);
    if (vm->failure)
        return fail(vm, "%s.", vm->failure);
    vm->top -= count + 1;
    push(vm, result);
    return true;
}

static bool call_class(struct vm *vm, int count)
{
    value *callee = &vm->top[-1 - count];
    value instance = instance_new(&vm->heap, callee);
    value init = get(AS(class, AS(instance, instance)->class)->methods, vm->init);
    *callee = instance;
    if (init != NO_VALUE)
        return call_closure(vm, init, count);
    return check_arity(vm, 0, count);
}

static bool call(struct vm *vm, int count)
{
    value callee = peek(vm, count);
    if (is_kind(callee, CLOSURE))
        return call_closure(vm, callee, count);
    if (is_kind(callee, NATIVE))
        return call_native(vm, callee, count);
    if (is_kind(callee, CLASS))
        return call_class(vm, count);
    if (!is_kind(callee, METHOD))
        return fail(vm, "Can only call functions and classes.");
    vm->top[-1 - count] = AS(method, callee)->receiver;
    return call_closure(vm, AS(method, callee)->closure, count);
}

static bool invoke(struct vm *vm, value name, int count)
{
    value receiver = peek(vm, count);
    if (!is_kind(receiver, INSTANCE))
        return fail(vm, "Only instances have methods.");
    const struct instance *instance = AS(instance, receiver);
    value field = get(instance->fields, name);
    if (field != NO_VALUE) {
        vm->top[-1 - count] = field;
        return call(vm, count);
    }
    value method = get(AS(class, instance->class)->methods, name);
    if (method == NO_VALUE)
        return fail(vm, "Undefined property '%s'.", text_of(name));
    return call_closure(vm, method, count);
}

/* Replaces the receiver on top by its method, bound to it. */
static bool bind(struct vm *vm, value class, value name)
{
    value method = get(AS(class, class)->methods, name);
    if (method == NO_VALUE)
        return fail(vm, "Undefined property '%s'.", text_of(name));
    push(vm, method);
    value bound = method_new(&vm->heap, &vm->top[-2], &vm->top[-1]);
    vm->top -= 2;
    push(vm, bound);
    return true;
}

/* ---- Variables of functions around ------------------------------------------------ */

/* The upvalue for a slot of the stack: the open one, or a new one in its place in the list. */
static value capture(struct vm *vm, value *slot)
{
    value before = NIL, at = vm->open_upvalues;
    while (at != NIL && AS(upvalue, at)->slot > slot) {
        before = at;
        at = AS(upvalue, at)->next;
    }
    if (at != NIL && AS(upvalue, at)->slot == slot)
        return at;
    push(vm, before);
    push(vm, at);
    value made = upvalue_new(&vm->heap, slot);
    heap_store(&vm->heap, as_object(made), &AS(upvalue, made)->next, pop(vm));
    before = pop(vm);
    if (before == NIL)
        vm->open_upvalues = made;
    else
        heap_store(&vm->heap, as_object(before), &AS(upvalue, before)->next, made);
    return made;
}

/* The variables from `last` up leave the stack. */
static void close_upvalues(struct vm *vm, const value *last)
{
    while (vm->open_upvalues != NIL && AS(upvalue, vm->open_upvalues)->slot >= last) {
        struct upvalue *upvalue = AS(upvalue, vm->open_upvalues);
        heap_store(&vm->heap, &upvalue->object, &upvalue->closed, *upvalue->slot);
        upvalue->slot = &upvalue->closed;
        vm->open_upvalues = upvalue->next;
    }
}

static void set_upvalue(struct vm *vm, value it, value v)
{
    struct upvalue *upvalue = AS(upvalue, it);
    if (upvalue->slot == &upvalue->closed)
        heap_store(&vm->heap, &upvalue->object, upvalue->slot, v);
    else
        *upvalue->slot = v;
}

/* ---- Operations ------------------------------------------------------------------- */

static bool concatenate(struct vm *vm)
{
    size_t a = AS(string, peek(vm, 1))->length, b = AS(string, peek(vm, 0))->length;
    value joined = string_reserve(&vm->heap, a + b);
    struct string *string = AS(string, joined);
    memcpy(string->text, text_of(peek(vm, 1)), a);
    memcpy(string->text + a, text_of(peek(vm, 0)), b);
    string->hash = hash_text(string->text, a + b);
    vm->top -= 2;
    push(vm, joined);
    return true;
}

static bool arithmetic(struct vm *vm, enum operation operation)
{
    value b = peek(vm, 0), a = peek(vm, 1);
    if (operation == OP_ADD && is_kind(a, STRING) && is_kind(b, STRING))
        return concatenate(vm);
    if (!is_number(a) || !is_number(b))
        return fail(vm, operation == OP_ADD ? "Operands must be two numbers or two strings."
                                            : "Operands must be numbers.");
    double x = as_number(a), y = as_number(b);
    vm->top -= 2;
    push(vm, operation == OP_ADD        ? number_value(x + y)
             : operation == OP_SUBTRACT ? number_value(x - y)
             : operation == OP_MULTIPLY ? number_value(x * y)
             : operation == OP_DIVIDE   ? number_value(x / y)
             : operation == OP_LESS     ? bool_value(x < y)
                                        : bool_value(x > y));
    return true;
}

static bool get_field(struct vm *vm, value name)
{
    value of = peek(vm, 0);
    if (!is_kind(of, INSTANCE))
        return fail(vm, "Only instances have properties.");
    value field = get(AS(instance, of)->fields, name);
    if (field == NO_VALUE)
        return bind(vm, AS(instance, of)->class, name);
    vm->top[-1] = field;
    return true;
}

static bool set_field(struct vm *vm, const value *name)
{
    if (!is_kind(peek(vm, 1), INSTANCE))
        return fail(vm, "Only instances have fields.");
    heap_set_field(&vm->heap, &vm->top[-2], offsetof(struct instance, fields), name, &vm->top[-1]);
    value set = pop(vm);
    vm->top[-1] = set;
    return true;
}

/* The element that the top of the stack, above its array, names; NULL after a failure. */
static value *element(struct vm *vm, value array, value index)
{
    if (!is_kind(array, ARRAY)) {
        fail(vm, "Only arrays have elements.");
        return NULL;
    }
    double at = is_number(index) ? as_number(index) : -1;
    struct array *it = AS(array, array);
    if (!(at >= 0 && at < it->count) || at != (double)(uint32_t)at) {
        fail(vm, "There is no element of this index.");
        return NULL;
    }
    return &AS(slots, it->slots)->at[(uint32_t)at];
}

static bool get_index(struct vm *vm)
{
    value *at = element(vm, peek(vm, 1), peek(vm, 0));
    if (!at)
        return false;
    pop(vm);
    vm->top[-1] = *at;
    return true;
}

static bool set_index(struct vm *vm)
{
    value *at = element(vm, peek(vm, 2), peek(vm, 1)), set = peek(vm, 0);
    if (!at)
        return false;
    heap_store(&vm->heap, as_object(AS(array, peek(vm, 2))->slots), at, set);
    vm->top -= 2;
    vm->top[-1] = set;
    return true;
}

/* The topmost values become an array. */
static void make_array(struct vm *vm, uint32_t count)
{
    push(vm, array_new(&vm->heap));
    if (count) {
        value slots = slots_new(&vm->heap, count);
        struct array *array = AS(array, peek(vm, 0));
        for (uint32_t i = 0; i < count; i++)
            heap_store(&vm->heap, as_object(slots), &AS(slots, slots)->at[i],
                       vm->top[-1 - (int64_t)count + i]);
        heap_store(&vm->heap, &array->object, &array->slots, slots);
        array->count = count;
    }
    value made = pop(vm);
    vm->top -= count;
    push(vm, made);
}

static uint32_t read_operand(struct frame *frame)
{
    uint32_t low = *frame->next++;
    return low | (uint32_t)*frame->next++ << 8;
}

static void make_closure(struct vm *vm, struct frame *frame, const value *function)
{
    push(vm, closure_new(&vm->heap, function));
    for (uint32_t i = 0; i < AS(closure, peek(vm, 0))->upvalue_count; i++) {
        bool local = *frame->next++;
        uint32_t index = read_operand(frame);
        value upvalue = local ? capture(vm, frame->slots + index)
                              : AS(closure, frame->closure)->upvalues[index];
        struct closure *closure = AS(closure, peek(vm, 0));
        heap_store(&vm->heap, &closure->object, &closure->upvalues[i], upvalue);
    }
}

static bool inherit(struct vm *vm)
{
    if (!is_kind(peek(vm, 1), CLASS))
        return fail(vm, "Superclass must be a class.");
    value methods = AS(class, peek(vm, 1))->methods;
    uint32_t capacity = methods == NIL ? 0 : AS(fields, methods)->capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        struct field field = AS(fields, AS(class, peek(vm, 1))->methods)->at[i];
        if (field.name == NO_VALUE)
            continue;
        push(vm, field.name);
        push(vm, field.is);
        heap_set_field(&vm->heap, &vm->top[-3], offsetof(struct class, methods), &vm->top[-2],
                       &vm->top[-1]);
        vm->top -= 2;
    }
    pop(vm);
    return true;
}

static bool global_operation(struct vm *vm, enum operation operation, value *name)
{
    if (operation == OP_DEFINE_GLOBAL) {
        define_global(vm, name, &vm->top[-1]);
        pop(vm);
        return true;
    }
    value is = get(AS(instance, vm->globals)->fields, *name);
    if (is == NO_VALUE)
        return fail(vm, "Undefined variable '%s'.", text_of(*name));
    if (operation == OP_GET_GLOBAL)
        push(vm, is);
    else
        define_global(vm, name, &vm->top[-1]);
    return true;
}

/* ---- The loop --------------------------------------------------------------------- */

static bool run(struct vm *vm)
{
    struct frame *frame = &vm->frames[vm->frame_count - 1];
#define CONSTANT() (&frame->function->code.constants[read_operand(frame)])
#define TRY(it)                                                                                    \
    if (!(it))                                                                                     \
        return false;                                                                              \
    break
#define TRY_CALL(it)                                                                               \
    if (!(it))                                                                                     \
        return false;                                                                              \
    frame = &vm->frames[vm->frame_count - 1];                                                      \
    break
    for (;;) {
        enum operation operation = *frame->next++;
        uint32_t n;
        value v, *name;
        switch (operation) {
        case OP_CONSTANT:
            push(vm, *CONSTANT());
            break;
        case OP_NIL:
            push(vm, NIL);
            break;
        case OP_TRUE:
            push(vm, TRUE_VALUE);
            break;
        case OP_FALSE:
            push(vm, FALSE_VALUE);
            break;
        case OP_POP:
            pop(vm);
            break;
        case OP_GET_LOCAL:
            push(vm, frame->slots[read_operand(frame)]);
            break;
        case OP_SET_LOCAL:
            frame->slots[read_operand(frame)] = peek(vm, 0);
            break;
        case OP_GET_GLOBAL:
        case OP_DEFINE_GLOBAL:
        case OP_SET_GLOBAL:
            TRY(global_operation(vm, operation, CONSTANT()));
        case OP_GET_UPVALUE:
            n = read_operand(frame);
            push(vm, *AS(upvalue, AS(closure, frame->closure)->upvalues[n])->slot);
            break;
        case OP_SET_UPVALUE:
            n = read_operand(frame);
            set_upvalue(vm, AS(closure, frame->closure)->upvalues[n], peek(vm, 0));
            break;
        case OP_GET_FIELD:
            TRY(get_field(vm, *CONSTANT()));
        case OP_SET_FIELD:
            TRY(set_field(vm, CONSTANT()));
        case OP_GET_SUPER:
            v = pop(vm);
            TRY(bind(vm, v, *CONSTANT()));
        case OP_GET_INDEX:
            TRY(get_index(vm));
        case OP_SET_INDEX:
            TRY(set_index(vm));
        case OP_EQUAL:
            v = pop(vm);
            vm->top[-1] = bool_value(values_equal(vm->top[-1], v));
            break;
        case OP_GREATER:
        case OP_LESS:
        case OP_ADD:
        case OP_SUBTRACT:
        case OP_MULTIPLY:
        case OP_DIVIDE:
            TRY(arithmetic(vm, operation));
        case OP_NOT:
            vm->top[-1] = bool_value(is_falsey(vm->top[-1]));
            break;
        case OP_NEGATE:
            if (!is_number(peek(vm, 0)))
                return fail(vm, "Operand must be a number.");
            vm->top[-1] = number_value(-as_number(vm->top[-1]));
            break;
        case OP_PRINT:
            print_value(pop(vm));
            putchar('\n');
            break;
        case OP_JUMP:
            n = read_operand(frame);
            frame->next += n;
            break;
        case OP_JUMP_IF_FALSE:
            n = read_operand(frame);
            if (is_falsey(peek(vm, 0)))
                frame->next += n;
            break;
        case OP_LOOP:
            n = read_operand(frame);
            frame->next -= n;
            break;
        case OP_CALL:
            n = read_operand(frame);
            TRY_CALL(call(vm, (int)n));
        case OP_INVOKE:
            name = CONSTANT();
            n = read_operand(frame);
            TRY_CALL(invoke(vm, *name, (int)n));
        case OP_ARRAY:
            make_array(vm, read_operand(frame));
            break;
        case OP_CLOSURE:
            make_closure(vm, frame, CONSTANT());
            break;
        case OP_CLOSE_UPVALUE:
            close_upvalues(vm, vm->top - 1);
            pop(vm);
            break;
        case OP_RETURN:
            v = pop(vm);
            close_upvalues(vm, frame->slots);
            vm->top = frame->slots;
            if (--vm->frame_count == 0)
                return true;
            if (vm->calls_wanted)
                heaptap_guest_pop(&vm->calls); /* HEAPTAP: a call ends */
            push(vm, v);
            frame = &vm->frames[vm->frame_count - 1];
            break;
        case OP_CLASS:
            push(vm, class_new(&vm->heap, CONSTANT()));
            break;
        case OP_INHERIT:
            TRY(inherit(vm));
        case OP_METHOD:
            heap_set_field(&vm->heap, &vm->top[-2], offsetof(struct class, methods), CONSTANT(),
                           &vm->top[-1]);
            pop(vm);
            break;
        }
    }
#undef CONSTANT
#undef TRY
#undef TRY_CALL
}

int vm_run(struct vm *vm, const char *source)
{
    value function = compile(&vm->heap, source, vm->script);
    if (function == NIL)
        return 65;
    push(vm, function);
    value closure = closure_new(&vm->heap, &vm->top[-1]);
    vm->top[-1] = closure;
    return call_closure(vm, closure, 0) && run(vm) ? 0 : 70;
}
