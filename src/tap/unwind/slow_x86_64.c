/* The slow walk on x86-64: all registers, straight from .eh_frame.
 *
 * It is needed where the quick walk meets a rule for a register it doesn't follow: the trampoline
 * of a signal handler, beyond which everything comes from the kernel's save area; the loader's lazy
 * binding, which keeps the stack pointer in rbx; hand-written assembly.  It begins not at the given
 * start but here, where the processor can be asked for all callee-saved registers, and goes through
 * our own frames up to the start.
 *
 * A register is known or not.  Callee-saved registers survive ordinary frames; the others are known
 * only in the frame that a signal interrupted.  A rule that needs an unknown register ends the
 * walk. */
#include "tap/unwind/thread.h"

#include "tap/unwind/module.h"

enum {
    RBX = 3,
    KEPT_BY_CALLS = 1u << RBX | 1u << CFI_RBP | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15,
    MOST_OWN_FRAMES = 64,
};

struct slow_walk {
    struct unwind_thread *thread;
    struct cfi_machine machine; /* in the present frame */
    bool exact;                 /* rip is the instruction itself, not a return address */
};

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    return stack_read(context, address, word);
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Finds the row for the present instruction; it is in thread->scratch. */
static bool find_row(struct slow_walk *walk, struct cfi_entry *entry)
{
    uint64_t address = walk->machine.registers[CFI_RIP] - !walk->exact;
    struct module *module = module_find(address);
    struct cfi_run *run = &walk->thread->scratch;
    if (!module || !module->header || !table_entry(&module->table, address, entry) ||
        !cfi_run_begin(run, entry))
        return false;
    while (cfi_run_next(run))
        if (address < run->end)
            return true;
    return false;
}

static bool find_cfa(const struct slow_walk *walk, const struct cfi_row *row, uint64_t *cfa)
{
    if (row->cfa_how == CFI_IS_EXPRESSION)
        return cfi_evaluate(cfi_block(row->cfa_operand), &walk->machine, false, cfa);
    if (row->cfa_register >= CFI_REGISTERS || !(walk->machine.known >> row->cfa_register & 1))
        return false;
    *cfa = walk->machine.registers[row->cfa_register] + (uint64_t)row->cfa_operand;
    return true;
}

/* The caller's register `number`; false where it is lost. */
static bool recover(const struct slow_walk *walk, const struct cfi_row *row, unsigned number,
                    uint64_t cfa, uint64_t *value)
{
    const struct cfi_machine *machine = &walk->machine;
    int64_t operand = row->operand[number];
    uint64_t address = cfa;
    switch (row->how[number]) {
    case CFI_SAME:
        *value = machine->registers[number];
        return machine->known & KEPT_BY_CALLS & 1u << number;
    case CFI_AT:
        return stack_read(walk->thread, cfa + (uint64_t)operand, value);
    case CFI_IS:
        *value = cfa + (uint64_t)operand;
        return true;
    case CFI_IN:
        if (operand < 0 || operand >= CFI_REGISTERS || !(machine->known >> operand & 1))
            return false;
        *value = machine->registers[operand];
        return true;
    case CFI_AT_EXPRESSION:
        return cfi_evaluate(cfi_block(operand), machine, true, &address) &&
               stack_read(walk->thread, address, value);
    case CFI_IS_EXPRESSION:
        *value = cfa;
        return cfi_evaluate(cfi_block(operand), machine, true, value);
    default:
        return false;
    }
}

/* Goes to the caller.  WALK_ON: there; else the present frame is the last one. */
static enum walk_end step(struct slow_walk *walk)
{
    struct cfi_entry entry;
    uint64_t cfa;
    if (!find_row(walk, &entry))
        return WALK_TRUNCATED;
    const struct cfi_row *row = &walk->thread->scratch.row;
    if (row->how[CFI_RIP] == CFI_UNDEFINED)
        return WALK_COMPLETE;
    if (!find_cfa(walk, row, &cfa))
        return WALK_TRUNCATED;
    bool may_jump = row->cfa_how == CFI_IS_EXPRESSION; /* to another stack */
    if (!may_jump && cfa <= walk->machine.registers[CFI_RSP])
        return WALK_TRUNCATED;
    struct cfi_machine next = {.read = read_word, .context = walk->thread};
    for (unsigned i = 0; i < CFI_REGISTERS; i++)
        if (recover(walk, row, i, cfa, &next.registers[i]))
            next.known |= 1u << i;
    if (row->how[CFI_RSP] == CFI_SAME) {
        next.registers[CFI_RSP] = cfa;
        next.known |= 1u << CFI_RSP;
    }
    if (!(next.known >> CFI_RIP & 1) || !(next.known >> CFI_RSP & 1))
        return WALK_TRUNCATED;
    if (next.registers[CFI_RIP] == 0)
        return WALK_COMPLETE;
    walk->machine = next;
    walk->exact = entry.signal_frame;
    return WALK_ON;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The registers at an instruction inside the calling function, into which this is inlined. */
static inline __attribute__((always_inline)) void take_registers(struct cfi_machine *machine)
{
    uint64_t *registers = machine->registers;
    __asm__ volatile("movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)\n\t"
                     "leaq 1f(%%rip), %%rcx\n"
                     "1:\n\t"
                     "movq %%rcx, 128(%0)"
                     :
                     : "r"(registers)
                     : "rcx", "memory");
    machine->known = KEPT_BY_CALLS | 1u << CFI_RSP | 1u << CFI_RIP;
}

/* Steps through our own frames until `start`. */
static bool reach(struct slow_walk *walk, const struct unwind_start *start)
{
    for (unsigned i = 0; i < MOST_OWN_FRAMES; i++) {
        const uint64_t *registers = walk->machine.registers;
        if (registers[CFI_RSP] == start->sp && registers[CFI_RIP] == start->pc)
            return true;
        if (step(walk) != WALK_ON)
            return false;
    }
    return false;
}

/* Whether the present frame is a signal trampoline, whose address is looked up as it is. */
static bool in_trampoline(struct slow_walk *walk)
{
    struct cfi_entry entry;
    return find_row(walk, &entry) && entry.signal_frame;
}

__attribute__((noinline)) enum walk_end walk_slowly(struct unwind_thread *thread,
                                                    const struct unwind_start *start)
{
    struct slow_walk walk = {.thread = thread, .exact = true};
    walk.machine.read = read_word;
    walk.machine.context = thread;
    thread->fresh_length = 1;
    take_registers(&walk.machine);
    stack_prepare(thread, walk.machine.registers[CFI_RSP]);
    if (!reach(&walk, start))
        return WALK_TRUNCATED;
    thread->fresh[0].pc =
        start->pc + in_trampoline(&walk); /* a handler may end in a jump to the hook */
    enum walk_end end;
    while ((end = step(&walk)) == WALK_ON) {
        if (thread->fresh_length == thread->max_frames) {
            thread->fresh_limited = true;
            return WALK_TRUNCATED;
        }
        const uint64_t *registers = walk.machine.registers;
        uint64_t pc = registers[CFI_RIP] + (walk.exact || in_trampoline(&walk));
        thread->fresh[thread->fresh_length++] =
            (struct unwind_frame){.pc = pc, .sp = registers[CFI_RSP], .fp = registers[CFI_RBP]};
    }
    return end;
}
