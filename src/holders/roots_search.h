/* A search for roots, as roots.c makes it and roots_names.c names what it finds. */
#ifndef HOLDERS_ROOTS_SEARCH_H
#define HOLDERS_ROOTS_SEARCH_H

#include "holders/graph.h"
#include "holders/roots.h"
#include "symbol/data_symbols.h"
#include "symbol/symbolizer.h"

/* A module, while roots in it are looked up. */
struct roots_module {
    const struct heaptap_metadata *record;
    struct debug_file file;
    struct data_symbols symbols;
    uint64_t bias; /* what was added to its ELF virtual addresses */
    bool is_open;
};

/* What is searched, and what is known of it by then. */
struct roots_search {
    struct roots *roots;
    const struct graph *graph;
    const struct heaptap_metadata *records;
    size_t record_count;
    const char *program;
    struct debug_path path;
    uint64_t local_bytes; /* the thread-local data of all modules take no more */
    struct roots_local {
        uint64_t bytes, alignment;
    } program_local;
    /* Of all threads' frames: the places in code.  NULL where they can't be looked up. */
    struct symbolizer *functions;
    struct symbol_answer *places;
    size_t *first_place; /* by thread */
    bool failed;         /* there is no memory */
};

/* The number of a root, perhaps a new one; 0 when there is no memory. */
uint32_t roots_number(struct roots_search *search, const char *kind, const char *name,
                      const char *file, uint64_t line, const char *module);

/* The module that had an address at the time of the snapshot; NULL for none. */
const struct heaptap_metadata *roots_module_at(const struct roots_search *search, uint64_t address);

/* False where its file is not there, or says nothing; close it in any case. */
bool roots_module_open(struct roots_search *search, struct roots_module *module,
                       const struct heaptap_metadata *record);
void roots_module_close(struct roots_module *module);

/* Notes how many bytes thread-local data take, for roots_name_all. */
void roots_measure_local(struct roots_search *search);

/* Gives each of the graph's roots its number. */
void roots_name_all(struct roots_search *search);

#endif
