/* One ELF file and its debug information, open while its addresses are looked up. */
#ifndef SYMBOL_DEBUG_FILE_H
#define SYMBOL_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "heaptap/status.h"

/* Where separate debug files are looked for. */
struct debug_path {
    char *dwfl;         /* all of it in the form that libdwfl takes */
    char **directories; /* the caller's first, absolute; the system's last */
    size_t count;
};

enum heaptap_status debug_path_init(struct debug_path *path, const char *const *directories,
                                    size_t count, struct heaptap_error *error);
void debug_path_release(struct debug_path *path);

struct code_range {
    uint64_t low, high; /* ELF virtual addresses, the end exclusive */
};

struct debug_file {
    Dwfl_Callbacks callbacks;
    Dwfl *dwfl; /* NULL: no file could be used */
    Dwfl_Module *module;
    Dwfl *separate;  /* has the separate debug file that libdwfl cannot read; NULL: there is none */
    Elf *elf;        /* owned by `module` */
    bool debug_only; /* a separate debug file stands in for the file itself */
    Dwarf *dwarf;    /* owned by `dwfl` or `separate`; NULL: no DWARF */
    uint64_t dwarf_bias;     /* ELF virtual address = DWARF's address + this */
    struct code_range *code; /* executable sections, or segments where there are no sections */
    size_t code_count;
};

/* What became of the file at a path, besides what became of its debug information. */
enum debug_file_result {
    DEBUG_FILE_FOUND,
    DEBUG_FILE_MISSING,    /* errno says why */
    DEBUG_FILE_UNREADABLE, /* not an ELF program or library */
    DEBUG_FILE_DIFFERS,    /* its build id is not the wanted one */
    DEBUG_FILE_CHANGED,    /* told by the caller: it was not opened */
    DEBUG_FILE_NO_MEMORY,
};

/* Opens `path` when its build id is `build_id` (`build_id_size` 0: whatever it is).  When it cannot
 * be used, a separate debug file with that build id stands in: then the result still says what was
 * wrong with `path`, and `file->dwfl` is set.  To be closed in every case. */
enum debug_file_result debug_file_open(struct debug_file *file, const char *path,
                                       const uint8_t *build_id, size_t build_id_size,
                                       const struct debug_path *debug_path);
void debug_file_close(struct debug_file *file);

/* Finds the DWARF, in the file or outside it, and fills `dwarf` and `dwarf_bias`. */
void debug_file_find_dwarf(struct debug_file *file);

/* What was added to the ELF virtual addresses of the file when the module was mapped: `address` is
 * the module's first byte in memory and `file_offset` of that byte in the file.  False when no
 * segment fits. */
bool debug_file_load_bias(const struct debug_file *file, uint64_t address, uint64_t size_bytes,
                          uint64_t file_offset, uint64_t *bias);

/* The i-th entry of its symbol table, from 1 on, of those that lie in the file and have a name; NULL for others. */
const char *debug_file_symbol(const struct debug_file *file, int i, GElf_Sym *symbol,
                              GElf_Addr *address);

/* Whether code of the file is at this ELF virtual address. */
bool debug_file_has_code(const struct debug_file *file, uint64_t address);

#endif
