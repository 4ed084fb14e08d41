/* The variables of a file, by address: names from its symbol tables, where they are declared from its DWARF. */
#ifndef SYMBOL_DATA_SYMBOLS_H
#define SYMBOL_DATA_SYMBOLS_H

#include "symbol/debug_file.h"

struct data_symbol {
    uint64_t
        address; /* ELF virtual address; of a thread's own, its place in the file's thread-local data */
    uint64_t end;     /* exclusive */
    const char *name; /* the linker's; owned by the debug file */
    const char *
        file; /* where it is declared, as the DWARF has it; owned by the debug file; NULL where unknown */
    uint64_t line;
    bool is_local; /* a thread's own */
};

struct data_symbols {
    struct data_symbol *symbols; /* by is_local, address */
    size_t count, capacity;
};

/* False when memory is short.  To be released in every case, before the file is closed. */
bool data_symbols_init(struct data_symbols *table, const struct debug_file *file);
void data_symbols_release(struct data_symbols *table);

/* The variable that has an address in it; NULL for none. */
struct data_symbol *data_symbols_find(const struct data_symbols *table, bool is_local,
                                      uint64_t address);

/* Finds where variables are declared, in the file's DWARF, which debug_file_find_dwarf has found. */
void data_symbols_find_places(struct data_symbols *table, const struct debug_file *file);

#endif
