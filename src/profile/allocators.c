#include "profile/allocators.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- Names -------------------------------------------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Standard libraries, and the inner parts of allocators and of other libraries' containers. */
static bool is_library(const char *function)
{
    static const char *const starts[] = {
        "std::",
        "__gnu_cxx::",
        "core::",
        "alloc::",
        "<std::",
        "<core::",
        "<alloc::",
        "_ZNSt",
        "_ZNKSt",
        "_ZSt",
        "_ZN9__gnu_cxx",
        "tcmalloc::",
        "snmalloc::",
        "QArrayData::",
        "QListData::",
        "QTypedArrayData",
        "Stdlib.",
        "Stdlib__",
        "CamlinternalFormat.",
        "camlStdlib",
        "camlCamlinternalFormat",
        "llvm::allocate_buffer",
        "llvm::BumpPtrAllocatorImpl",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins(function, starts[i]))
            return true;
    return false;
}

/* What the allocators of widely used programs and libraries are called, where their names don't end as those of libc do;
 * without underscores in front.  A star is the rest of a name. */
static const char *const known[] = {
    "aligned_alloc",
    "l_alloc",
    "luaM_growaux_",
    "mallocgc",
    "palloc",
    "palloc0",
    "palloc_extended",
    "palloc_aligned",
    "MemoryContextAlloc*",
    "AllocSetAlloc*",
    "GenerationAlloc*",
    "SlabAlloc*",
    "BumpAlloc*",
    "g_slice_alloc",
    "g_slice_alloc0",
    "g_memdup",
    "g_memdup2",
    "xpalloc",
    "xzalloc",
    "kzalloc",
    "vzalloc",
    "CRYPTO_zalloc",
    "OPENSSL_zalloc",
    "xcharalloc",
    "xmemdup",
    "ximemdup",
    "apr_palloc",
    "ngx_alloc",
    "ngx_palloc",
    "ngx_pnalloc",
    "ngx_palloc_small",
    "ngx_palloc_large",
    "ggc_alloc*",
    "ggc_internal_alloc*",
    "ggc_internal_cleared_alloc*",
    "zend_mm_alloc*",
    "caml_alloc*",
    "caml_stat_alloc*",
    "rust_alloc*",
    "rdl_alloc*",
    "rg_alloc*",
    "PyType_GenericAlloc",
    "PyObject_GC_Alloc",
    "PyObject_GC_New*",
    "PyMem_New",
    "gc_alloc",
    "mi_new*",
    "mi_heap_new*",
    "tc_new*",
};

static bool is_known(const char *function, size_t size)
{
    for (; size > 0 && *function == '_'; size--)
        function++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strcspn(known[i], "*");
        if ((known[i][length] ? size >= length : size == length) &&
            memcmp(function, known[i], length) == 0)
            return true;
    }
    return false;
}

/* The part of a readable name after its last `::`, template and other arguments left out. */
static const char *last_part(const char *function, size_t *size)
{
    const char *part = function;
    for (const char *at = function; *at && *at != '<' && *at != '('; at++)
        if (at[0] == ':' && at[1] == ':')
            part = at + 2;
    *size = strcspn(part, "<(");
    return part;
}

/* Does a word end there?  xmalloc, g_malloc0, malloc_usable, DbMallocRaw; mallocz and mallocx; not reallocate. */
static bool is_word_end(const char *at, const char *end)
{
    if (at < end && strchr("zxn", *at))
        at++;
    return at == end || !islower((unsigned char)*at);
}

/* Wrappers are called after what they wrap. */
static bool is_wrapper(const char *text, size_t size)
{
    static const char *const wrapped[] = {"malloc",   "calloc", "realloc", "reallocarray",
                                          "memalign", "strdup", "strndup"};
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        size_t length = strlen(wrapped[i]);
        for (size_t at = 0; at + length <= size; at++)
            if (strncasecmp(text + at, wrapped[i], length) == 0 &&
                is_word_end(text + at + length, text + size) &&
                !(at > 0 && strncasecmp(text + at - 1, "prealloc", 8) == 0))
                return true;
    }
    return false;
}

/* A readable name without the type that it returns, which instances of templates have: behind the
 * last space outside all brackets. */
static const char *without_type(const char *function)
{
    const char *name = function;
    int depth = 0;
    for (const char *at = function; *at && (*at != '(' || depth > 0); at++) {
        depth += *at == '<';
        depth -= *at == '>' && depth > 0;
        if (*at == ' ' && depth == 0 && !begins(name, "operator"))
            name = at + 1;
    }
    return name;
}

bool allocator_is_name(const char *function)
{
    size_t size;
    function = without_type(function);
    if (begins(function, "operator new") || begins(function, "_Znwm") ||
        begins(function, "_Znam") || is_library(function))
        return true;
    const char *part = last_part(function, &size);
    return is_wrapper(part, size) || (part == function && is_known(part, size));
}

bool allocator_is_place(const struct heaptap_location *location)
{
    const char *file = location->file ? location->file : "";
    return allocator_is_name(location->function) || begins(file, "/rustc/") ||
           begins(file, "/rust/deps/") || strcmp(file, GUEST_TYPE_FILE) == 0;
}

bool allocators_are_in(const struct heaptap_trace_info *info,
                       const struct heaptap_metadata *records, size_t count)
{
    if (info->word_bits > 8) /* OCaml */
        return true;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_MODULE ||
            (records[i].kind == HEAPTAP_PROPERTY && strcmp(records[i].name, "producer") == 0 &&
             begins(records[i].value, "heaptrack")))
            return true;
    return false;
}

/* ---- Frames ------------------------------------------------------------------------- */

size_t allocators_trim(const struct heaptap_location *locations, size_t count)
{
    while (count > 0 && allocator_is_place(&locations[count - 1]))
        count--;
    return count;
}

/* A frame of which nothing is known isn't part of it. */
static bool is_machinery(const struct frame_source *source, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *locations = source->locations(source->context, frame, &count);
    return count > 0 && allocators_trim(locations, count) == 0;
}

static const struct heaptap_location *shortened(void *context, uint32_t frame, size_t *count)
{
    const struct frame_source *source = context;
    size_t all;
    const struct heaptap_location *locations = source->locations(source->context, frame, &all);
    *count = allocators_trim(locations, all);
    if (*count == 0)
        *count = all;
    return locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct frame_source *source = context;
    return source->code(source->context, frame);
}

struct frame_source allocators_hidden(const struct frame_source *source)
{
    return (struct frame_source){shortened, code_of, source->frame_count, (void *)source};
}

/* ---- Stacks ------------------------------------------------------------------------- */

uint32_t allocators_outer_end(const struct stack_trie *trie, const bool *is_allocator, uint32_t end)
{
    uint32_t node = end;
    while (node != STACK_ROOT && is_allocator[trie->nodes[node].frame])
        node = trie->nodes[node].parent;
    return node == STACK_ROOT ? end : node;
}

/* Numbers the stacks again as they are met: a model's stacks, edited by a filter, are in that order, and sites of one
 * weight stand in it.  A number is never above the one that its stack had, so tallies move in place. */
static bool move_tallies(struct stack_profile *profile, const bool *is_allocator)
{
    struct stack_trie *trie = &profile->trie;
    size_t count = trie->stack_count;
    for (size_t i = 0; i < count; i++)
        trie->links[trie->ends[i]].stack = STACK_NONE;
    trie->stack_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct stack_tally tally = profile->tallies[i];
        size_t before = trie->stack_count;
        uint32_t stack =
            stack_trie_stack(trie, allocators_outer_end(trie, is_allocator, trie->ends[i]));
        if (stack == STACK_NONE)
            return false;
        if (stack == before)
            profile->tallies[stack] = (struct stack_tally){0};
        stack_tally_sum(&profile->tallies[stack], &tally);
    }
    return true;
}

bool allocators_take_off(struct stack_profile *profile, const struct frame_source *source)
{
    bool *is_allocator = malloc(source->frame_count + 1);
    for (uint32_t frame = 0; is_allocator && frame < source->frame_count; frame++)
        is_allocator[frame] = is_machinery(source, frame);
    bool done = is_allocator && move_tallies(profile, is_allocator);
    free(is_allocator);
    return done;
}
