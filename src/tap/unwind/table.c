/* Compiled unwinding rules.
 *
 * .eh_frame is a program for each function, to be run anew for each address.  Nearly all that these
 * programs say fits 8 bytes an address range: where the caller's stack pointer is (stack or frame
 * pointer plus a constant), and where its frame pointer was saved.  The return address is at CFA -
 * 8 whenever this form is used; a row that says otherwise is marked TABLE_HARD.
 *
 * Compiling a large program at once would take tens of milliseconds inside one unlucky malloc, most
 * of it for code that never allocates.  So a module's text is cut into pages of 4 KiB, and a page
 * is compiled when an address in it is first asked for (a few microseconds).  The functions of a
 * page come from the sorted search table in .eh_frame_hdr. A page's rows are sorted by offset; a
 * row holds up to the next one; equal neighbours are one row; gaps between functions are rows of
 * TABLE_NONE.  Two passes, the first only counting, make the block exactly as large as it must be.
 *
 * Publication: the finished block is put in its slot by compare-and-swap.  Who loses the race uses
 * the winner's block, and its own is wasted.  Blocks are never changed or freed.
 *
 * A module without a search table (no linker we know makes one nowadays) is searched linearly, and
 * not compiled. */
#include "tap/unwind/table.h"

#include <string.h>

#include "tap/unwind/arena.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

/* The rules of 4 KiB of text: row n holds from starts[n] up to starts[n + 1]. */
struct table_page {
    uint32_t count; /* at least 1; starts[0] is 0 */
    const uint16_t *starts;
    struct table_rule rules[];
};

/* ---- The module's headers -------------------------------------------------------------------- */

enum { HEADER_VERSION = 1, TABLE_ENCODING = 0x3b /* relative to the header, signed, 4 bytes */ };

void table_init(struct table *table, const uint8_t *header, const uint8_t *low, const uint8_t *high,
                uint64_t start, uint64_t end)
{
    memset(table, 0, sizeof *table);
    table->base = (uint64_t)header;
    table->start = start;
    struct cfi_cursor cursor = {header, high, false};
    uint8_t version = cfi_u8(&cursor);
    uint8_t frame_encoding = cfi_u8(&cursor);
    uint8_t count_encoding = cfi_u8(&cursor);
    uint8_t table_encoding = cfi_u8(&cursor);
    const uint8_t *frame = (const uint8_t *)cfi_pointer(&cursor, frame_encoding, table->base);
    if (cursor.bad || version != HEADER_VERSION || frame < low || frame >= high)
        return;
    table->section = (struct cfi_cursor){frame, high, false};
    uint64_t count = cfi_pointer(&cursor, count_encoding, table->base);
    if (cursor.bad || table_encoding != TABLE_ENCODING || count > (uint64_t)(high - cursor.at) / 8)
        return;
    table->page_count = (end - start + PAGE_BYTES - 1) >> PAGE_SHIFT;
    table->pages = arena_take(table->page_count * sizeof *table->pages);
    if (!table->pages)
        return;
    table->search = cursor.at;
    table->search_count = (uint32_t)count;
}

/* The n-th function of the search table, and where its entry is. */
static uint64_t search_function(const struct table *table, uint32_t n)
{
    int32_t offset;
    memcpy(&offset, table->search + (size_t)n * 8, sizeof offset);
    return table->base + (uint64_t)(int64_t)offset;
}

static bool search_entry(const struct table *table, uint32_t n, struct cfi_entry *entry)
{
    int32_t offset;
    memcpy(&offset, table->search + (size_t)n * 8 + 4, sizeof offset);
    const uint8_t *place = (const uint8_t *)(table->base + (uint64_t)(int64_t)offset);
    if (place < table->section.at || place >= table->section.end)
        return false;
    struct cfi_cursor cursor = {place, table->section.end, false};
    return cfi_entry_read(entry, &cursor, &table->section) == CFI_FUNCTION;
}

/* How many functions of the search table begin at or before `address`. */
static uint32_t search_upto(const struct table *table, uint64_t address)
{
    uint32_t low = 0, high = table->search_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search_function(table, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool find_linearly(const struct table *table, uint64_t address, struct cfi_entry *entry)
{
    struct cfi_cursor cursor = table->section;
    for (;;) {
        enum cfi_read read = cfi_entry_read(entry, &cursor, &table->section);
        if (read == CFI_STOP)
            return false;
        if (read == CFI_FUNCTION && entry->start <= address && address < entry->end)
            return true;
    }
}

bool table_entry(const struct table *table, uint64_t address, struct cfi_entry *entry)
{
    if (!table->section.at)
        return false;
    if (!table->search)
        return find_linearly(table, address, entry);
    uint32_t count = search_upto(table, address);
    return count > 0 && search_entry(table, count - 1, entry) && address < entry->end &&
           address >= entry->start;
}

/* ---- From rows to rules ---------------------------------------------------------------------- */

static const struct table_rule rule_none = {.cfa = TABLE_NONE, .fp_words = -1};
static const struct table_rule rule_hard = {.cfa = TABLE_HARD, .fp_words = -1};
static const struct table_rule rule_outermost = {.cfa = TABLE_OUTERMOST, .fp_words = -1};

enum { OP_DEREF = 0x06, OP_BREG_RBP = 0x76 };

/* Whether the expression is "rbp + *offset", or the word there if `deref`. */
static bool is_rbp_expression(int64_t operand, bool deref, int64_t *offset)
{
    struct cfi_cursor block = cfi_block(operand);
    if (cfi_u8(&block) != OP_BREG_RBP)
        return false;
    *offset = cfi_sleb(&block);
    if (deref && cfi_u8(&block) != OP_DEREF)
        return false;
    return !block.bad && block.at == block.end;
}

static bool set_cfa(struct table_rule *rule, const struct cfi_row *row)
{
    int64_t offset = row->cfa_operand;
    if (row->cfa_how == CFI_IS_EXPRESSION) {
        if (!is_rbp_expression(row->cfa_operand, true, &offset))
            return false;
        rule->cfa = TABLE_AT_FP;
    } else if (row->cfa_register == CFI_RSP)
        rule->cfa = TABLE_SP;
    else if (row->cfa_register == CFI_RBP)
        rule->cfa = TABLE_FP;
    else
        return false;
    rule->cfa_offset = (int32_t)offset;
    return rule->cfa_offset == offset;
}

static bool set_fp(struct table_rule *rule, const struct cfi_row *row)
{
    int64_t offset = row->operand[CFI_RBP];
    rule->fp_words = -1;
    switch (row->how[CFI_RBP]) {
    case CFI_SAME:
    case CFI_UNDEFINED: /* unreliable by definition: any value will do */
        rule->fp = TABLE_KEPT;
        return true;
    case CFI_AT:
        rule->fp = TABLE_SAVED;
        break;
    case CFI_AT_EXPRESSION:
        if (!is_rbp_expression(row->operand[CFI_RBP], false, &offset))
            return false;
        rule->fp = TABLE_LINKED;
        break;
    default:
        return false;
    }
    rule->fp_words = (int16_t)(offset / 8);
    if (rule->fp_words * (int64_t)8 != offset)
        return false;
    return rule->fp == TABLE_LINKED ? rule->cfa == TABLE_AT_FP : offset < 0;
}

static struct table_rule rule_of_row(const struct cfi_entry *entry, const struct cfi_row *row)
{
    struct table_rule rule = {0};
    if (row->how[CFI_RIP] == CFI_UNDEFINED)
        return rule_outermost;
    if (entry->signal_frame || row->how[CFI_RIP] != CFI_AT || row->operand[CFI_RIP] != -8)
        return rule_hard;
    if (!set_cfa(&rule, row) || !set_fp(&rule, row))
        return rule_hard;
    return rule;
}

/* ---- Compiling a page ------------------------------------------------------------------------ */

/* Takes the rows of a page in order; counts them, and stores them where there is a place. */
struct writer {
    uint64_t page_start;
    uint32_t count;
    struct table_rule last;
    struct table_rule *rules; /* NULL in the counting pass */
    uint16_t *starts;
};

static void write_row(struct writer *writer, uint64_t address, struct table_rule rule)
{
    if (writer->count && memcmp(&rule, &writer->last, sizeof rule) == 0)
        return;
    if (writer->rules) {
        uint64_t start = address > writer->page_start ? address - writer->page_start : 0;
        writer->rules[writer->count] = rule;
        writer->starts[writer->count] = (uint16_t)start;
    }
    writer->last = rule;
    writer->count++;
}

/* Writes the rows of one function that lie in the page; returns where they end. */
static uint64_t write_function(struct writer *writer, const struct cfi_entry *entry,
                               struct cfi_run *run)
{
    uint64_t page_end = writer->page_start + PAGE_BYTES;
    if (!cfi_run_begin(run, entry))
        return entry->start;
    while (cfi_run_next(run) && run->start < page_end)
        if (run->end > writer->page_start)
            write_row(writer, run->start, rule_of_row(entry, &run->row));
    return run->cursor.bad ? run->start : entry->end;
}

/* Writes all rows of the page. */
static void write_page(const struct table *table, struct writer *writer, struct cfi_run *run)
{
    uint64_t page_end = writer->page_start + PAGE_BYTES;
    uint64_t covered = writer->page_start; /* rows are complete up to here */
    uint32_t n = search_upto(table, writer->page_start);
    for (n = n ? n - 1 : 0; n < table->search_count; n++) {
        struct cfi_entry entry;
        if (search_function(table, n) >= page_end)
            break;
        if (!search_entry(table, n, &entry) || entry.end <= covered || entry.start >= page_end)
            continue;
        if (entry.start < covered && covered > writer->page_start)
            continue; /* two functions at one place: the first holds */
        if (entry.start > covered)
            write_row(writer, covered, rule_none);
        uint64_t end = write_function(writer, &entry, run);
        covered = end > covered ? end : covered;
    }
    if (covered < page_end)
        write_row(writer, covered, rule_none);
}

static struct table_page *compile_page(const struct table *table, uint64_t number,
                                       struct cfi_run *run)
{
    struct writer writer = {.page_start = table->start + (number << PAGE_SHIFT)};
    write_page(table, &writer, run);
    uint32_t count = writer.count;
    struct table_page *page =
        arena_take(sizeof *page + count * (sizeof(struct table_rule) + sizeof(uint16_t)));
    if (!page)
        return NULL;
    writer = (struct writer){.page_start = writer.page_start,
                             .rules = page->rules,
                             .starts = (uint16_t *)(page->rules + count)};
    write_page(table, &writer, run);
    page->starts = writer.starts;
    page->count = count;
    return page;
}

static const struct table_page *page_of(struct table *table, uint64_t number, struct cfi_run *run)
{
    struct table_page *page = atomic_load_explicit(&table->pages[number], memory_order_acquire);
    if (page)
        return page;
    struct table_page *made = compile_page(table, number, run);
    if (!made)
        return NULL;
    if (atomic_compare_exchange_strong_explicit(&table->pages[number], &page, made,
                                                memory_order_acq_rel, memory_order_acquire))
        return made;
    return page;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static struct table_rule lookup_linearly(const struct table *table, uint64_t address,
                                         struct cfi_run *run)
{
    struct cfi_entry entry;
    if (!table_entry(table, address, &entry) || !cfi_run_begin(run, &entry))
        return rule_none;
    while (cfi_run_next(run))
        if (address < run->end)
            return rule_of_row(&entry, &run->row);
    return rule_none;
}

struct table_rule table_lookup(struct table *table, uint64_t address, struct cfi_run *scratch)
{
    if (!table->search)
        return lookup_linearly(table, address, scratch);
    uint64_t number = (address - table->start) >> PAGE_SHIFT;
    if (number >= table->page_count)
        return rule_none;
    const struct table_page *page = page_of(table, number, scratch);
    if (!page)
        return rule_none;
    uint16_t offset = (uint16_t)((address - table->start) & (PAGE_BYTES - 1));
    uint32_t low = 0, high = page->count; /* starts[low] <= offset < starts[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (page->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return page->rules[low];
}
