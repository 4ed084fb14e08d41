#include "symbol/data_symbols.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- Symbols ------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
    const struct data_symbol *a = left, *b = right;
    if (a->is_local != b->is_local)
        return a->is_local ? 1 : -1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return strcmp(a->name, b->name);
}

bool data_symbols_init(struct data_symbols *table, const struct debug_file *file)
{
    int count = dwfl_module_getsymtab(file->module);
    *table = (struct data_symbols){0};
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = debug_file_symbol(file, i, &symbol, &address);
        unsigned type = name ? GELF_ST_TYPE(symbol.st_info) : STT_NOTYPE;
        if ((type != STT_OBJECT && type != STT_TLS) || symbol.st_size == 0)
            continue;
        if (!ARRAY_RESERVE(&table->symbols, &table->capacity, table->count + 1))
            return false;
        if (type == STT_TLS)
            address = symbol.st_value;
        table->symbols[table->count++] = (struct data_symbol){.address = address,
                                                              .end = address + symbol.st_size,
                                                              .name = name,
                                                              .is_local = type == STT_TLS};
    }
    if (table->count > 0)
        qsort(table->symbols, table->count, sizeof *table->symbols, by_address);
    return true;
}

void data_symbols_release(struct data_symbols *table)
{
    free(table->symbols);
    *table = (struct data_symbols){0};
}

/* Of several that begin at one address, the first is the largest. */
struct data_symbol *data_symbols_find(const struct data_symbols *table, bool is_local,
                                      uint64_t address)
{
    size_t after = ARRAY_SEARCH(
        at, table->count,
        table->symbols[at].is_local < is_local ||
            (table->symbols[at].is_local == is_local && table->symbols[at].address <= address));
    for (size_t i = after; i-- > 0 && table->symbols[i].is_local == is_local && i + 16 > after;)
        if (address < table->symbols[i].end)
            return &table->symbols[i];
    return NULL;
}

/* ---- Places -------------------------------------------------------------------------- */

struct places {
    struct data_symbols *table;
    const struct debug_file *file;
};

/* Where a variable is: false for one that has no address of its own. */
static bool place_of(const struct places *places, Dwarf_Die *die, bool *is_local, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count == 0)
        return false;
    *is_local = count == 2 && (ops[1].atom == DW_OP_form_tls_address ||
                               ops[1].atom == DW_OP_GNU_push_tls_address);
    *address = ops[0].number + (*is_local ? 0 : places->file->dwarf_bias);
    return *is_local || (count == 1 && ops[0].atom == DW_OP_addr);
}

static void take_variable(const struct places *places, Dwarf_Die *die)
{
    bool is_local;
    uint64_t address;
    int line;
    if (!place_of(places, die, &is_local, &address))
        return;
    struct data_symbol *symbol = data_symbols_find(places->table, is_local, address);
    const char *file = symbol ? dwarf_decl_file(die) : NULL;
    if (!file || dwarf_decl_line(die, &line) != 0 || symbol->address != address)
        return;
    symbol->file = file;
    symbol->line = (uint64_t)line;
}

static bool has_variables(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_module;
}

static void walk(const struct places *places, Dwarf_Die *parent, unsigned depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die die;
    if (depth == DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_variable)
            take_variable(places, &die);
        else if (has_variables(tag))
            walk(places, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void data_symbols_find_places(struct data_symbols *table, const struct debug_file *file)
{
    struct places places = {table, file};
    Dwarf_Off next, offset = 0;
    size_t header;
    while (file->dwarf &&
           dwarf_nextcu(file->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(file->dwarf, offset + header, &unit))
            walk(&places, &unit, 0);
        offset = next;
    }
}
