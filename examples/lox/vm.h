/* The machine that runs the code. */
#ifndef LOX_VM_H
#define LOX_VM_H

#include "heap.h"

enum { FRAMES_MAX = 4096, STACK_MAX = FRAMES_MAX * 64 };

struct frame {
    value closure;
    struct function *function; /* its code; functions are born old, and don't move */
    const uint8_t *next;       /* instruction */
    value *slots;              /* on the stack: the callee, then its arguments and locals */
};

struct vm {
    struct heap heap;
    value *stack, *top;
    struct frame frames[FRAMES_MAX];
    int frame_count;
    value open_upvalues; /* topmost first */
    value globals;       /* an instance, whose fields they are */
    value init;          /* the string "init" */
    const char *script;
    const char *failure; /* a native function could not do its work */

    struct heaptap_guest_thread calls; /* HEAPTAP: the call stack */
    bool calls_wanted;
};

void vm_init(struct vm *vm, const char *script);
void vm_release(struct vm *vm);

/* 0, or the exit status after telling on stderr what went wrong. */
int vm_run(struct vm *vm, const char *source);

/* The line that is being run; 0 for none. */
uint32_t vm_line(const struct vm *vm);

void vm_visit_roots(struct vm *vm, void (*visit)(void *context, value *slot), void *context);

/* natives.c */
void define_natives(struct vm *vm);
void define_native(struct vm *vm, const char *name, int arity, value (*call)(struct vm *, value *));
/* Appends to the array at `array`, a reference that a collection updates, as is `v`. */
void array_append(struct heap *heap, const value *array, const value *v);

#endif
