/* C and C++, where a block costs the allocator's header besides its bytes, and names of the standard library say what
 * wanted it. */
#include <string.h>

#include "analyze/advice_cause.h"

static const double quick_part = 0.8, growth_part = 0.5;
static const uint64_t growth_blocks = 8;
static const double many_objects = 1000, alike_part = 0.8, large_bytes = 65536;
static const uint64_t small_bytes = 64;

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_string_plus(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "std::operator+");
}

static bool is_vector_growth(const struct evidence *evidence)
{
    static const char *const parts[] = {"::_M_realloc_insert",        "::_M_realloc_append",
                                        "::_M_default_append",        "::__push_back_slow_path",
                                        "::__emplace_back_slow_path", NULL};
    return evidence_has_call(evidence, "std::vector") && evidence_has_call_of(evidence, parts);
}

/* Pointers in a node of the container, libstdc++'s, in bytes; 0: it is none. */
static double node_overhead(const struct evidence *evidence)
{
    static const struct {
        const char *container, *maker;
        double bytes;
    } nodes[] = {
        {"std::_Rb_tree", "node", 32},
        {"std::__cxx11::list", "node", 16},
        {"std::list", "node", 16},
        {"std::forward_list", "node", 8},
        {"std::_Hashtable", "_M_allocate_node", 8},
        {"std::__detail::", "_M_allocate_node", 8},
    };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (evidence_has_call(evidence, nodes[i].container) &&
            evidence_has_call(evidence, nodes[i].maker))
            return nodes[i].bytes;
    return 0;
}

static bool is_node(const struct evidence *evidence)
{
    return evidence->figures->objects >= many_objects && node_overhead(evidence) > 0;
}

static bool is_shared_count(const struct evidence *evidence)
{
    static const char *const joined[] = {"make_shared", "allocate_shared", "__allocate_guarded",
                                         "_Sp_counted_ptr_inplace", NULL};
    return evidence_has_call(evidence, "std::__shared_count") &&
           !evidence_has_call_of(evidence, joined);
}

/* `for (auto x : all)`: the part before the colon has no reference. */
static bool is_loop_by_value(const char *line)
{
    const char *start = strstr(line, "for (");
    const char *colon = start ? strstr(start, " : ") : NULL;
    return colon && !memchr(start, '&', (size_t)(colon - start)) &&
           !memchr(start, ';', (size_t)(colon - start));
}

static bool is_copied(const struct evidence *evidence)
{
    return evidence->call_count > 0 && evidence_young(evidence) >= quick_part &&
           is_loop_by_value(evidence->line);
}

static bool is_stepping(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return evidence->call_count == 0 && figures->small_steps >= growth_blocks &&
           figures->stepped_bytes >= growth_part * figures->bytes;
}

static bool is_large(const struct evidence *evidence)
{
    return evidence_block_bytes(evidence) >= large_bytes && evidence->figures->objects >= 2 &&
           evidence_young(evidence) >= quick_part;
}

static bool is_equal(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return figures->common_bytes <= small_bytes && figures->common_objects >= many_objects &&
           evidence_alike(evidence) >= alike_part;
}

/* Are most of them alive at once? */
static bool is_arena(const struct evidence *evidence)
{
    return is_equal(evidence) &&
           evidence->figures->peak_bytes >= growth_part * evidence->figures->bytes;
}

/* ---- What is spared ---------------------------------------------------------------------- */

/* What glibc's malloc takes for a block beyond its bytes: a header of 8, and 16 is what it counts in, 32 the least. */
static double header_bytes(double size)
{
    double chunk = 16 * (double)(uint64_t)((size + 8 + 15) / 16);
    return (chunk < 32 ? 32 : chunk) - size;
}

static double headers(const struct evidence *evidence)
{
    return evidence->figures->objects * header_bytes((double)evidence->figures->common_bytes);
}

static double nodes(const struct evidence *evidence)
{
    return headers(evidence) + evidence->figures->objects * node_overhead(evidence);
}

/* The counts, 16 bytes, stand in front of the object. */
static double counts(const struct evidence *evidence)
{
    double size = (double)evidence->figures->common_bytes;
    return evidence->figures->objects * (size + header_bytes(size) - 16);
}

static double all_but_one(const struct evidence *evidence)
{
    return evidence->figures->bytes - evidence_block_bytes(evidence);
}

const struct advice_cause advice_cpp[] = {
    {"string-plus", "Strings put together by +",
     "C and C++: blocks come from std::operator+ of strings", is_string_plus, NULL,
     "Each `a + b` makes a new string, and copies what is there. Append to one string, which grows by a factor; reserve its "
     "size where you know it.",
     "text = text + part;", "text += part;", advice_verify, false},
    {"vector-growth", "A vector that grows by doubling",
     "C and C++: blocks come from a std::vector that is full", is_vector_growth, evidence_replaced,
     "Each time that it is full, a vector moves to a block twice as large. Reserve the final size, or keep the vector and "
     "clear it, which leaves its block.",
     "std::vector<long> all;", "std::vector<long> all; all.reserve(n);", advice_verify, false},
    {"node-containers", "A container with a block for each element",
     "C and C++: at least 1000 blocks are nodes of a map, set, list or hash table of the standard library",
     is_node, nodes,
     "Each element is a block with its own header and pointers. Use a sorted std::vector (std::flat_map), a hash table "
     "without nodes, or std::pmr with a monotonic_buffer_resource.",
     "std::map<int, int> table;",
     "std::vector<std::pair<int, int>> table; /* sorted once, then std::lower_bound */",
     advice_verify, false},
    {"shared-without-make", "Shared pointers with a block for their counts",
     "C and C++: blocks are counts of a std::shared_ptr, and not part of the object",
     is_shared_count, counts,
     "std::make_shared takes object and counts in one block. Where there is one owner, std::unique_ptr has no counts.",
     "std::shared_ptr<Shape>(new Shape(a))", "std::make_shared<Shape>(a)", advice_verify, false},
    {"copied-in-loop", "Elements copied by a loop",
     "C and C++: on a line with a range `for` that has no `&`, and 80 % of their bytes die within a hundredth of the run, a second "
     "at most",
     is_copied, NULL, "The loop copies each element. Take it by reference.",
     "for (auto row : rows)", "for (const auto &row : rows)", advice_verify, false},
    {"realloc-steps", "An array that grows by small steps",
     "C and C++: at least 8 blocks that the program asks for itself replace one which is less than 1.4 times smaller, and they are half of the "
     "bytes",
     is_stepping, evidence_replaced,
     "Each step may copy all that is there: n steps copy n * n / 2. Grow by a factor, and remember the capacity beside the "
     "size.",
     "all = realloc(all, (n + 8) * sizeof *all);",
     "if (n == capacity) all = realloc(all, (capacity *= 2) * sizeof *all);", advice_verify, false},
    {"large-temporaries", "Large blocks that die at once",
     "C and C++: blocks have 64 kB or more on average, and 80 % of their bytes die within a hundredth of the run, a second at most",
     is_large, all_but_one,
     "Large blocks are mapped or searched for, and their pages cleared, each time. Keep one buffer for all turns: a member, an "
     "argument, or thread_local.",
     "std::vector<char> buffer(200000);",
     "buffer.resize(200000); /* a member, which keeps its block */", advice_verify, false},
    {"arena", "Many equal blocks that live together",
     "C and C++: at least 1000 blocks have one size of 64 bytes at most, so have 80 % of the place's, and half of the bytes are "
     "alive at the peak",
     is_arena, headers,
     "Each block costs the allocator's header, and what its size is rounded up by. Take them from an arena, larger blocks that "
     "are freed as a whole, or put them into one array.",
     "struct node *node = malloc(sizeof *node);",
     "struct node *node = &nodes[count++]; /* an array of a thousand */", advice_verify, false,
     true},
    {"pool", "Many equal blocks that come and go",
     "C and C++: as `arena`, but fewer are alive at the peak", is_equal, headers,
     "Each block costs the allocator's header, and a call to take and to free it. Keep those that are free in a list (a pool), "
     "or put them into what refers to them.",
     "struct node *node = malloc(sizeof *node);",
     "struct node *node = unused; unused = unused->next;", advice_verify, false, true},
    {0},
};
