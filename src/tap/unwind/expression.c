/* DWARF expressions, as far as call frame information uses them: everything that works on
 * registers, constants and memory.  DWARF 5, section 2.5. */
#include "tap/unwind/cfi.h"

#include <limits.h>

enum { STACK_WORDS = 32, MOST_STEPS = 1000 };

struct evaluation {
    const struct cfi_machine *machine;
    struct cfi_cursor code;
    const uint8_t *start; /* of the code: branches stay inside */
    uint64_t stack[STACK_WORDS];
    unsigned depth;
    bool bad;
};

static void push(struct evaluation *it, uint64_t value)
{
    if (it->depth == STACK_WORDS)
        it->bad = true;
    else
        it->stack[it->depth++] = value;
}

static uint64_t pop(struct evaluation *it)
{
    if (it->depth == 0) {
        it->bad = true;
        return 0;
    }
    return it->stack[--it->depth];
}

static uint64_t peek(struct evaluation *it, unsigned below_top)
{
    if (below_top >= it->depth) {
        it->bad = true;
        return 0;
    }
    return it->stack[it->depth - 1 - below_top];
}

static uint64_t register_value(struct evaluation *it, uint64_t number)
{
    if (number >= CFI_REGISTERS || !(it->machine->known >> number & 1)) {
        it->bad = true;
        return 0;
    }
    return it->machine->registers[number];
}

/* Reads `bytes` (1, 2, 4, 8) at an address that need not be aligned. */
static uint64_t dereference(struct evaluation *it, uint64_t address, unsigned bytes)
{
    uint64_t low = 0, high = 0;
    unsigned shift = (unsigned)(address & 7) * 8;
    if (!it->machine->read(it->machine->context, address & ~(uint64_t)7, &low))
        it->bad = true;
    if (shift + bytes * 8 > 64 &&
        !it->machine->read(it->machine->context, (address & ~(uint64_t)7) + 8, &high))
        it->bad = true;
    uint64_t value = shift ? low >> shift | high << (64 - shift) : low;
    return bytes == 8 ? value : value & (((uint64_t)1 << bytes * 8) - 1);
}

static void branch(struct evaluation *it, bool taken)
{
    int16_t distance = (int16_t)cfi_fixed(&it->code, 2);
    if (!taken || it->code.bad)
        return;
    if (distance < it->start - it->code.at || distance > it->code.end - it->code.at)
        it->bad = true;
    else
        it->code.at += distance;
}

static uint64_t shifted(uint64_t value, uint64_t by, uint8_t opcode)
{
    if (opcode == 0x26) /* shra */
        return (uint64_t)((int64_t)value >> (by > 63 ? 63 : by));
    if (by > 63)
        return 0;
    return opcode == 0x24 ? value << by : value >> by;
}

static uint64_t quotient(struct evaluation *it, int64_t a, int64_t b)
{
    it->bad |= b == 0 || (b == -1 && a == INT64_MIN);
    return it->bad ? 0 : (uint64_t)(a / b);
}

static uint64_t remainder_of(struct evaluation *it, uint64_t a, uint64_t b)
{
    it->bad |= b == 0;
    return it->bad ? 0 : a % b;
}

static bool compare(uint8_t opcode, int64_t a, int64_t b)
{
    switch (opcode) {
    case 0x29:
        return a == b;
    case 0x2a:
        return a >= b;
    case 0x2b:
        return a > b;
    case 0x2c:
        return a <= b;
    case 0x2d:
        return a < b;
    default:
        return a != b;
    }
}

static uint64_t combine(struct evaluation *it, uint8_t opcode, uint64_t a, uint64_t b)
{
    switch (opcode) {
    case 0x1a:
        return a & b;
    case 0x1b: /* div, signed */
        return quotient(it, (int64_t)a, (int64_t)b);
    case 0x1c:
        return a - b;
    case 0x1d: /* mod, unsigned */
        return remainder_of(it, a, b);
    case 0x1e:
        return a * b;
    case 0x21:
        return a | b;
    case 0x22:
        return a + b;
    case 0x24:
    case 0x25:
    case 0x26:
        return shifted(a, b, opcode);
    case 0x27:
        return a ^ b;
    default:
        return compare(opcode, (int64_t)a, (int64_t)b);
    }
}

/* a op b, where b was on top.  False: the opcode is no such operation. */
static bool binary(struct evaluation *it, uint8_t opcode)
{
    if (opcode < 0x1a || opcode > 0x2e || opcode == 0x1f || opcode == 0x20 || opcode == 0x23 ||
        opcode == 0x28)
        return false;
    uint64_t b = pop(it), a = pop(it);
    push(it, combine(it, opcode, a, b));
    return true;
}

static void constant(struct evaluation *it, uint8_t opcode)
{
    switch (opcode) {
    case 0x08:
        push(it, cfi_u8(&it->code));
        break;
    case 0x09:
        push(it, (uint64_t)(int64_t)(int8_t)cfi_u8(&it->code));
        break;
    case 0x0a:
        push(it, cfi_fixed(&it->code, 2));
        break;
    case 0x0b:
        push(it, (uint64_t)(int64_t)(int16_t)cfi_fixed(&it->code, 2));
        break;
    case 0x0c:
        push(it, cfi_u32(&it->code));
        break;
    case 0x0d:
        push(it, (uint64_t)(int64_t)(int32_t)cfi_u32(&it->code));
        break;
    case 0x10:
        push(it, cfi_uleb(&it->code));
        break;
    case 0x11:
        push(it, (uint64_t)cfi_sleb(&it->code));
        break;
    default: /* addr, const8u, const8s */
        push(it, cfi_fixed(&it->code, 8));
    }
}

static void rotate(struct evaluation *it)
{
    uint64_t first = pop(it), second = pop(it), third = pop(it);
    push(it, first);
    push(it, third);
    push(it, second);
}

static void swap(struct evaluation *it)
{
    uint64_t first = pop(it), second = pop(it);
    push(it, first);
    push(it, second);
}

/* Only moves what is on the stack.  False: the opcode is no such operation. */
static bool arrange(struct evaluation *it, uint8_t opcode)
{
    switch (opcode) {
    case 0x12: /* dup */
        push(it, peek(it, 0));
        return true;
    case 0x13: /* drop */
        pop(it);
        return true;
    case 0x14: /* over */
        push(it, peek(it, 1));
        return true;
    case 0x15: /* pick */
        push(it, peek(it, cfi_u8(&it->code)));
        return true;
    case 0x16:
        swap(it);
        return true;
    case 0x17:
        rotate(it);
        return true;
    default:
        return false;
    }
}

static void dereference_part(struct evaluation *it)
{
    uint8_t bytes = cfi_u8(&it->code);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        it->bad = true;
    else
        push(it, dereference(it, pop(it), bytes));
}

static void plain(struct evaluation *it, uint8_t opcode)
{
    uint64_t a;
    switch (opcode) {
    case 0x06: /* deref */
        push(it, dereference(it, pop(it), 8));
        break;
    case 0x19: /* abs */
        a = pop(it);
        push(it, (int64_t)a < 0 ? 0 - a : a);
        break;
    case 0x1f: /* neg */
        push(it, 0 - pop(it));
        break;
    case 0x20: /* not */
        push(it, ~pop(it));
        break;
    case 0x23: /* plus_uconst */
        a = pop(it);
        push(it, a + cfi_uleb(&it->code));
        break;
    case 0x28: /* bra */
        branch(it, pop(it) != 0);
        break;
    case 0x2f: /* skip */
        branch(it, true);
        break;
    case 0x92: /* bregx */
        a = register_value(it, cfi_uleb(&it->code));
        push(it, a + (uint64_t)cfi_sleb(&it->code));
        break;
    case 0x94: /* deref_size */
        dereference_part(it);
        break;
    case 0x96: /* nop */
        break;
    default:
        it->bad = true;
    }
}

static void step(struct evaluation *it)
{
    uint8_t opcode = cfi_u8(&it->code);
    if (opcode >= 0x30 && opcode <= 0x4f) /* lit */
        push(it, opcode - 0x30u);
    else if (opcode >= 0x70 && opcode <= 0x8f) /* breg */
        push(it, register_value(it, opcode - 0x70u) + (uint64_t)cfi_sleb(&it->code));
    else if (opcode == 0x03 || (opcode >= 0x08 && opcode <= 0x11))
        constant(it, opcode);
    else if (!binary(it, opcode) && !arrange(it, opcode))
        plain(it, opcode);
}

struct cfi_cursor cfi_block(int64_t operand)
{
    const uint8_t *place = (const uint8_t *)(intptr_t)operand;
    struct cfi_cursor length = {place, place + 10, false};
    uint64_t bytes = cfi_uleb(&length); /* checked when the program was read */
    return (struct cfi_cursor){length.at, length.at + bytes, false};
}

bool cfi_evaluate(struct cfi_cursor block, const struct cfi_machine *machine, bool with_value,
                  uint64_t *value)
{
    struct evaluation it = {.machine = machine, .code = block, .start = block.at};
    if (with_value)
        push(&it, *value);
    for (unsigned steps = 0; it.code.at < it.code.end; steps++) {
        if (steps == MOST_STEPS)
            return false;
        step(&it);
        if (it.bad || it.code.bad)
            return false;
    }
    *value = pop(&it);
    return !it.bad;
}
