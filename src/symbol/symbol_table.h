/* The functions of a file's symbol tables, by address. */
#ifndef SYMBOL_SYMBOL_TABLE_H
#define SYMBOL_SYMBOL_TABLE_H

#include "symbol/debug_file.h"

struct table_symbol {
    uint64_t address; /* ELF virtual address */
    uint64_t end;     /* exclusive; equal to address for a label without a size */
    uint64_t reach;   /* the greatest `end` of this and all symbols before */
    const char *name; /* owned by the debug file */
    unsigned rank;    /* among symbols at one address the smallest is the one shown */
};

struct symbol_table {
    struct table_symbol *symbols; /* by address; one an address */
    size_t count;
    size_t capacity;
};

/* Reads what .symtab, .dynsym and .gnu_debugdata of the file, or of its separate debug file, have.
 * False when memory is short.  To be released in every case, before the file is closed. */
bool symbol_table_init(struct symbol_table *table, const struct debug_file *file);
void symbol_table_release(struct symbol_table *table);

/* The linker's name of the function at an address, or NULL.  `*label` is the address of a label
 * without a size, where that is all there is, so that the function may have begun behind it; else
 * 0.  NULL is allowed. */
const char *symbol_table_find(const struct symbol_table *table, const struct debug_file *file,
                              uint64_t address, uint64_t *label);

/* The linker's name of the function that begins at an address, or NULL. */
const char *symbol_table_starting(const struct symbol_table *table, uint64_t address);

#endif
