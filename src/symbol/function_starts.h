/* Where functions begin, for files that have lost their symbols: programs without a symbol table
 * still carry the unwind tables of exceptions, an entry a function. */
#ifndef SYMBOL_FUNCTION_STARTS_H
#define SYMBOL_FUNCTION_STARTS_H

#include "symbol/debug_file.h"

struct function_starts {
    Dwarf_CFI *frames;    /* .eh_frame; NULL: the file has none, or none of use */
    const uint8_t *table; /* .eh_frame_hdr's: start and entry of each function; owned by the file */
    size_t count;
    uint64_t base; /* what the table's numbers are relative to */
};

/* Finds the tables of a file; with none of use every search comes back empty.  To be released
 * before the file is closed. */
void function_starts_init(struct function_starts *starts, const struct debug_file *file);
void function_starts_release(struct function_starts *starts);

/* The first byte of the function that holds the code at `address` (both ELF virtual addresses).
 * False where no entry covers the address. */
bool function_starts_find(const struct function_starts *starts, uint64_t address, uint64_t *start);

#endif
