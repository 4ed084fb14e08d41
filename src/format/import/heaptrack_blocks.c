/* The blocks of heaptrack's recordings: they are told by number (the kind of block) or, in raw files and those of format 0, by address.
 * Either is a key, under which the blocks that are alive form a chain, the youngest first. */
#include <inttypes.h>

#include "base/array.h"
#include "format/import/heaptrack_parts.h"

static bool is_by_address(const struct heaptrack_converting *converting)
{
    return converting->outcome->is_raw || converting->format < FORMAT_BY_KIND;
}

static uint32_t new_block(struct heaptrack_converting *converting)
{
    uint32_t block = converting->free_block;
    if (block != NO_BLOCK) {
        converting->free_block = converting->blocks[block].next;
        return block;
    }
    if (converting->block_count >= NO_BLOCK ||
        !ARRAY_RESERVE(&converting->blocks, &converting->block_capacity,
                       converting->block_count + 1))
        return NO_BLOCK;
    return (uint32_t)converting->block_count++;
}

static bool note_alive(struct heaptrack_converting *converting, uint64_t key, uint64_t id)
{
    bool fresh;
    uint32_t block = new_block(converting);
    uint32_t *youngest =
        block == NO_BLOCK ? NULL : map_put(&converting->alive, key, NO_BLOCK, &fresh);
    if (!youngest)
        return false;
    converting->blocks[block] = (struct heaptrack_block){id, *youngest};
    *youngest = block;
    return true;
}

/* The end of the youngest block of a key; false where none is alive. */
static bool end_block(struct heaptrack_converting *converting, uint64_t key)
{
    uint32_t *youngest = map_find(&converting->alive, key);
    if (!youngest || *youngest == NO_BLOCK)
        return false;
    uint32_t block = *youngest;
    *youngest = converting->blocks[block].next;
    heaptap_domain_collect(converting->domain, converting->now_us, converting->blocks[block].id);
    converting->blocks[block].next = converting->free_block;
    converting->free_block = block;
    return true;
}

static enum heaptap_status allocate(struct heaptrack_converting *converting,
                                    const struct heaptrack_kind *kind, uint64_t key)
{
    struct heaptap_allocation allocation = {
        .source = HEAPTAP_MAJOR,
        .length = kind->bytes,
        .samples = kind->bytes ? kind->bytes : 1,
        .stack = converting->codes,
        .stack_length = heaptrack_codes(&converting->names, kind->stack, converting->codes),
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    uint64_t id = heaptap_domain_alloc(converting->domain, converting->now_us, &allocation);
    converting->outcome->allocations++;
    return note_alive(converting, key, id) ? HEAPTAP_OK : heaptrack_no_memory(converting);
}

static enum heaptap_status check_kind(struct heaptrack_converting *converting,
                                      const struct heaptrack_kind *kind, uint64_t stack)
{
    if (stack >= converting->names.stack_count)
        return lines_error(&converting->lines, converting->error,
                           "it names stack %" PRIu64 ", but there are %zu so far", stack,
                           converting->names.stack_count - 1);
    if (kind->bytes > INT64_MAX)
        return lines_error(&converting->lines, converting->error,
                           "no block can have %" PRIu64 " bytes", kind->bytes);
    return HEAPTAP_OK;
}

/* "+ SIZE STACK ADDRESS" */
static enum heaptap_status take_block_by_address(struct heaptrack_converting *converting, char *at)
{
    struct heaptrack_kind kind;
    uint64_t stack, address;
    if (!lines_hex(&at, &kind.bytes) || !lines_hex(&at, &stack) || !lines_hex(&at, &address))
        return lines_error(&converting->lines, converting->error,
                           "expected the size, stack and address of a block");
    enum heaptap_status status = check_kind(converting, &kind, stack);
    kind.stack = (uint32_t)stack;
    return status == HEAPTAP_OK ? allocate(converting, &kind, address) : status;
}

static enum heaptap_status take_kind_number(struct heaptrack_converting *converting, char *at,
                                            uint64_t *kind)
{
    if (!lines_hex(&at, kind))
        return lines_error(&converting->lines, converting->error,
                           "expected the number of a kind of block");
    if (*kind >= converting->kind_count)
        return lines_error(&converting->lines, converting->error,
                           "it names kind of block %" PRIu64 ", but there are %zu so far", *kind,
                           converting->kind_count);
    return HEAPTAP_OK;
}

enum heaptap_status heaptrack_take_allocation(struct heaptrack_converting *converting, char *at)
{
    uint64_t kind;
    if (is_by_address(converting))
        return take_block_by_address(converting, at);
    enum heaptap_status status = take_kind_number(converting, at, &kind);
    return status == HEAPTAP_OK ? allocate(converting, &converting->kinds[kind], kind) : status;
}

enum heaptap_status heaptrack_take_end(struct heaptrack_converting *converting, char *at)
{
    uint64_t key;
    enum heaptap_status status = HEAPTAP_OK;
    if (!is_by_address(converting))
        status = take_kind_number(converting, at, &key);
    else if (!lines_hex(&at, &key))
        status =
            lines_error(&converting->lines, converting->error, "expected the address of a block");
    if (status != HEAPTAP_OK)
        return status;
    /* An address that is unknown was allocated before heaptrack was there. */
    if (!end_block(converting, key) && !is_by_address(converting))
        return lines_error(&converting->lines, converting->error,
                           "a block of kind %" PRIu64 " ends, but none is alive", key);
    return HEAPTAP_OK;
}

enum heaptap_status heaptrack_take_kind(struct heaptrack_converting *converting, char *at)
{
    struct heaptrack_kind kind;
    uint64_t stack;
    if (!lines_hex(&at, &kind.bytes) || !lines_hex(&at, &stack))
        return lines_error(&converting->lines, converting->error,
                           "expected the size and stack of a kind of block");
    enum heaptap_status status = check_kind(converting, &kind, stack);
    if (status != HEAPTAP_OK)
        return status;
    kind.stack = (uint32_t)stack;
    if (!ARRAY_RESERVE(&converting->kinds, &converting->kind_capacity, converting->kind_count + 1))
        return heaptrack_no_memory(converting);
    converting->kinds[converting->kind_count++] = kind;
    return HEAPTAP_OK;
}
