/* C and C++: containers that grow, or take a block for each element, and blocks that the program asks for itself.  A block costs the
 * allocator's header besides its bytes. */

#include "report/advice/cause.h"
#include "report/advice/cpp_call.h"
#include "report/advice/cpp_growth.h"
#include "report/advice/cpp_nodes.h"

static const double quick_part = 0.8, growth_part = 0.5;
static const uint64_t growth_blocks = 8;
static const double many_objects = 1000, alike_part = 0.8, large_bytes = 65536;
static const uint64_t small_bytes = 64;

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_string_growth(const struct evidence *evidence)
{
    static const char *const parts[] = {"::push_back", "::operator+=", "::append",
                                        "::_M_append", "::_M_mutate",  NULL};
    const struct site *figures = evidence->figures;
    return evidence_has_call(evidence, "basic_string") && evidence_has_call_of(evidence, parts) &&
           figures->doublings >= growth_blocks &&
           figures->doubled_bytes >= growth_part * figures->bytes;
}

/* An object of its own on the heap, where its function has it alone. */
static bool is_object(const struct evidence *evidence)
{
    static const char *const words[] = {"new", "make_unique", "make_shared", NULL};
    return evidence_names(evidence->code, words) && cpp_is_own(evidence) &&
           evidence_is_sequence(evidence);
}

static bool is_container_alone(const struct evidence *evidence)
{
    return cpp_is_container(evidence) && evidence_is_sequence(evidence);
}

static bool is_duplicate(const struct evidence *evidence)
{
    static const char *const words[] = {"strdup", "strndup", "asprintf", NULL};
    return evidence_names(evidence->code, words);
}

static bool is_scratch(const struct evidence *evidence)
{
    static const char *const words[] = {"malloc(", "calloc(", NULL};
    return evidence_names(evidence->code, words) && evidence->figures->objects >= many_objects &&
           evidence_block_bytes(evidence) > (double)small_bytes && evidence_is_sequence(evidence);
}

static bool is_node(const struct evidence *evidence)
{
    return evidence_young(evidence) < quick_part && evidence->figures->objects >= many_objects &&
           cpp_node_overhead(evidence) > 0;
}

static bool is_shared_count(const struct evidence *evidence)
{
    static const char *const joined[] = {"make_shared", "allocate_shared", "__allocate_guarded",
                                         "_Sp_counted_ptr_inplace", NULL};
    return evidence_has_call(evidence, "std::__shared_count") &&
           !evidence_has_call_of(evidence, joined);
}

/* Of blocks that the program asks for itself. */
static bool is_stepping(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return evidence->call_count == 0 && figures->small_steps >= growth_blocks &&
           figures->stepped_bytes >= growth_part * figures->bytes && evidence_is_resized(evidence);
}

static bool is_large(const struct evidence *evidence)
{
    return evidence_block_bytes(evidence) >= large_bytes && evidence->figures->objects >= 2 &&
           evidence_young(evidence) >= quick_part && evidence_is_sequence(evidence);
}

static bool is_equal(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return cpp_is_own(evidence) && figures->common_bytes <= small_bytes &&
           figures->common_objects >= many_objects && evidence_alike(evidence) >= alike_part;
}

/* Are most of them alive at once? */
static bool is_arena(const struct evidence *evidence)
{
    return is_equal(evidence) &&
           evidence->figures->peak_bytes >= growth_part * evidence->figures->bytes;
}

/* ---- What remedies still allocate -------------------------------------------------------- */

/* All bytes: what is spared is what the allocator takes for so many blocks. */
static double all_bytes(const struct evidence *evidence)
{
    return evidence->figures->bytes;
}

/* Those that are there at the same time. */
static double at_peak(const struct evidence *evidence)
{
    return evidence->figures->peak_bytes;
}

/* The counts stand in front of the object then: two numbers and a pointer, and nothing that points to the object. */
static double counts_joined(const struct evidence *evidence)
{
    return 16 * evidence->figures->objects;
}

/* ---- The table --------------------------------------------------------------------------- */

const struct advice_cause advice_cpp_blocks[] = {
    {.name = "string-growth",
     .title = "A string that grows by doubling",
     .condition =
         "C and C++: at least 8 blocks of strings that are appended to replace one at least 1.4 times smaller, and are half of the bytes",
     .applies = is_string_growth,
     .keeps = evidence_unreplaced,
     .spares_replaced = true,
     .spares_slack = true,
     .remedy =
         "Each time that it is full, a string moves to a block twice as large. Reserve the final size.",
     .before = "std::string text;",
     .after = "std::string text; text.reserve(n);"},
    {.name = "vector-growth",
     .title = "A vector that grows by doubling",
     .condition = "C and C++: blocks come from a std::vector that is full",
     .applies = cpp_is_vector_growth,
     .keeps = cpp_keeps_of_vector,
     .spares_replaced = true,
     .spares_slack = true,
     .remedy =
         "Each time that it is full, a vector moves to a block twice as large. Reserve the final size, or keep the vector and "
         "clear it, which leaves its block.",
     .before = "std::vector<long> all;",
     .after = "std::vector<long> all; all.reserve(n);"},
    {.name = "small-reserves",
     .title = "A reserve() that asks for too little",
     .condition =
         "C and C++: blocks come from the reserve() of a std::vector, and half as many blocks at least that are twice as large from one that is full",
     .applies = cpp_is_small_reserve,
     .remedy =
         "The vector outgrows what is reserved, which is allocated in vain. Reserve the final size: then the blocks are saved that it "
         "grows by, too.",
     .before = "all.reserve(1000);",
     .after = "all.reserve(lines.size());"},
    {.name = "rehashes",
     .title = "A hash table that grows",
     .condition =
         "C and C++: blocks are the buckets of a std::unordered_map or std::unordered_set that is full",
     .applies = cpp_is_rehash,
     .keeps = cpp_keeps_of_table,
     .spares_replaced = true,
     .spares_slack = true,
     .remedy =
         "Each time that it is full, a hash table takes twice as many buckets, and puts all elements into them. Reserve room for "
         "as many as there will be.",
     .before = "std::unordered_map<int, int> table;",
     .after = "std::unordered_map<int, int> table; table.reserve(n);",
     .example = cpp_table_example},
    {.name = "node-containers",
     .title = "A container with a block for each element",
     .condition =
         "C and C++: at least 1000 blocks are nodes of a map, set, list or hash table of the standard library",
     .applies = is_node,
     .keeps = cpp_without_nodes,
     .spares_overhead = true,
     .remedy =
         "Each element is a block with its own header and pointers. Use a sorted std::vector (std::flat_map), a hash table "
         "without nodes, or std::pmr with a monotonic_buffer_resource.",
     .before = "std::map<int, int> table;",
     .after = "std::vector<std::pair<int, int>> table; /* sorted once, then std::lower_bound */",
     .example = cpp_node_example},
    {.name = "shared-without-make",
     .title = "Shared pointers with a block for their counts",
     .condition = "C and C++: blocks are counts of a std::shared_ptr, and not part of the object",
     .applies = is_shared_count,
     .keeps = counts_joined,
     .spares_overhead = true,
     .remedy =
         "std::make_shared takes object and counts in one block. Where there is one owner, std::unique_ptr has no counts.",
     .before = "std::shared_ptr<Shape>(new Shape(a))",
     .after = "std::make_shared<Shape>(a)"},
    {.name = "realloc-steps",
     .title = "An array that grows by small steps",
     .condition =
         "C and C++: at least 8 blocks that the program asks for itself replace one which is less than 1.4 times smaller, they are half of the "
         "bytes, and the line names realloc or the like, or half of them are there before the smaller one is freed",
     .applies = is_stepping,
     .keeps = evidence_unreplaced,
     .spares_replaced = true,
     .remedy =
         "Each step may copy all that is there: n steps copy n * n / 2. Grow by a factor, and remember the capacity beside the "
         "size.",
     .before = "all = realloc(all, (n + 8) * sizeof *all);",
     .after = "if (n == capacity) all = realloc(all, (capacity *= 2) * sizeof *all);"},
    {.name = "large-temporaries",
     .title = "Large blocks that die at once",
     .condition =
         "C and C++: blocks have 64 kB or more on average, come one after another, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .applies = is_large,
     .keeps = evidence_block_bytes,
     .remedy =
         "Large blocks are mapped or searched for, and their pages cleared, each time. Keep one buffer for all turns: a member, an "
         "argument, or thread_local.",
     .before = "std::vector<char> buffer(200000);",
     .after = "buffer.resize(200000); /* a member, which keeps its block */"},
    {.name = "temporary-objects",
     .title = "Objects on the heap that die at once",
     .condition =
         "C and C++: on a line with new, make_unique or make_shared, one after another, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_object,
     .reads_line = true,
     .remedy =
         "What doesn't outlive its function can be a local variable; what is replaced, a member that is set again.",
     .before = "auto matrix = std::make_unique<Matrix>();",
     .after = "Matrix matrix;",
     .names_caller = true},
    {.name = "temporary-containers",
     .title = "A container for each call",
     .condition =
         "C and C++: blocks come from the constructor of a container, one after another, and 80 % of their bytes die within a hundredth of the run, a "
         "second at most; of one in a constructor or clone(), the line is its caller's",
     .needs = {.is_young = true},
     .applies = is_container_alone,
     .keeps = evidence_block_bytes,
     .reads_line = true,
     .remedy =
         "Keep one for all calls and clear it, which leaves its block: a member, an argument, or thread_local; of a fixed size, "
         "std::array.",
     .before = "std::vector<int> seen(256);",
     .after = "thread_local std::vector<int> seen; seen.assign(256, 0);",
     .names_caller = true},
    {.name = "copied-strings",
     .title = "Strings copied, and thrown away",
     .condition =
         "C and C++: on a line with strdup, strndup or asprintf, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_duplicate,
     .reads_line = true,
     .remedy =
         "Look at the original; where it must be changed or ended, copy it into an array of the function's.",
     .before = "char *copy = strdup(name);",
     .after = "char copy[100]; snprintf(copy, sizeof copy, \"%s\", name);"},
    {.name = "scratch-blocks",
     .title = "A buffer for each call",
     .condition =
         "C and C++: at least 1000 blocks of more than 64 bytes on a line with malloc or calloc come one after another, and 80 % of their bytes die within a hundredth "
         "of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_scratch,
     .keeps = evidence_block_bytes,
     .reads_line = true,
     .remedy =
         "Let the caller bring one for all calls; a small one of a fixed size can be an array of the function's.",
     .before = "unsigned char *next = malloc(size);",
     .after = "void blur(const unsigned char *row, unsigned char *next, size_t size)"},
    {.name = "arena",
     .title = "Many equal blocks that live together",
     .condition =
         "C and C++: at least 1000 blocks have one size of 64 bytes at most, so have 80 % of the place's, and half of the bytes are "
         "alive at the peak",
     .applies = is_arena,
     .keeps = all_bytes,
     .verify =
         "Record again with the same input: `heaptap compare before.ctf after.ctf` has fewer objects in all.",
     .measure = MEASURE_OVERHEAD,
     .spares_overhead = true,
     .remedy =
         "Each block costs the allocator's header, and what its size is rounded up by. Take them from an arena, larger blocks that "
         "are freed as a whole, or put them into one array.",
     .before = "struct node *node = malloc(sizeof *node);",
     .after = "struct node *node = &nodes[count++]; /* an array of a thousand */",
     .yields = true},
    {.name = "pool",
     .title = "Many equal blocks that come and go",
     .condition = "C and C++: as `arena`, but fewer are alive at the peak",
     .applies = is_equal,
     .keeps = at_peak,
     .remedy =
         "Each block costs the allocator's header, and a call to take and to free it. Keep those that are free in a list (a pool), "
         "or put them into what refers to them.",
     .before = "struct node *node = malloc(sizeof *node);",
     .after = "struct node *node = unused; unused = unused->next;",
     .yields = true},
    {0},
};
