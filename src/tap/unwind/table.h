/* A module's unwinding rules, compiled from its .eh_frame page by page as they are asked for. */
#ifndef TAP_UNWIND_TABLE_H
#define TAP_UNWIND_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tap/unwind/cfi.h"

/* How to find the caller's stack pointer (the CFA); the return address is always at CFA - 8. */
enum table_cfa {
    TABLE_SP,        /* stack pointer + cfa_offset */
    TABLE_FP,        /* rbp + cfa_offset */
    TABLE_AT_FP,     /* the word at rbp + cfa_offset: a function that realigned its stack */
    TABLE_OUTERMOST, /* no caller */
    TABLE_NONE,      /* nothing is known */
    TABLE_FRAMED,    /* (of lookups only) no rule: rbp + 16, if the stack confirms it */
    TABLE_HARD,      /* needs all registers */
    TABLE_STALE,     /* (of lookups only) what was remembered belongs to a module that is gone */
};

/* How to find the caller's rbp. */
enum table_fp {
    TABLE_KEPT,   /* unchanged; fp_words is -1, the return address's place */
    TABLE_SAVED,  /* at CFA + 8 x fp_words, which is below 0 */
    TABLE_LINKED, /* at rbp + 8 x fp_words; only with TABLE_AT_FP */
};

struct table_rule {
    int32_t cfa_offset;
    int16_t fp_words;
    uint8_t cfa;           /* enum table_cfa */
    uint8_t fp : 3;        /* enum table_fp */
    uint8_t transient : 5; /* in caches: the module may be unloaded; its number, and 1 */
};

struct table_page;

/* The rules of one module. */
struct table {
    struct cfi_cursor section; /* .eh_frame, up to the end of its segment; at == NULL: none */
    const uint8_t
        *search; /* sorted pairs of 4 bytes, function and entry, relative to `base`; or NULL */
    uint32_t search_count;
    uint64_t base;  /* address of .eh_frame_hdr */
    uint64_t start; /* of the module's mapping */
    uint64_t page_count;
    _Atomic(struct table_page *) *pages; /* one per 4 KiB of the mapping, NULL until compiled */
};

/* Takes note of .eh_frame_hdr at `header`, in the readable bytes from `low` to `high`, of the
 * module mapped from `start` to `end`.  Reads no more than the header. */
void table_init(struct table *table, const uint8_t *header, const uint8_t *low, const uint8_t *high,
                uint64_t start, uint64_t end);

/* The rule for the instruction at `address`, which is inside the module.  The module must be
 * loaded. `scratch` is the caller's, for the duration of the call. */
struct table_rule table_lookup(struct table *table, uint64_t address, struct cfi_run *scratch);

/* The entry of the function around `address`; false where there is none. */
bool table_entry(const struct table *table, uint64_t address, struct cfi_entry *entry);

#endif
