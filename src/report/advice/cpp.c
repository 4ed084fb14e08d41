/* C and C++, where a block costs the allocator's header besides its bytes, and names of the standard library say what
 * wanted it. */
#include <string.h>

#include "report/advice/cause.h"
#include "report/advice/cpp_growth.h"
#include "report/advice/cpp_nodes.h"
#include "report/advice/cpp_parameter.h"
#include "report/advice/cpp_type.h"
#include "report/sites/name_letter.h"

static const double quick_part = 0.8, growth_part = 0.5;
static const uint64_t growth_blocks = 8;
static const double many_objects = 1000, alike_part = 0.8, large_bytes = 65536;
static const uint64_t small_bytes = 64;

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_string_plus(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "std::operator+");
}

static bool is_string_growth(const struct evidence *evidence)
{
    static const char *const parts[] = {"::push_back", "::operator+=", "::append",
                                        "::_M_append", "::_M_mutate",  NULL};
    const struct site *figures = evidence->figures;
    return evidence_has_call(evidence, "basic_string") && evidence_has_call_of(evidence, parts) &&
           figures->doublings >= growth_blocks &&
           figures->doubled_bytes >= growth_part * figures->bytes;
}

/* The library function that the program itself calls; "" where there is none. */
static const char *called(const struct evidence *evidence)
{
    return evidence->call_count > 0 ? evidence->calls[0] : "";
}

/* A constructor of a container or string, but not of an adapter of another. */
static bool is_container(const struct evidence *evidence)
{
    static const char *const containers[] = {"vector::vector",     "basic_string::basic_string",
                                             "deque::deque",       "map::map",
                                             "set::set",           "list::list",
                                             "queue::queue",       "stack::stack",
                                             "valarray::valarray", NULL};
    const char *call = called(evidence);
    for (size_t i = 0; containers[i]; i++)
        if (strstr(call, containers[i]))
            return true;
    return false;
}

static bool names_container(const char *code)
{
    static const char *const types[] = {"vector<", "string", "deque<", "map<",      "set<", "list<",
                                        "queue<",  "stack<", "array<", "valarray<", NULL};
    for (size_t i = 0; types[i]; i++)
        if (strstr(code, types[i]))
            return true;
    return false;
}

static bool is_string(const struct evidence *evidence)
{
    return strstr(called(evidence), "basic_string::basic_string");
}

/* A key that is no string becomes one; a look-up by a string makes none.  Where the key is what a function returns, that may have
 * made it. */
static bool looks_up(const char *code)
{
    static const char *const calls[] = {".find(", ".count(", ".contains(", ".at(", ".erase("};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *at = strstr(code, calls[i]);
        const char *key = at ? at + strlen(calls[i]) : "";
        if (key[strcspn(key, "()")] == ')')
            return true;
    }
    return false;
}

static bool is_literal(const struct evidence *evidence)
{
    return is_string(evidence) && (strchr(evidence->code, '"') || looks_up(evidence->code));
}

/* `return name;`: of what is no variable of the function's, which would be moved, a copy. */
static bool returns_name(const char *code)
{
    const char *name = strstr(code, "return ");
    size_t length = name ? strspn(name + 7, NAME_LETTERS) : 0;
    return length > 0 && name[7 + length] == ';';
}

/* Is the last head of a function in the text that of a copy constructor, `Order(const Order &`? */
static bool takes_own_class(const struct evidence *evidence, const char *text)
{
    const char *function = evidence->place ? evidence->place->function : "", *head = NULL;
    const char *colons = strstr(function, "::") ? strrchr(function, ':') + 1 : function;
    size_t size = strcspn(colons, "<(");
    for (const char *at = text; (at = strstr(at, "(const ")); at++)
        head = at + strlen("(const ");
    return head && size > 0 && strncmp(head, colons, size) == 0 && strchr(" &<", head[size]) &&
           !strpbrk(head, ";{}");
}

/* Members copied by a copy constructor: one that the compiler made has the line of its class. */
static bool copies_members(const struct evidence *evidence)
{
    static const char *const classes[] = {"struct", "class", NULL};
    return evidence->is_maker &&
           (evidence_names(evidence->code, classes) || takes_own_class(evidence, evidence->code) ||
            takes_own_class(evidence, evidence->before)) &&
           (is_container(evidence) || strstr(called(evidence), "basic_string::_M_construct"));
}

/* An argument that a function takes by value, which may work on it for long. */
static bool is_argument_copy(const struct evidence *evidence)
{
    static const double part = 0.9; /* of the bytes, which must have died */
    const struct site *figures = evidence->figures;
    static const struct {
        const char *call, *type;
    } types[] = {{"vector::vector", "vector<"}, {"basic_string::basic_string", "string"},
                 {"deque::deque", "deque<"},    {"list::list", "list<"},
                 {"map::map", "map<"},          {"set::set", "set<"},
                 {"::_M_copy", "map<"},         {"::_M_copy", "set<"}};
    bool has_died = figures->bytes - figures->live_bytes >= part * figures->bytes;
    for (size_t i = 0; has_died && i < sizeof types / sizeof *types; i++)
        if (evidence_has_call(evidence, types[i].call) &&
            cpp_calls_by_value(evidence, types[i].type))
            return true;
    return false;
}

static const struct advice_example *copy_example(const struct evidence *evidence)
{
    static const struct advice_example
        argument = {"size_t total(std::vector<std::string> names)",
                    "size_t total(const std::vector<std::string> &names)"},
        result = {"std::map<int, int> settings() const { return settings_; }",
                  "const std::map<int, int> &settings() const { return settings_; }"};
    return is_argument_copy(evidence) ? &argument : &result;
}

/* A copy of a tree, or a constructor on a line that doesn't say the type: where a value is returned, passed or captured. */
static bool is_value_copy(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "::_M_copy") || copies_members(evidence) ||
           (is_container(evidence) && !evidence->is_maker &&
            (returns_name(evidence->code) || !names_container(evidence->code)));
}

static bool is_container_copy(const struct evidence *evidence)
{
    return (evidence_young(evidence) >= quick_part && is_value_copy(evidence)) ||
           is_argument_copy(evidence);
}

static bool is_substring(const struct evidence *evidence)
{
    return strstr(called(evidence), "::substr");
}

static bool is_stream(const struct evidence *evidence)
{
    static const char *const parts[] = {"basic_stringbuf", "stringstream", "__ostream_insert",
                                        "_M_insert", NULL};
    return evidence_has_call_of(evidence, parts) && evidence_has_call(evidence, "stringbuf") &&
           !evidence_has_call(evidence, "::str");
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
    return is_container(evidence) && evidence_is_sequence(evidence);
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
           is_loop_by_value(evidence->is_maker ? evidence->caller_expression : evidence->code);
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

static const char *const regex_constructors[] = {"basic_regex::basic_regex", NULL};
static const char *const temporary_buffers[] = {"get_temporary_buffer", NULL};
static const char *const exceptions[] = {"__cxa_allocate_exception",
                                         "runtime_error::", "logic_error::", NULL};
static const char *const function_makers[] = {"_Base_manager::_M_create", "std::function::function",
                                              NULL};

const struct advice_cause advice_cpp[] = {
    {.name = "string-plus",
     .title = "Strings put together by +",
     .condition = "C and C++: blocks come from std::operator+ of strings",
     .applies = is_string_plus,
     .remedy =
         "Each `a + b` makes a new string, and copies what is there. Append to one string, which grows by a factor; reserve its "
         "size where you know it.",
     .before = "text = text + part;",
     .after = "text += part;"},
    {.name = "regexes",
     .title = "Regular expressions compiled again and again",
     .condition =
         "C and C++: blocks come from the constructor of a std::regex, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.calls = regex_constructors, .is_young = true},
     .remedy = "To make a std::regex is to compile it. Make it once: static const.",
     .before = "std::regex digits(\"[0-9]+\");",
     .after = "static const std::regex digits(\"[0-9]+\");"},
    {.name = "streams",
     .title = "Streams made for a text",
     .condition =
         "C and C++: blocks come from the buffer of a string stream, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_stream,
     .remedy =
         "A stream has a buffer, which its text is copied from. Append to a string, with std::to_chars, snprintf or std::format for "
         "numbers; or keep one stream and clear it by str(\"\").",
     .before = "std::ostringstream out; out << name << ':' << n; return out.str();",
     .after = "return name + ':' + std::to_string(n);"},
    {.name = "stable-sorts",
     .title = "Buffers of stable sorts",
     .condition = "C and C++: blocks come from std::get_temporary_buffer",
     .needs = {.calls = temporary_buffers},
     .remedy =
         "std::stable_sort, std::inplace_merge and std::stable_partition take a buffer each time. std::sort takes none: where "
         "order among equals matters, compare a number besides.",
     .before = "std::stable_sort(all.begin(), all.end(), less);",
     .after = "std::sort(all.begin(), all.end(), less);"},
    {.name = "exceptions",
     .title = "Exceptions in the normal course",
     .condition = "C and C++: blocks are exceptions or their texts",
     .needs = {.calls = exceptions},
     .remedy =
         "An exception costs a block, its text another, and a walk of the stack. Return what says that there is no value: "
         "std::optional, a code, a pointer.",
     .before = "throw std::runtime_error(\"no digit\");",
     .after = "return std::nullopt;"},
    {.name = "copied-in-loop",
     .title = "Elements copied by a loop",
     .condition =
         "C and C++: on a line with a range `for` that has no `&`, and 80 % of their bytes die within a hundredth of the run, a second "
         "at most",
     .applies = is_copied,
     .remedy = "The loop copies each element. Take it by reference.",
     .before = "for (auto row : rows)",
     .after = "for (const auto &row : rows)",
     .names_caller = true},
    {.name = "temporary-strings",
     .title = "Strings made for one call",
     .condition =
         "C and C++: blocks come from the constructor of a string on a line with a literal or a look-up, such as find(), and 80 % of their "
         "bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_literal,
     .remedy =
         "A std::string of more than 15 characters is a block. Take a std::string_view; look-ups in a map do with "
         "std::less<> as its order, in C++20 with a transparent hash in an unordered one.",
     .before = "void log(const std::string &text);",
     .after = "void log(std::string_view text);"},
    {.name = "copied-containers",
     .title = "Containers and strings copied, and thrown away",
     .condition =
         "C and C++: blocks come from the copy of a map or set, from that of a class's members, whose line is the caller's, or from the "
         "constructor of a container or string on a line that doesn't say its type, and 80 % of their bytes die within a hundredth of the run, a second at most; "
         "or the line calls a function of the same file that takes such a type by value, and doesn't move it on, and 90 % of them die",
     .applies = is_container_copy,
     .remedy =
         "Return, take and capture it by reference: `const std::vector<T> &`, `[&rows]`; or move it, where it isn't used "
         "afterwards.",
     .before = "std::map<int, int> settings() const { return settings_; }",
     .after = "const std::map<int, int> &settings() const { return settings_; }",
     .example = copy_example,
     .names_caller = true},
    {.name = "substrings",
     .title = "Parts of strings copied",
     .condition =
         "C and C++: blocks come from substr(), and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_substring,
     .remedy = "The substr() of a std::string_view copies nothing.",
     .before = "text.substr(at, 20) == name",
     .after = "std::string_view(text).substr(at, 20) == name"},
    {.name = "function-objects",
     .title = "Function objects that hold much",
     .condition =
         "C and C++: blocks come from a std::function whose captures don't fit into it, and 80 % of their bytes die within a "
         "hundredth of the run, a second at most",
     .needs = {.calls = function_makers, .is_young = true},
     .remedy =
         "A std::function has room for 16 bytes: two pointers. Let the function that takes it be a template, or capture one "
         "reference.",
     .before = "void apply(const std::function<long(long)> &f);",
     .after = "template <class F> void apply(const F &f);"},
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
