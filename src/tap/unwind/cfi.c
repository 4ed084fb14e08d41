#include "tap/unwind/cfi.h"

#include <string.h>

/* ---- Bytes ----------------------------------------------------------------------------------- */

uint64_t cfi_fixed(struct cfi_cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    if (cursor->bad || (size_t)(cursor->end - cursor->at) < bytes) {
        cursor->bad = true;
        return 0;
    }
    memcpy(&value, cursor->at, bytes);
    cursor->at += bytes;
    return value;
}

uint8_t cfi_u8(struct cfi_cursor *cursor)
{
    if (cursor->bad || cursor->at >= cursor->end) {
        cursor->bad = true;
        return 0;
    }
    return *cursor->at++;
}

uint32_t cfi_u32(struct cfi_cursor *cursor)
{
    return (uint32_t)cfi_fixed(cursor, 4);
}

uint64_t cfi_uleb(struct cfi_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = cfi_u8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

int64_t cfi_sleb(struct cfi_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = cfi_u8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if (shift < 64 && (byte & 0x40))
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
}

enum { PE_FORMAT = 0x0f, PE_RELATION = 0x70, PE_INDIRECT = 0x80, PE_OMIT = 0xff };

static uint64_t pointer_value(struct cfi_cursor *cursor, uint8_t format)
{
    switch (format) {
    case 0x00: /* absptr */
    case 0x04: /* udata8 */
    case 0x0c: /* sdata8 */
        return cfi_fixed(cursor, 8);
    case 0x01:
        return cfi_uleb(cursor);
    case 0x02:
        return cfi_fixed(cursor, 2);
    case 0x03:
        return cfi_fixed(cursor, 4);
    case 0x09:
        return (uint64_t)cfi_sleb(cursor);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)cfi_fixed(cursor, 2);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)cfi_fixed(cursor, 4);
    default:
        cursor->bad = true;
        return 0;
    }
}

uint64_t cfi_pointer(struct cfi_cursor *cursor, uint8_t encoding, uint64_t data)
{
    uint64_t place = (uint64_t)cursor->at;
    if (encoding == PE_OMIT || (encoding & PE_INDIRECT)) {
        cursor->bad = true;
        return 0;
    }
    uint64_t value = pointer_value(cursor, encoding & PE_FORMAT);
    switch (encoding & PE_RELATION) {
    case 0x00:
        return value;
    case 0x10:
        return value + place;
    case 0x30:
        return value + data;
    default:
        cursor->bad = true;
        return 0;
    }
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Cuts the entry at `cursor` out of it, and moves on. */
static bool take_entry(struct cfi_cursor *cursor, struct cfi_cursor *body)
{
    uint64_t length = cfi_u32(cursor);
    if (length == 0xffffffff)
        length = cfi_fixed(cursor, 8);
    if (cursor->bad || length < 4 || length > (uint64_t)(cursor->end - cursor->at))
        return false;
    *body = (struct cfi_cursor){cursor->at, cursor->at + length, false};
    cursor->at += length;
    return true;
}

/* The letters after 'z'; each says what stands in the augmentation data. */
static bool read_augmentation(struct cfi_entry *entry, struct cfi_cursor *body, const char *letters)
{
    uint64_t length = cfi_uleb(body);
    if (body->bad || length > (uint64_t)(body->end - body->at))
        return false;
    const uint8_t *after = body->at + length;
    for (; *letters; letters++) {
        if (*letters == 'R') {
            entry->encoding = cfi_u8(body);
        } else if (*letters == 'S') {
            entry->signal_frame = true;
        } else if (*letters == 'L') {
            cfi_u8(body);
        } else if (*letters == 'P') {
            uint8_t encoding = cfi_u8(body);
            cfi_pointer(body, encoding & ~PE_INDIRECT, 0);
        } else {
            break; /* unknown, and the rest with it: the length says where to go on */
        }
    }
    body->at = after;
    return !body->bad;
}

static bool read_common(struct cfi_entry *entry, struct cfi_cursor *body)
{
    cfi_u32(body); /* the mark of a common entry */
    uint8_t version = cfi_u8(body);
    const char *augmentation = (const char *)body->at;
    while (cfi_u8(body))
        ;
    if (body->bad || (version != 1 && version != 3 && version != 4))
        return false;
    if (version == 4 && (cfi_u8(body) != 8 || cfi_u8(body) != 0))
        return false;
    entry->encoding = 0;
    entry->signal_frame = false;
    entry->code_align = cfi_uleb(body);
    entry->data_align = cfi_sleb(body);
    uint64_t return_register = version == 1 ? cfi_u8(body) : cfi_uleb(body);
    if (return_register != CFI_RIP)
        return false;
    if (augmentation[0] == 'z') {
        if (!read_augmentation(entry, body, augmentation + 1))
            return false;
    } else if (augmentation[0]) {
        return false;
    }
    entry->initial = *body;
    return !body->bad;
}

enum cfi_read cfi_entry_read(struct cfi_entry *entry, struct cfi_cursor *cursor,
                             const struct cfi_cursor *section)
{
    struct cfi_cursor body;
    if (!take_entry(cursor, &body))
        return CFI_STOP;
    const uint8_t *place = body.at;
    uint32_t distance = cfi_u32(&body);
    if (distance == 0)
        return CFI_COMMON;
    if (distance > (uint64_t)(place - section->at))
        return CFI_STOP;
    struct cfi_cursor common = {place - distance, section->end, false};
    struct cfi_cursor common_body;
    if (!take_entry(&common, &common_body) || !read_common(entry, &common_body))
        return CFI_COMMON;
    entry->start = cfi_pointer(&body, entry->encoding, 0);
    entry->end = entry->start + cfi_pointer(&body, entry->encoding & PE_FORMAT, 0);
    uint64_t length = cfi_uleb(&body); /* of augmentation data: all .eh_frame has it ("z") */
    if (body.bad || length > (uint64_t)(body.end - body.at) || entry->end <= entry->start)
        return CFI_COMMON;
    body.at += length;
    entry->program = body;
    return CFI_FUNCTION;
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void set(struct cfi_run *run, uint64_t number, enum cfi_how how, int64_t operand)
{
    if (number < CFI_REGISTERS) {
        run->row.how[number] = (uint8_t)how;
        run->row.operand[number] = operand;
    }
}

static void restore(struct cfi_run *run, uint64_t number)
{
    if (number < CFI_REGISTERS)
        set(run, number, run->initial.how[number], run->initial.operand[number]);
}

static void set_cfa(struct cfi_run *run, uint64_t number, int64_t offset)
{
    run->row.cfa_how = CFI_IS;
    run->row.cfa_register = number < CFI_REGISTERS ? (uint16_t)number : CFI_REGISTERS;
    run->row.cfa_operand = offset;
}

/* The place of an expression's length; steps over the expression. */
static int64_t take_block(struct cfi_cursor *cursor)
{
    int64_t place = (int64_t)(intptr_t)cursor->at;
    uint64_t length = cfi_uleb(cursor);
    if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at))
        cursor->bad = true;
    else
        cursor->at += length;
    return place;
}

static void save_row(struct cfi_run *run)
{
    if (run->depth == CFI_NESTING)
        run->cursor.bad = true;
    else
        run->saved[run->depth++] = run->row;
}

static void restore_row(struct cfi_run *run)
{
    if (run->depth == 0)
        run->cursor.bad = true;
    else
        run->row = run->saved[--run->depth];
}

/* Only a CFA that is register + offset can have one of the two changed. */
static void change_cfa(struct cfi_run *run, uint64_t number, int64_t offset)
{
    if (run->row.cfa_how == CFI_IS_EXPRESSION)
        run->cursor.bad = true;
    else
        set_cfa(run, number, offset);
}

static int64_t scaled(const struct cfi_run *run, uint64_t factor)
{
    return (int64_t)(factor * (uint64_t)run->entry->data_align);
}

static bool is_of_register(uint8_t opcode)
{
    const uint64_t ours = 0x1f << 0x05 | 0x03 << 0x10 | 0x07 << 0x14 | (uint64_t)1 << 0x2f;
    return opcode < 0x40 && ours >> opcode & 1;
}

/* Instructions that set one register's rule, by opcode.  False: it is none of them. */
static bool run_register(struct cfi_run *run, uint8_t opcode)
{
    struct cfi_cursor *cursor = &run->cursor;
    if (!is_of_register(opcode))
        return false;
    uint64_t number = cfi_uleb(cursor);
    switch (opcode) {
    case 0x05: /* offset_extended */
        set(run, number, CFI_AT, scaled(run, cfi_uleb(cursor)));
        break;
    case 0x06: /* restore_extended */
        restore(run, number);
        break;
    case 0x07:
        set(run, number, CFI_UNDEFINED, 0);
        break;
    case 0x08: /* same_value */
        set(run, number, CFI_SAME, 0);
        break;
    case 0x09: /* register */
        set(run, number, CFI_IN, (int64_t)cfi_uleb(cursor));
        break;
    case 0x10: /* expression */
        set(run, number, CFI_AT_EXPRESSION, take_block(cursor));
        break;
    case 0x11: /* offset_extended_sf */
        set(run, number, CFI_AT, scaled(run, (uint64_t)cfi_sleb(cursor)));
        break;
    case 0x14: /* val_offset */
        set(run, number, CFI_IS, scaled(run, cfi_uleb(cursor)));
        break;
    case 0x15: /* val_offset_sf */
        set(run, number, CFI_IS, scaled(run, (uint64_t)cfi_sleb(cursor)));
        break;
    case 0x16: /* val_expression */
        set(run, number, CFI_IS_EXPRESSION, take_block(cursor));
        break;
    case 0x2f: /* GNU_negative_offset_extended */
        set(run, number, CFI_AT, -scaled(run, cfi_uleb(cursor)));
        break;
    }
    return true;
}

/* Instructions that set the CFA.  False: it is none of them. */
static bool run_cfa(struct cfi_run *run, uint8_t opcode)
{
    struct cfi_cursor *cursor = &run->cursor;
    struct cfi_row *row = &run->row;
    uint64_t number;
    switch (opcode) {
    case 0x0c: /* def_cfa */
        number = cfi_uleb(cursor);
        set_cfa(run, number, (int64_t)cfi_uleb(cursor));
        return true;
    case 0x0d: /* def_cfa_register */
        change_cfa(run, cfi_uleb(cursor), row->cfa_operand);
        return true;
    case 0x0e: /* def_cfa_offset */
        change_cfa(run, row->cfa_register, (int64_t)cfi_uleb(cursor));
        return true;
    case 0x0f: /* def_cfa_expression */
        row->cfa_how = CFI_IS_EXPRESSION;
        row->cfa_operand = take_block(cursor);
        return true;
    case 0x12: /* def_cfa_sf */
        number = cfi_uleb(cursor);
        set_cfa(run, number, scaled(run, (uint64_t)cfi_sleb(cursor)));
        return true;
    case 0x13: /* def_cfa_offset_sf */
        change_cfa(run, row->cfa_register, scaled(run, (uint64_t)cfi_sleb(cursor)));
        return true;
    default:
        return false;
    }
}

/* Instructions on the whole row, or on nothing that matters here.  False: it is none of them. */
static bool run_whole_row(struct cfi_run *run, uint8_t opcode)
{
    switch (opcode) {
    case 0x00: /* nop */
    case 0x2d: /* GNU_window_save: not for this processor */
        return true;
    case 0x0a:
        save_row(run);
        return true;
    case 0x0b:
        restore_row(run);
        return true;
    case 0x2e: /* GNU_args_size: for exception handlers only */
        cfi_uleb(&run->cursor);
        return true;
    default:
        return false;
    }
}

/* How far the instruction moves the row's address; false: it doesn't. */
static bool run_advance(struct cfi_run *run, uint8_t opcode, uint64_t *address)
{
    struct cfi_cursor *cursor = &run->cursor;
    uint64_t delta;
    if ((opcode & 0xc0) == 0x40)
        delta = opcode & 0x3f;
    else if (opcode >= 0x02 && opcode <= 0x04)
        delta = cfi_fixed(cursor, 1u << (opcode - 2));
    else if (opcode == 0x1d) /* MIPS_advance_loc8 */
        delta = cfi_fixed(cursor, 8);
    else if (opcode == 0x01) { /* set_loc */
        *address = cfi_pointer(cursor, run->entry->encoding, 0);
        return true;
    } else
        return false;
    *address = run->end + delta * run->entry->code_align;
    return true;
}

/* Runs up to the next advance or the end; true: *address is where the row ends. */
static bool run_row(struct cfi_run *run, uint64_t *address)
{
    struct cfi_cursor *cursor = &run->cursor;
    while (cursor->at < cursor->end && !cursor->bad) {
        uint8_t opcode = cfi_u8(cursor);
        if (run_advance(run, opcode, address))
            return !cursor->bad;
        if ((opcode & 0xc0) == 0x80)
            set(run, opcode & 0x3f, CFI_AT, scaled(run, cfi_uleb(cursor)));
        else if ((opcode & 0xc0) == 0xc0)
            restore(run, opcode & 0x3f);
        else if (!run_whole_row(run, opcode) && !run_cfa(run, opcode) && !run_register(run, opcode))
            cursor->bad = true;
    }
    return false;
}

bool cfi_run_begin(struct cfi_run *run, const struct cfi_entry *entry)
{
    uint64_t address;
    run->entry = entry;
    run->depth = 0;
    run->start = run->end = entry->start;
    memset(&run->row, 0, sizeof run->row);
    memset(&run->initial, 0, sizeof run->initial);
    run->row.cfa_register = CFI_REGISTERS;
    run->cursor = entry->initial;
    if (run_row(run, &address) || run->cursor.bad)
        return false;
    run->initial = run->row;
    run->cursor = entry->program;
    return true;
}

bool cfi_run_next(struct cfi_run *run)
{
    while (run->end < run->entry->end) {
        uint64_t address = run->entry->end;
        run->start = run->end;
        run_row(run, &address);
        if (run->cursor.bad || address < run->start || address > run->entry->end) {
            run->cursor.bad = true;
            return false;
        }
        run->end = address;
        if (address > run->start)
            return true;
    }
    return false;
}
