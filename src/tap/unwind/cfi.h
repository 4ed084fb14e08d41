/* Call frame information (.eh_frame): reading its entries and running its programs.
 *
 * Formats: DWARF 5 section 6.4, and the System V ABI's .eh_frame additions.  Registers have their
 * DWARF numbers for x86-64: 3 rbx, 6 rbp, 7 rsp, 12 to 15 r12 to r15, 16 the return address. */
#ifndef TAP_UNWIND_CFI_H
#define TAP_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CFI_RBP = 6, CFI_RSP = 7, CFI_RIP = 16, CFI_REGISTERS = 17, CFI_NESTING = 8 };

/* A place in read-only bytes.  Reading past the end gives 0 and sets `bad`, for good. */
struct cfi_cursor {
    const uint8_t *at, *end;
    bool bad;
};

uint8_t cfi_u8(struct cfi_cursor *cursor);
uint32_t cfi_u32(struct cfi_cursor *cursor);
uint64_t cfi_fixed(struct cfi_cursor *cursor, unsigned bytes);
uint64_t cfi_uleb(struct cfi_cursor *cursor);
int64_t cfi_sleb(struct cfi_cursor *cursor);

/* A pointer in encoding DW_EH_PE_*; `data` is the base of data-relative ones.  Indirect and aligned
 * ones are bad. */
uint64_t cfi_pointer(struct cfi_cursor *cursor, uint8_t encoding, uint64_t data);

/* One function's entry, with what it takes from its common entry. */
struct cfi_entry {
    uint64_t start, end; /* addresses */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding;  /* of addresses */
    bool signal_frame; /* augmentation S: a signal trampoline; its caller was interrupted, not
                          calling */
    struct cfi_cursor initial; /* the common entry's program */
    struct cfi_cursor program; /* this entry's */
};

enum cfi_read { CFI_FUNCTION, CFI_COMMON, CFI_STOP };

/* Reads the entry at `cursor`, and moves on to the next.  CFI_COMMON: it was not a function's;
 * CFI_STOP: the end mark, or nothing sensible.  `section` bounds what a function's entry may point
 * to. */
enum cfi_read cfi_entry_read(struct cfi_entry *entry, struct cfi_cursor *cursor,
                             const struct cfi_cursor *section);

enum cfi_how {
    CFI_SAME,          /* not touched (also: the register has no rule) */
    CFI_UNDEFINED,     /* lost; for the return address: the outermost frame */
    CFI_AT,            /* saved at CFA + operand */
    CFI_IS,            /* is CFA + operand */
    CFI_IN,            /* is in register `operand` */
    CFI_AT_EXPRESSION, /* saved at what the expression says; operand: where its length stands */
    CFI_IS_EXPRESSION,
};

/* How to find the caller's registers from the registers at one instruction. */
struct cfi_row {
    uint8_t how[CFI_REGISTERS];
    uint8_t cfa_how; /* CFI_IS: register cfa_register + cfa_operand; or CFI_IS_EXPRESSION */
    uint16_t cfa_register;
    int64_t operand[CFI_REGISTERS];
    int64_t cfa_operand;
};

/* The execution of an entry's program. */
struct cfi_run {
    const struct cfi_entry *entry;
    struct cfi_cursor cursor;
    struct cfi_row row; /* valid for addresses from `start` up to `end` */
    uint64_t start, end;
    struct cfi_row initial; /* after the common entry's program */
    struct cfi_row saved[CFI_NESTING];
    unsigned depth; /* of `saved` */
};

/* Begins a run; false where the common entry's program is bad or beyond us. */
bool cfi_run_begin(struct cfi_run *run, const struct cfi_entry *entry);

/* Goes on to the next row; false after the last one, and where the program is bad (then
 * run->cursor.bad). */
bool cfi_run_next(struct cfi_run *run);

/* ---- Expressions (expression.c) -------------------------------------------------------------- */

/* What an expression may look at. */
struct cfi_machine {
    uint64_t registers[CFI_REGISTERS];
    uint32_t known; /* bit n: registers[n] holds its value */
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
};

/* The block of a DW_FORM_exprloc operand. */
struct cfi_cursor cfi_block(int64_t operand);

/* Evaluates `block` with `*value` on the stack first if `with_value`; false where it cannot be. */
bool cfi_evaluate(struct cfi_cursor block, const struct cfi_machine *machine, bool with_value,
                  uint64_t *value);

#endif
