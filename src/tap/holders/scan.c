/* Only words are looked at that are aligned and lie in pages which have memory.  A word counts where it points at a block or into
 * one; the address behind a block's last byte is in the next chunk's header, which is in no block.
 *
 * Roots are what is writable, or of no file, except for the heap itself (heaps of glibc's arenas, with all that is free in them; the
 * mappings of large blocks), what is the recorder's, and what lies below the stack pointer of a thread. */
#include "tap/holders/scan.h"

#include <string.h>
#include <sys/time.h>

#include "tap/holders/blocks.h"
#include "tap/holders/chunk.h"
#include "tap/holders/chunks.h"
#include "tap/holders/maps.h"
#include "tap/holders/present.h"
#include "tap/holders/stack_ranges.h"
#include "tap/holders/thread_stacks.h"
#include "tap/inside/clock.h"
#include "tap/inside/kernel.h"
#include "tap/inside/own_pages.h"

extern char _end[] __attribute__((visibility("hidden")));

struct scan {
    const struct scan_task *task;
    struct snapshot_output *output;
    struct maps maps;
    struct blocks blocks;
    struct present present;
    const struct mapping *constants; /* the last one that a block's first word pointed into */
};

static uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

/* Behind the page that an address is in. */
static uint64_t page_end(const struct scan *scan, uint64_t address)
{
    return ((address >> scan->present.page_bits) + 1) << scan->present.page_bits;
}

/* ---- Blocks -------------------------------------------------------------------------- */

/* A pointer to what a module has as constants, as a C++ object's first word is one to its class's vtable. */
static uint64_t constant_in(struct scan *scan, uint64_t block)
{
    if (!present_has(&scan->present, block))
        return 0;
    uint64_t word = word_at(block);
    if (word % 8 || word < 4096)
        return 0;
    const struct mapping *mapping = scan->constants;
    if (!mapping || word < mapping->start || word >= mapping->end)
        mapping = maps_find(&scan->maps, word);
    if (!mapping || !mapping->is_file)
        return 0;
    scan->constants = mapping;
    return word;
}

static void put_blocks(struct scan *scan)
{
    const struct blocks *blocks = &scan->blocks;
    struct snapshot_output *output = scan->output;
    uint64_t address = 0, id = 0;
    snapshot_put_byte(output, HOLDERS_DUMP_BLOCKS);
    snapshot_put(output, blocks->count);
    for (uint32_t i = 0; i < blocks->count; i++) {
        snapshot_put(output, blocks->address[i] - address);
        snapshot_put(output, blocks_bytes(blocks, i));
        snapshot_put_id(output, blocks->id[i] != NO_ID, blocks->id[i], &id);
        snapshot_put(output, constant_in(scan, blocks->address[i]));
        address = blocks->address[i];
    }
}

/* ---- Words --------------------------------------------------------------------------- */

/* The next word in [*at, end) that points into a block: that block, and `*at` is behind the word; NO_BLOCK for none. */
static uint32_t next_pointer(struct scan *scan, uint64_t *at, uint64_t end)
{
    const struct blocks *blocks = &scan->blocks;
    uint64_t address = *at;
    while (address + HOLDERS_DUMP_WORD <= end) {
        uint64_t stop = page_end(scan, address);
        stop = stop < end ? stop : end;
        if (!present_has(&scan->present, address)) {
            address = stop;
            continue;
        }
        for (; address + HOLDERS_DUMP_WORD <= stop; address += HOLDERS_DUMP_WORD) {
            uint32_t block = blocks_find(blocks, word_at(address));
            if (block == NO_BLOCK)
                continue;
            *at = address + HOLDERS_DUMP_WORD;
            return block;
        }
    }
    return NO_BLOCK;
}

static void put_edges_of(struct scan *scan, uint32_t from)
{
    uint64_t start = scan->blocks.address[from], end = start + blocks_bytes(&scan->blocks, from);
    uint64_t at = start, before = start;
    uint32_t to;
    while ((to = next_pointer(scan, &at, end)) != NO_BLOCK) {
        if (to == from)
            continue;
        uint64_t place = at - HOLDERS_DUMP_WORD;
        snapshot_put(scan->output, (place - before) / HOLDERS_DUMP_WORD + 1);
        snapshot_put_signed(scan->output, (int64_t)to - (int64_t)from);
        before = place;
    }
    snapshot_put(scan->output, 0);
}

static void put_edges(struct scan *scan)
{
    snapshot_put_byte(scan->output, HOLDERS_DUMP_EDGES);
    for (uint32_t i = 0; i < scan->blocks.count; i++)
        put_edges_of(scan, i);
}

static void put_segment(struct scan *scan, enum holders_segment kind, size_t thread, uint64_t start,
                        uint64_t end)
{
    uint64_t at = start, before = start;
    uint32_t to = next_pointer(scan, &at, end);
    if (to == NO_BLOCK)
        return;
    snapshot_put(scan->output, kind);
    snapshot_put(scan->output, thread);
    snapshot_put(scan->output, start);
    for (; to != NO_BLOCK; to = next_pointer(scan, &at, end)) {
        uint64_t place = at - HOLDERS_DUMP_WORD;
        snapshot_put(scan->output, (place - before) / HOLDERS_DUMP_WORD + 1);
        snapshot_put(scan->output, to);
        before = place;
    }
    snapshot_put(scan->output, 0);
}

/* ---- What is no root ----------------------------------------------------------------- */

/* Where glibc has the block: a mapping, an arena's heap, or the main arena. */
static void leave_out_heap_of(struct scan *scan, uint64_t block)
{
    uint64_t word = chunk_size_word(block), size = word & ~(uint64_t)CHUNK_FLAGS;
    uint64_t page = (UINT64_C(1) << scan->present.page_bits) - 1;
    const struct mapping *mapping;
    if (word & CHUNK_IS_MAPPED) {
        uint64_t chunk = block - CHUNK_HEADER_BYTES;
        maps_leave_out(&scan->maps, chunk & ~page, (chunk + size + page) & ~page);
    } else if (word & CHUNK_NOT_MAIN) {
        uint64_t heap = block >> CHUNK_HEAP_BITS << CHUNK_HEAP_BITS;
        maps_leave_out(&scan->maps, heap, heap + (UINT64_C(1) << CHUNK_HEAP_BITS));
    } else if ((mapping = maps_find(&scan->maps, block))) {
        maps_leave_out(&scan->maps, mapping->start, mapping->end);
    }
}

/* An arena's heap without a block. */
static bool is_empty_heap(struct scan *scan, const struct mapping *mapping)
{
    return chunks_heap_end(&scan->present, mapping, mapping->start) == mapping->end;
}

static void leave_out_heaps(struct scan *scan)
{
    for (uint32_t i = 0; i < scan->blocks.count; i++)
        leave_out_heap_of(scan, scan->blocks.address[i]);
    for (size_t i = 0; i < scan->maps.count; i++) {
        const struct mapping *mapping = &scan->maps.mappings[i];
        if (mapping->is_heap || is_empty_heap(scan, mapping))
            maps_leave_out(&scan->maps, mapping->start, mapping->end);
    }
}

/* The main arena lies in libc's data, and points at its free chunks, which begin with the last word of the block before.  It has a
 * pointer to the last chunk of the heap, which ends with the heap's mapping; after it, and another pointer, each bin that is empty
 * points to itself. */
static void leave_out_main_arena(struct scan *scan, const struct mapping *data,
                                 const struct mapping *heap)
{
    enum { BEFORE_BYTES = 96, BEHIND_BYTES = 2200, LAST_BIN = 2032 - 16, BIN_BYTES = 16 };
    for (uint64_t at = data->start; at + BEHIND_BYTES <= data->end; at += HOLDERS_DUMP_WORD) {
        if (!present_has(&scan->present, at)) {
            at = page_end(scan, at) - HOLDERS_DUMP_WORD;
            continue;
        }
        uint64_t top = word_at(at), bins = at + 2 * HOLDERS_DUMP_WORD;
        uint64_t last = bins + LAST_BIN; /* of the largest chunks: empty in nearly all programs */
        if (top % 16 || top < heap->start || top + CHUNK_LEAST_BYTES > heap->end ||
            top + (word_at(top + 8) & ~(uint64_t)CHUNK_FLAGS) != heap->end ||
            word_at(last) != last - BIN_BYTES || word_at(last + 8) != last - BIN_BYTES)
            continue;
        maps_leave_out(&scan->maps, at - BEFORE_BYTES, at + BEHIND_BYTES);
        return;
    }
}

static void leave_out_arenas(struct scan *scan)
{
    const struct mapping *heap = NULL;
    for (size_t i = 0; i < scan->maps.count; i++)
        if (scan->maps.mappings[i].is_heap)
            heap = &scan->maps.mappings[i];
    for (size_t i = 0; heap && i < scan->maps.count; i++)
        if (scan->maps.mappings[i].is_writable && scan->maps.mappings[i].inode)
            leave_out_main_arena(scan, &scan->maps.mappings[i], heap);
}

static void leave_out_own(struct scan *scan)
{
    static const char constant[] = "heaptap";
    const struct own_pages *pages = &heaptap_own_pages;
    uint32_t count = pages->ranges ? atomic_load(&pages->count) : 0;
    for (uint32_t i = 0; i < count && i < pages->most; i++) {
        uint64_t start = atomic_load(&pages->ranges[i].start);
        maps_leave_out(&scan->maps, start, start + atomic_load(&pages->ranges[i].bytes));
    }
    maps_leave_out(&scan->maps, (uint64_t)pages->ranges,
                   (uint64_t)pages->ranges + pages->most * sizeof *pages->ranges);
    maps_leave_out_library(&scan->maps, (uint64_t)constant, (uint64_t)_end);
}

/* ---- Threads ------------------------------------------------------------------------- */

/* Which part of a mapping a thread's stack is; and the thread's number in `thread`.  Else 0 for both. */
static uint64_t stack_in(const struct scan *scan, const struct mapping *mapping, size_t *thread)
{
    for (size_t i = 0; i < scan->task->thread_count; i++) {
        uint64_t stack = scan->task->threads[i].stack;
        if (stack >= mapping->start && stack < mapping->end) {
            *thread = i + 1;
            return stack;
        }
    }
    return *thread = 0;
}

static size_t local_in(const struct scan *scan, const struct mapping *mapping)
{
    for (size_t i = 0; i < scan->task->thread_count; i++) {
        uint64_t pointer = scan->task->threads[i].pointer;
        if (pointer >= mapping->start && pointer < mapping->end)
            return i + 1;
    }
    return 0;
}

/* What is known of threads besides what they themselves could tell. */
static void look_at_threads(struct scan *scan, struct snapshot_thread *threads)
{
    const struct snapshot_options *options = scan->task->options;
    for (size_t i = 0; i < scan->task->thread_count; i++) {
        const struct mapping *mapping = maps_find(&scan->maps, threads[i].stack);
        if (!threads[i].pointer && mapping && !mapping->is_stack)
            threads[i].pointer =
                thread_stacks_pointer(&scan->present, threads[i].stack, mapping->end);
        uint64_t self = threads[i].pointer + (uint64_t)options->self_offset;
        if (threads[i].pointer)
            maps_leave_out(&scan->maps, self, self + options->self_bytes);
    }
}

/* Of a thread that is known, the number must be where the layout says.  If it isn't, it is looked for. */
static struct thread_layout layout_of_threads(const struct scan *scan)
{
    struct thread_layout layout = scan->task->options->layout;
    uint64_t own = (uint64_t)__builtin_thread_pointer(), id = 0;
    for (size_t i = 0; i < scan->task->thread_count; i++)
        if (scan->task->threads[i].pointer == own)
            id = scan->task->threads[i].id;
    if (!id)
        return (struct thread_layout){0};
    if (layout.id && *(const uint32_t *)(own + layout.id) == id)
        return layout;
    return (struct thread_layout){.id = thread_stacks_id_offset(own, id)};
}

static void tell_stacks_apart(struct scan *scan)
{
    const struct thread_layout layout = layout_of_threads(scan);
    maps_sort(&scan->maps);
    stack_ranges_tell_apart(&scan->maps, &scan->present, &layout);
}

/* What a thread's functions have on its stack is told by their frames. */
static void put_frames(struct scan *scan, const struct snapshot_thread *thread)
{
    enum { MOST = 256 };
    static struct snapshot_frame frames[MOST];
    const struct snapshot_options *options = scan->task->options;
    uint32_t count = options->find_frames && thread->start.sp
                         ? options->find_frames(&thread->start, frames, MOST)
                         : 0;
    for (uint32_t i = 0; i < count; i++) {
        snapshot_put(scan->output, 1);
        snapshot_put(scan->output, frames[i].slot);
        snapshot_put(scan->output, frames[i].pc);
    }
    snapshot_put(scan->output, 0);
}

static void put_threads(struct scan *scan)
{
    const struct scan_task *task = scan->task;
    snapshot_put_byte(scan->output, HOLDERS_DUMP_THREADS);
    snapshot_put(scan->output, task->thread_count);
    for (size_t i = 0; i < task->thread_count; i++) {
        snapshot_put(scan->output, task->threads[i].id);
        snapshot_put(scan->output, task->threads[i].pointer);
        snapshot_put_bytes(scan->output, task->threads[i].name, HOLDERS_DUMP_NAME_BYTES);
        put_frames(scan, &task->threads[i]);
    }
}

/* ---- Roots --------------------------------------------------------------------------- */

/* Below the stack pointer a leaf function may have its locals. */
enum { RED_ZONE_BYTES = 128 };

/* Of a stack, what is in use of it, where it is known to be a thread's alone: the main one's, or one with the thread's data at its
 * end. */
static uint64_t first_in_use(const struct scan *scan, const struct mapping *mapping, uint64_t stack,
                             size_t thread)
{
    uint64_t pointer = thread ? scan->task->threads[thread - 1].pointer : 0;
    bool is_own = mapping->is_stack || (pointer >= stack && pointer < mapping->end);
    return thread && is_own ? (stack - RED_ZONE_BYTES) & ~UINT64_C(7) : mapping->start;
}

static void put_mapping(struct scan *scan, const struct mapping *mapping, size_t *left_out)
{
    size_t thread;
    present_look_at(&scan->present, mapping);
    uint64_t stack = stack_in(scan, mapping, &thread), part_end;
    uint64_t start = first_in_use(scan, mapping, stack, thread);
    enum holders_segment kind = start != mapping->start || mapping->is_stack
                                    ? HOLDERS_SEGMENT_STACK
                                    : HOLDERS_SEGMENT_MEMORY;
    if (kind == HOLDERS_SEGMENT_MEMORY && (thread = local_in(scan, mapping)))
        kind = HOLDERS_SEGMENT_LOCAL;
    for (; maps_next_part(&scan->maps, left_out, &start, mapping->end, &part_end); start = part_end)
        put_segment(scan, kind, thread, start, part_end);
}

static void put_roots(struct scan *scan)
{
    size_t left_out = 0;
    snapshot_put_byte(scan->output, HOLDERS_DUMP_ROOTS);
    for (size_t i = 0; i < scan->maps.count; i++)
        if (scan->maps.mappings[i].is_root)
            put_mapping(scan, &scan->maps.mappings[i], &left_out);
    snapshot_put(scan->output, HOLDERS_SEGMENT_NONE);
}

/* ---- The whole ----------------------------------------------------------------------- */

static void each_known(holders_tell_block *tell, void *context, const void *from)
{
    const struct snapshot_options *options = from;
    options->each_block(tell, context);
}

static void identify(void *context, uint64_t address, uint64_t id)
{
    blocks_identify(context, address, id);
}

static bool find_blocks(struct scan *scan)
{
    const struct snapshot_options *options = scan->task->options;
    if (!options->is_sampled)
        return blocks_init(&scan->blocks, each_known, options);
    const struct chunks chunks = {&scan->maps, &scan->present};
    if (!blocks_init(&scan->blocks, chunks_each, &chunks))
        return false;
    options->each_block(identify, &scan->blocks);
    return true;
}

void scan_run(const struct scan_task *task, struct snapshot_output *output)
{
    static struct scan scan; /* in the copy's own memory; its stack is short */
    scan.task = task;
    scan.output = output;
    present_open(&scan.present);
    if (!maps_read(&scan.maps) || !find_blocks(&scan))
        return;
    snapshot_put_bytes(output, HOLDERS_DUMP_MAGIC, sizeof HOLDERS_DUMP_MAGIC - 1);
    snapshot_put_byte(output, HOLDERS_DUMP_SNAPSHOT);
    snapshot_put(output, task->options->cause);
    snapshot_put(output, task->options->time_us);
    snapshot_put(output, 0);
    snapshot_put_byte(output, HOLDERS_DUMP_MAPS);
    snapshot_put(output, scan.maps.text_bytes);
    snapshot_put_bytes(output, scan.maps.text, scan.maps.text_bytes);
    leave_out_heaps(&scan);
    leave_out_arenas(&scan);
    leave_out_own(&scan);
    tell_stacks_apart(&scan);
    look_at_threads(&scan, (struct snapshot_thread *)task->threads);
    maps_sort(&scan.maps);
    put_threads(&scan);
    put_blocks(&scan);
    put_edges(&scan);
    put_roots(&scan);
    snapshot_put_byte(output, HOLDERS_DUMP_END);
    snapshot_put(output, task->still_us);
    snapshot_put(output, clock_processor_us());
    snapshot_output_flush(output);
}
