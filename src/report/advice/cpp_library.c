/* C and C++: what the standard library takes in passing, for texts, copies and helpers, as its names in the stack or the line's text
 * say. */
#include <string.h>

#include "report/advice/cause.h"
#include "report/advice/cpp_call.h"
#include "report/advice/cpp_parameter.h"
#include "report/advice/cpp_plus.h"
#include "report/sites/name_letter.h"

static const double quick_part = 0.8;

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
    return strstr(cpp_called(evidence), "basic_string::basic_string");
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
           (cpp_is_container(evidence) ||
            strstr(cpp_called(evidence), "basic_string::_M_construct"));
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

/* What a closure captures by value, where the closure is copied: its function is then "main::<lambda>". */
static bool copies_captures(const struct evidence *evidence)
{
    static const char name[] = "<lambda>";
    const char *function = evidence->place ? evidence->place->function : "";
    size_t length = strlen(function), size = sizeof name - 1;
    return length >= size && strcmp(function + length - size, name) == 0 &&
           cpp_is_container(evidence);
}

/* A copy of a tree, or a constructor on a line that doesn't say the type: where a value is returned, passed or captured. */
static bool is_value_copy(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "::_M_copy") || copies_members(evidence) ||
           copies_captures(evidence) ||
           (cpp_is_container(evidence) && !evidence->is_maker &&
            (returns_name(evidence->code) || !names_container(evidence->code)));
}

static bool is_container_copy(const struct evidence *evidence)
{
    return (evidence_young(evidence) >= quick_part && is_value_copy(evidence)) ||
           is_argument_copy(evidence);
}

static bool is_substring(const struct evidence *evidence)
{
    return strstr(cpp_called(evidence), "::substr");
}

static bool is_stream(const struct evidence *evidence)
{
    static const char *const parts[] = {"basic_stringbuf", "stringstream", "__ostream_insert",
                                        "_M_insert", NULL};
    return evidence_has_call_of(evidence, parts) && evidence_has_call(evidence, "stringbuf") &&
           !evidence_has_call(evidence, "::str");
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

static const char *const regex_constructors[] = {"basic_regex::basic_regex", NULL};
static const char *const temporary_buffers[] = {"get_temporary_buffer", NULL};
static const char *const exceptions[] = {"__cxa_allocate_exception",
                                         "runtime_error::", "logic_error::", NULL};
static const char *const function_makers[] = {"_Base_manager::_M_create", "std::function::function",
                                              NULL};

const struct advice_cause advice_cpp_library[] = {
    {.name = "string-plus",
     .title = "Strings put together by +",
     .condition =
         "C and C++: blocks of std::operator+ of strings are copied into larger ones by the same line's next step; or at least 8 of them replace a smaller one, they are half of the "
         "bytes, the largest is half as large again as the mean, and the line adds to the string that it assigns, or three of four are larger than the one before",
     .applies = cpp_is_plus,
     .keeps = cpp_keeps_of_plus,
     .remedy =
         "Each `a + b` makes a new string, and copies what is there. Append to one string, which grows by a factor; reserve its "
         "size where you know it.",
     .before = "text = text + part;",
     .after = "text += part;",
     .example = cpp_plus_example},
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
     .reads_line = true,
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
     .reads_line = true,
     .remedy =
         "A std::string of more than 15 characters is a block. Take a std::string_view; look-ups in a map do with "
         "std::less<> as its order, in C++20 with a transparent hash in an unordered one.",
     .before = "void log(const std::string &text);",
     .after = "void log(std::string_view text);"},
    {.name = "copied-containers",
     .title = "Containers and strings copied, and thrown away",
     .condition =
         "C and C++: blocks come from the copy of a map or set, from that of a class's members, whose line is the caller's, or of what a closure captures, or from the "
         "constructor of a container or string on a line that doesn't say its type, and 80 % of their bytes die within a hundredth of the run, a second at most; "
         "or the line calls a function of the same file that takes such a type by value, and doesn't move it on, and 90 % of them die",
     .applies = is_container_copy,
     .reads_line = true,
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
    {0},
};
