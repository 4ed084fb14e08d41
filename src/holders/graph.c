#include "holders/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/order.h"
#include "spec/holders_dump.h"

/* The file's bytes; `ok` falls where they end too early or say what can't be. */
struct bytes {
    const uint8_t *at, *end;
    bool ok;
};

static uint64_t take(struct bytes *bytes)
{
    uint64_t number = 0;
    for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
        uint8_t byte = *bytes->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    bytes->ok = false;
    return 0;
}

static int64_t take_signed(struct bytes *bytes)
{
    uint64_t number = take(bytes);
    return (int64_t)(number >> 1 ^ -(number & 1));
}

static const uint8_t *take_bytes(struct bytes *bytes, uint64_t size)
{
    bytes->ok = bytes->ok && (uint64_t)(bytes->end - bytes->at) >= size;
    if (!bytes->ok)
        return NULL;
    bytes->at += size;
    return bytes->at - size;
}

static void take_letter(struct bytes *bytes, char letter)
{
    const uint8_t *found = take_bytes(bytes, 1);
    bytes->ok = found && *found == (uint8_t)letter;
}

/* How many there are of what takes some bytes each. */
static uint64_t take_count(struct bytes *bytes, uint64_t bytes_each)
{
    uint64_t count = take(bytes);
    bytes->ok =
        bytes->ok && count <= (uint64_t)(bytes->end - bytes->at) / bytes_each && count < GRAPH_NONE;
    return bytes->ok ? count : 0;
}

static void take_snapshot(struct graph *graph, struct bytes *bytes)
{
    take_letter(bytes, HOLDERS_DUMP_SNAPSHOT);
    uint64_t cause = bytes->ok ? take(bytes) : 0;
    bytes->ok = bytes->ok && cause <= HOLDERS_CAUSE_INTERVAL;
    graph->cause = (uint8_t)cause;
    graph->time_us = take(bytes);
    graph->is_of_objects = bytes->ok && take(bytes) == 1;
}

/* Parts return false when there is no memory. */

static bool take_maps(struct graph *graph, struct bytes *bytes)
{
    take_letter(bytes, HOLDERS_DUMP_MAPS);
    uint64_t size = bytes->ok ? take(bytes) : 0;
    const uint8_t *text = take_bytes(bytes, size);
    if (!text)
        return true;
    graph->maps = strndup((const char *)text, size);
    return graph->maps != NULL;
}

static bool take_frames(struct graph_thread *thread, struct bytes *bytes)
{
    while (bytes->ok && take(bytes) == 1) {
        if (!ARRAY_RESERVE(&thread->frames, &thread->frame_capacity, thread->frame_count + 1))
            return false;
        uint64_t slot = take(bytes);
        thread->frames[thread->frame_count++] = (struct graph_frame){slot, take(bytes)};
    }
    return true;
}

static bool take_threads(struct graph *graph, struct bytes *bytes)
{
    take_letter(bytes, HOLDERS_DUMP_THREADS);
    graph->thread_count = bytes->ok ? take_count(bytes, HOLDERS_DUMP_NAME_BYTES) : 0;
    graph->threads = calloc(graph->thread_count + 1, sizeof *graph->threads);
    for (size_t i = 0; graph->threads && bytes->ok && i < graph->thread_count; i++) {
        struct graph_thread *thread = &graph->threads[i];
        thread->id = take(bytes);
        thread->pointer = take(bytes);
        const uint8_t *name = take_bytes(bytes, HOLDERS_DUMP_NAME_BYTES);
        if (name)
            memcpy(thread->name, name, HOLDERS_DUMP_NAME_BYTES);
        if (!take_frames(thread, bytes))
            return false;
    }
    return graph->threads != NULL;
}

static bool take_blocks(struct graph *graph, struct bytes *bytes)
{
    enum { LEAST_BYTES = 4 };
    uint64_t address = 0, id = 0;
    take_letter(bytes, HOLDERS_DUMP_BLOCKS);
    graph->count = bytes->ok ? (uint32_t)take_count(bytes, LEAST_BYTES) : 0;
    graph->blocks = calloc((size_t)graph->count + 1, sizeof *graph->blocks);
    for (uint32_t i = 0; graph->blocks && i < graph->count; i++) {
        address += take(bytes);
        uint64_t size = take(bytes), known = take(bytes);
        if (known > 0)
            id += (known - 1) >> 1 ^ -((known - 1) & 1);
        graph->blocks[i] = (struct graph_block){.id = known > 0 ? id : GRAPH_NO_ID,
                                                .address = address,
                                                .bytes = (double)size,
                                                .weight = 1,
                                                .first = take(bytes),
                                                .stack = GRAPH_NONE};
    }
    return graph->blocks != NULL;
}

static bool add_edge(struct graph *graph, const struct graph_edge *edge)
{
    if (!ARRAY_RESERVE(&graph->edges, &graph->edge_capacity, graph->edge_count + 1))
        return false;
    graph->edges[graph->edge_count++] = *edge;
    return true;
}

/* To each, its name's number stands for the offset. */
static bool take_references(struct graph *graph, struct bytes *bytes, uint32_t from)
{
    uint64_t name;
    graph->first_edge[from] = graph->edge_count;
    while ((name = take(bytes)) > 0) {
        uint64_t to = take(bytes);
        bytes->ok = bytes->ok && to < graph->count && name <= UINT32_MAX;
        if (bytes->ok && !add_edge(graph, &(struct graph_edge){(uint32_t)to, (uint32_t)name - 1}))
            return false;
    }
    return true;
}

static bool take_edges(struct graph *graph, struct bytes *bytes)
{
    take_letter(bytes, HOLDERS_DUMP_EDGES);
    graph->first_edge = calloc((size_t)graph->count + 1, sizeof *graph->first_edge);
    if (!graph->first_edge)
        return false;
    for (uint32_t i = 0; i < graph->count && bytes->ok; i++) {
        uint64_t step, offset = 0;
        if (graph->is_of_objects) {
            if (!take_references(graph, bytes, i))
                return false;
            continue;
        }
        graph->first_edge[i] = graph->edge_count;
        while ((step = take(bytes)) > 0) {
            offset += (step - 1) * HOLDERS_DUMP_WORD;
            int64_t to = (int64_t)i + take_signed(bytes);
            bytes->ok = bytes->ok && to >= 0 && to < (int64_t)graph->count;
            struct graph_edge edge = {(uint32_t)to,
                                      offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX};
            if (bytes->ok && !add_edge(graph, &edge))
                return false;
        }
    }
    graph->first_edge[graph->count] = graph->edge_count;
    return true;
}

static bool take_segment(struct graph *graph, struct bytes *bytes, uint64_t kind)
{
    uint64_t step, thread = take(bytes), address = take(bytes);
    bytes->ok = bytes->ok && thread <= graph->thread_count && kind <= HOLDERS_SEGMENT_LOCAL;
    while (bytes->ok && (step = take(bytes)) > 0) {
        address += (step - 1) * HOLDERS_DUMP_WORD;
        uint64_t block = take(bytes);
        bytes->ok = bytes->ok && block < graph->count;
        if (!ARRAY_RESERVE(&graph->roots, &graph->root_capacity, graph->root_count + 1))
            return false;
        if (bytes->ok)
            graph->roots[graph->root_count++] = (struct graph_root){.address = address,
                                                                    .block = (uint32_t)block,
                                                                    .thread = (uint32_t)thread,
                                                                    .kind = (uint8_t)kind};
    }
    return true;
}

/* Of an interpreter's objects. */
static bool take_object_root(struct graph *graph, struct bytes *bytes, uint64_t kind)
{
    enum { MODULE, NAME, FILE_NAME, LINE, BLOCK, NUMBERS };
    uint32_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        uint64_t number = take(bytes);
        bytes->ok = bytes->ok && number < GRAPH_NONE;
        numbers[i] = (uint32_t)number;
    }
    bytes->ok = bytes->ok && numbers[BLOCK] < graph->count && kind <= HOLDERS_ROOT_GARBAGE;
    if (!ARRAY_RESERVE(&graph->roots, &graph->root_capacity, graph->root_count + 1))
        return false;
    if (bytes->ok)
        graph->roots[graph->root_count++] = (struct graph_root){.block = numbers[BLOCK],
                                                                .kind = (uint8_t)kind,
                                                                .module = numbers[MODULE],
                                                                .name = numbers[NAME],
                                                                .file = numbers[FILE_NAME],
                                                                .line = numbers[LINE]};
    return true;
}

static bool take_roots(struct graph *graph, struct bytes *bytes)
{
    uint64_t kind;
    take_letter(bytes, HOLDERS_DUMP_ROOTS);
    while (bytes->ok && (kind = take(bytes)) != HOLDERS_SEGMENT_NONE)
        if (graph->is_of_objects ? !take_object_root(graph, bytes, kind)
                                 : !take_segment(graph, bytes, kind))
            return false;
    return true;
}

/* False when there is no memory. */
static bool take_name(struct graph_name *name, struct bytes *bytes, uint64_t kind)
{
    static const char *const before[] = {"", ".", "['", "upvalue ", "local "}, *const behind[] = {
                                                                                   "", "", "']", "",
                                                                                   ""};
    uint64_t size = take(bytes);
    const uint8_t *text = take_bytes(bytes, size);
    bytes->ok = bytes->ok && kind <= HOLDERS_NAME_LOCAL;
    return !bytes->ok || asprintf(&name->text, "%s%.*s%s", before[kind], (int)size,
                                  (const char *)text, behind[kind]) >= 0;
}

static bool take_names(struct graph *graph, struct bytes *bytes)
{
    enum { LEAST_BYTES = 2 };
    bool done = true;
    take_letter(bytes, HOLDERS_DUMP_NAMES);
    graph->name_count = bytes->ok ? (uint32_t)take_count(bytes, LEAST_BYTES) : 0;
    graph->names = calloc((size_t)graph->name_count + 1, sizeof *graph->names);
    for (uint32_t i = 0; graph->names && done && i < graph->name_count; i++)
        done = take_name(&graph->names[i], bytes, take(bytes));
    graph->type_count = bytes->ok ? (uint32_t)take_count(bytes, LEAST_BYTES) : 0;
    graph->types = calloc((size_t)graph->type_count + 1, sizeof *graph->types);
    for (uint32_t i = 0; graph->types && done && i < graph->type_count; i++) {
        graph->types[i].address = take(bytes);
        done = take_name(&graph->types[i], bytes, HOLDERS_NAME_PLAIN);
    }
    if (graph->types)
        qsort(graph->types, graph->type_count, sizeof *graph->types, order_numbers);
    return done && graph->names && graph->types;
}

const char *graph_name(const struct graph *graph, uint32_t number)
{
    const char *text =
        number > 0 && number <= graph->name_count ? graph->names[number - 1].text : NULL;
    return text ? text : "";
}

const char *graph_type_name(const struct graph *graph, uint64_t address)
{
    size_t at = ARRAY_SEARCH(i, graph->type_count, graph->types[i].address < address);
    bool is_there = at < graph->type_count && graph->types[at].address == address;
    return is_there && graph->types[at].text ? graph->types[at].text : "";
}

static enum heaptap_status take_all(struct graph *graph, struct bytes *bytes,
                                    struct heaptap_error *error)
{
    const uint8_t *magic = take_bytes(bytes, sizeof HOLDERS_DUMP_MAGIC - 1);
    if (!magic || memcmp(magic, HOLDERS_DUMP_MAGIC, sizeof HOLDERS_DUMP_MAGIC - 1) != 0)
        return error_set(error, HEAPTAP_BAD_INPUT, "this is no snapshot of what holds memory");
    take_snapshot(graph, bytes);
    if (!take_maps(graph, bytes) || !take_threads(graph, bytes) || !take_blocks(graph, bytes) ||
        !take_edges(graph, bytes) || !take_roots(graph, bytes) ||
        (graph->is_of_objects && !take_names(graph, bytes)))
        return error_no_memory(error);
    take_letter(bytes, HOLDERS_DUMP_END);
    graph->still_us = take(bytes);
    graph->processor_us = take(bytes);
    return bytes->ok ? HEAPTAP_OK
                     : error_set(error, HEAPTAP_BAD_INPUT,
                                 "the snapshot of what holds memory was cut short");
}

enum heaptap_status graph_read(struct graph *graph, int fd, struct heaptap_error *error)
{
    struct stat status;
    *graph = (struct graph){0};
    if (fstat(fd, &status) != 0)
        return error_system(error, "a snapshot of what holds memory");
    if (status.st_size == 0)
        return error_set(error, HEAPTAP_BAD_INPUT,
                         "the snapshot of what holds memory was cut short");
    size_t size = (size_t)status.st_size;
    void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        return error_system(error, "a snapshot of what holds memory");
    struct bytes bytes = {file, (const uint8_t *)file + size, true};
    enum heaptap_status result = take_all(graph, &bytes, error);
    munmap(file, size);
    return result;
}

void graph_release(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->name_count && graph->names; i++)
        free(graph->names[i].text);
    for (uint32_t i = 0; i < graph->type_count && graph->types; i++)
        free(graph->types[i].text);
    free(graph->names);
    free(graph->types);
    free(graph->blocks);
    free(graph->edges);
    free(graph->first_edge);
    free(graph->roots);
    for (size_t i = 0; i < graph->thread_count && graph->threads; i++)
        free(graph->threads[i].frames);
    free(graph->threads);
    free(graph->maps);
    *graph = (struct graph){0};
}
