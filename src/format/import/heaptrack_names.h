/* What heaptrack's files say of addresses: strings, addresses with their inlined functions, stacks
 * as a tree.  All are numbered in the order in which the file has them. */
#ifndef FORMAT_IMPORT_HEAPTRACK_NAMES_H
#define FORMAT_IMPORT_HEAPTRACK_NAMES_H

#include "base/map.h"
#include "base/names.h"
#include "format/import/lines.h"
#include "heaptap/trace.h"

enum { HEAPTRACK_DEEPEST = 4096 }; /* frames; heaptrack itself takes no more than 64 */

struct heaptrack_place {
    uint64_t code;       /* the address; of a second place with an address, that and a mark above
                            bit 48 */
    uint32_t first_line; /* index into lines */
    uint32_t line_count; /* 0 where nothing is known */
};

struct heaptrack_stack {
    uint32_t place;  /* index */
    uint32_t parent; /* number of the caller's stack; 0 for none */
    uint32_t depth;
};

struct heaptrack_names {
    struct names texts;
    const char **strings; /* [0] is "" */
    size_t string_count, string_capacity;
    struct heaptrack_place *places; /* [0] is not used */
    size_t place_count, place_capacity;
    struct heaptap_location *lines; /* outermost first */
    size_t line_count, line_capacity;
    struct heaptrack_stack *stacks; /* [0] is the empty stack */
    size_t stack_count, stack_capacity;
    struct map by_code;       /* -> index of the place */
    const char *operators[4]; /* as interned: the forms of operator new */
};

/* False when there is no memory.  Release them in either case. */
bool heaptrack_names_init(struct heaptrack_names *names);
void heaptrack_names_release(struct heaptrack_names *names);

/* Each takes a line's text after its letter.  `error` describes a malformed line. */
enum heaptap_status heaptrack_take_place(struct heaptrack_names *names, const struct lines *lines,
                                         char *at, struct heaptap_error *error);
enum heaptap_status heaptrack_take_stack(struct heaptrack_names *names, const struct lines *lines,
                                         char *at, bool is_raw, struct heaptap_error *error);

/* A string of `size` bytes gets the next number.  NULL when there is no memory. */
const char *heaptrack_add_string(struct heaptrack_names *names, const char *text, size_t size);

/* The codes of a stack, the innermost first, without operator new; `codes` has room for
 * HEAPTRACK_DEEPEST. */
uint32_t heaptrack_codes(const struct heaptrack_names *names, uint32_t stack, uint64_t *codes);

/* A heaptap_describe; the context is the names. */
size_t heaptrack_describe(void *names, uint64_t code, struct heaptap_location *locations,
                          size_t max);

#endif
