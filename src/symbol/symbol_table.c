#include "symbol/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* One address often has several names: malloc, __libc_malloc, __malloc.  People know the exported
 * one with the fewest leading underscores. */
static unsigned symbol_rank(const GElf_Sym *symbol, const char *name)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? 1 : 0;
    unsigned kind = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 1 : 0;
    unsigned underscores = (unsigned)strspn(name, "_");
    if (underscores == 1 && (name[1] == 'Z' || name[1] == 'R'))
        underscores = 0;
    return kind << 9 | (underscores > 127 ? 127 : underscores) << 1 | binding;
}

static int by_address(const void *left, const void *right)
{
    const struct table_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if ((a->end == a->address) != (b->end == b->address))
        return a->end == a->address ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool is_code(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    /* $x, $d and .L... are marks of assemblers, not names. */
    return type == STT_FUNC || type == STT_GNU_IFUNC ||
           (type == STT_NOTYPE && name[0] != '$' && name[0] != '.');
}

static bool read_symbols(struct symbol_table *table, const struct debug_file *file)
{
    int count = dwfl_module_getsymtab(file->module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = debug_file_symbol(file, i, &symbol, &address);
        if (!name || !is_code(&symbol, name) || !debug_file_has_code(file, address))
            continue;
        if (!ARRAY_RESERVE(&table->symbols, &table->capacity, table->count + 1))
            return false;
        uint64_t end = address + symbol.st_size;
        table->symbols[table->count++] = (struct table_symbol){
            .address = address,
            .end = end < address ? address : end,
            .name = name,
            .rank = symbol_rank(&symbol, name),
        };
    }
    return true;
}

bool symbol_table_init(struct symbol_table *table, const struct debug_file *file)
{
    *table = (struct symbol_table){0};
    if (!read_symbols(table, file))
        return false;
    if (!table->count)
        return true;
    qsort(table->symbols, table->count, sizeof *table->symbols, by_address);
    size_t kept = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (kept && table->symbols[kept - 1].address == table->symbols[i].address)
            continue;
        struct table_symbol symbol = table->symbols[i];
        if (symbol.end > reach)
            reach = symbol.end;
        symbol.reach = reach;
        table->symbols[kept++] = symbol;
    }
    table->count = kept;
    return true;
}

void symbol_table_release(struct symbol_table *table)
{
    free(table->symbols);
    *table = (struct symbol_table){0};
}

/* Whether both addresses are in one stretch of code, so that a label without a size may reach. */
static bool same_stretch(const struct debug_file *file, uint64_t left, uint64_t right)
{
    for (size_t i = 0; i < file->code_count; i++)
        if (left >= file->code[i].low && left < file->code[i].high)
            return right >= file->code[i].low && right < file->code[i].high;
    return false;
}

/* How many symbols begin at or before an address. */
static size_t symbols_up_to(const struct symbol_table *table, uint64_t address)
{
    return ARRAY_SEARCH(middle, table->count, table->symbols[middle].address <= address);
}

const char *symbol_table_find(const struct symbol_table *table, const struct debug_file *file,
                              uint64_t address, uint64_t *label)
{
    size_t count = symbols_up_to(table, address);
    if (label)
        *label = 0;
    if (!count)
        return NULL;
    const struct table_symbol *nearest = &table->symbols[count - 1];
    for (size_t i = count; i > 0 && table->symbols[i - 1].reach > address; i--)
        if (table->symbols[i - 1].end > address)
            return table->symbols[i - 1].name;
    if (nearest->end != nearest->address || !same_stretch(file, nearest->address, address))
        return NULL;
    if (label)
        *label = nearest->address;
    return nearest->name;
}

const char *symbol_table_starting(const struct symbol_table *table, uint64_t address)
{
    size_t count = symbols_up_to(table, address);
    if (!count || table->symbols[count - 1].address != address)
        return NULL;
    return table->symbols[count - 1].name;
}
