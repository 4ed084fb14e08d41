/* Python: lists, sets, dicts and texts that a line makes whole, to go through them or to copy them once; and in the end, of what no
 * other row is about, tables that grow. */
#include <ctype.h>
#include <string.h>

#include "base/affix.h"
#include "report/advice/cause.h"
#include "report/advice/python_append.h"
#include "report/advice/python_kept.h"
#include "report/advice/python_type.h"

static const double quick_part = 0.8;

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_list(const struct evidence *evidence)
{
    return python_is_table(evidence) || python_is_type(evidence, "list");
}

/* `name[x:y]`, `name[:]`, `name[::-1]` */
static bool has_slice(const char *line)
{
    for (const char *open = line; (open = strchr(open, '[')); open++) {
        size_t inside = strcspn(open + 1, "[]{}:");
        if (open > line && strchr(PYTHON_NAME, open[-1]) && open[1 + inside] == ':')
            return true;
    }
    return false;
}

/* Does the line make its blocks itself?  What it makes through functions of libraries is theirs, whatever stands on it. */
static bool is_made_there(const struct evidence *evidence)
{
    return evidence->call_count == 0;
}

/* `sum([... for ...])`: a comprehension in brackets, as an argument. */
static bool consumes_comprehension(const char *code)
{
    static const char *const calls[] = {"sum([", "any([", "all([",  "max([",
                                        "min([", "set([", "dict([", NULL};
    static const char *const loop[] = {"for", NULL};
    const char *open = strstr(code, "([");
    return open && evidence_names(code, calls) && evidence_names(open, loop);
}

static bool is_list_consumed(const struct evidence *evidence)
{
    return is_list(evidence) && is_made_there(evidence) && evidence_young(evidence) >= quick_part &&
           consumes_comprehension(evidence->code);
}

/* The bracket around a place of a line; NULL for none. */
static const char *bracket_around(const char *line, const char *at)
{
    int depth = 0;
    while (at > line && depth >= 0) {
        at--;
        depth += (strchr(")]}", *at) != NULL) - (strchr("([{", *at) != NULL);
    }
    return depth < 0 ? at : NULL;
}

/* Functions that take any iterator. */
static bool takes_iterator(const char *line, const char *bracket)
{
    static const char *const functions[] = {
        "sum",       "any", "all", "max",  "min", "set",     "list", "tuple",  "dict", "sorted",
        "enumerate", "zip", "map", "iter", "len", "Counter", "join", "filter", "next", "frozenset"};
    const char *name = bracket;
    while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i]) == (size_t)(bracket - name) && begins_with(name, functions[i]))
            return true;
    return bracket == name && *bracket == '('; /* no call */
}

/* A `list(...)` that is walked or kept by a name.  What stands in another value, or is given to a function, may be needed as a list. */
static bool is_list_walked(const char *line)
{
    for (const char *at = line; (at = strstr(at, "list(")); at++) {
        const char *bracket = bracket_around(line, at);
        bool is_name = at > line && strchr(PYTHON_NAME, at[-1]);
        bool is_of_loop =
            bracket && *bracket != '{' && at - line >= 3 && strncmp(at - 3, "in ", 3) == 0;
        if (!is_name && (!bracket || is_of_loop || takes_iterator(line, bracket)))
            return true;
    }
    return false;
}

static bool is_list_copy(const struct evidence *evidence)
{
    static const char *const calls[] = {"sorted(", "reversed(", ".copy()", NULL};
    return is_list(evidence) && is_made_there(evidence) &&
           (evidence_names(evidence->code, calls) || is_list_walked(evidence->code) ||
            has_slice(evidence->code));
}

static bool is_dict_copy(const struct evidence *evidence)
{
    static const char *const parts[] = {"{**", ".copy()", "dict(", NULL};
    return (python_is_table(evidence) || python_is_type(evidence, "dict")) &&
           is_made_there(evidence) && evidence_names(evidence->code, parts);
}

static bool is_list_append(const struct evidence *evidence)
{
    return is_list(evidence) && python_adds_to_itself(evidence) && strstr(evidence->code, " + [") &&
           evidence_grows(evidence);
}

static bool is_rebuilt_set(const struct evidence *evidence)
{
    static const char *const calls[] = {"in set(", "in frozenset(", "in {", NULL};
    return (python_is_table(evidence) || python_is_type(evidence, "set")) &&
           is_made_there(evidence) && evidence_names(evidence->code, calls);
}

/* The text after a call of `.split(...)` or `.rsplit(...)`; NULL where there is no such call, or it has a limit already. */
static const char *after_split(const char *code)
{
    const char *call = strstr(code, ".split("), *last = strstr(code, ".rsplit(");
    const char *open = call ? strchr(call, '(') : last ? strchr(last, '(') : "";
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 1)
            return NULL;
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

/* `parts = line.split(...)`, and below that `parts[1]` alone. */
static bool takes_part_later(const struct evidence *evidence)
{
    const char *name = evidence->code + strspn(evidence->code, " \t");
    size_t size = strspn(name, PYTHON_NAME), uses = 0, parts = 0;
    if (size == 0 || !begins_with(name + size, " = "))
        return false;
    for (const char *at = evidence->after; *at; at++)
        if (strncmp(at, name, size) == 0 &&
            !(at > evidence->after && strchr(PYTHON_NAME, at[-1])) &&
            !(at[size] && strchr(PYTHON_NAME, at[size]))) {
            uses++;
            parts += at[size] == '[';
        }
    return uses == 1 && parts == 1;
}

/* One part of many is wanted. */
static bool takes_part(const struct evidence *evidence)
{
    const char *rest = after_split(evidence->code);
    return rest && (*rest == '[' || (!rest[strspn(rest, " \t\r")] && takes_part_later(evidence)));
}

/* The lines of a file that has been read whole. */
static bool splits_file(const struct evidence *evidence)
{
    static const char *const calls[] = {".read()", ".read_text()", NULL};
    return strstr(evidence->code, ".splitlines(") && evidence_names(evidence->before, calls);
}

static bool is_split(const struct evidence *evidence)
{
    return (is_list(evidence) || python_is_type(evidence, "str") ||
            python_is_type(evidence, "bytes")) &&
           (takes_part(evidence) || splits_file(evidence));
}

static bool is_whole_file(const struct evidence *evidence)
{
    static const char *const calls[] = {".read()", ".readlines()", ".read_text()", NULL};
    return (is_list(evidence) || python_is_type(evidence, "str") ||
            python_is_type(evidence, "bytes")) &&
           evidence_names(evidence->code, calls);
}

/* ---- What remedies still allocate -------------------------------------------------------- */

/* What is walked part by part is made all the same, without the list; what is read in pieces, too, but in one size. */
static double parts_walked(const struct evidence *evidence)
{
    const char *code = evidence->code;
    double bytes = evidence->figures->bytes;
    bool is_whole = strstr(code, ".read()");
    if (python_is_type(evidence, "bytes") && is_whole)
        return bytes / 2;
    bool is_walked = strstr(code, "for ") && !takes_part(evidence);
    return !is_list(evidence) && (is_walked || is_whole || strstr(code, ".readlines()")) ? bytes
                                                                                         : 0;
}

/* ---- The table --------------------------------------------------------------------------- */

static const char *const deep_copies[] = {"deepcopy", NULL};

const struct advice_cause advice_python_lists[] = {
    {.name = "list-consumed",
     .title = "Lists made to be used up at once",
     .condition =
         "Python: lists are made on a line, not by a library's functions, by `sum([... for ...])` or the like (any, all, max, min, set, dict), and 80 % of their bytes die within a "
         "hundredth of the run, a second at most",
     .applies = is_list_consumed,
     .remedy = "Without the brackets it is a generator, which makes one element at a time.",
     .before = "sum([i * i for i in numbers])",
     .after = "sum(i * i for i in numbers)"},
    {.name = "deep-copies",
     .title = "Deep copies",
     .condition = "Python: blocks come from copy.deepcopy",
     .needs = {.calls = deep_copies},
     .remedy =
         "A deep copy makes each object anew, and a table of them. Change the original and change it back, or copy the one level that "
         "is changed.",
     .before = "trial = copy.deepcopy(board)",
     .after = "trial = board[:]; trial[row] = board[row][:]"},
    {.name = "list-append",
     .title = "Lists put together by +",
     .condition =
         "Python: lists are made on a line `x = x + [...]`, and the largest is half as large again as the mean",
     .applies = is_list_append,
     .remedy = "Each step copies all of it. Append to the list.",
     .before = "all = all + [x]",
     .after = "all.append(x)"},
    {.name = "rebuilt-sets",
     .title = "Sets made to be asked once",
     .condition =
         "Python: sets are made on a line, not by a library's functions, with `in set(...)`, and 80 % of their bytes die within a hundredth of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_rebuilt_set,
     .remedy = "Make the set once, before the loop.",
     .before = "if name in set(names):",
     .after = "known = set(names)  # once, and: if name in known:"},
    {.name = "dict-copies",
     .title = "Dicts merged or copied, and thrown away",
     .condition =
         "Python: dicts are made on a line, not by a library's functions, with `{**...}`, `dict(...)` or `.copy()`, and 80 % of their bytes die within a hundredth of the "
         "run, a second at most",
     .needs = {.is_young = true},
     .applies = is_dict_copy,
     .remedy = "Look into one, then into the other; collections.ChainMap does that.",
     .before = "{**defaults, **given}[name]",
     .after = "given[name] if name in given else defaults[name]"},
    {.name = "whole-files",
     .title = "Files read whole",
     .condition =
         "Python: blocks are made on a line with `.read()`, `.readlines()` or `.read_text()`",
     .applies = is_whole_file,
     .keeps = parts_walked,
     .remedy = "A file is an iterator of its lines; read(65536) gives a piece.",
     .before = "for line in file.read().splitlines():",
     .after = "for line in file:"},
    {.name = "splits",
     .title = "Texts split into lists",
     .condition =
         "Python: lists and their parts are made on a line with `.split(...)` or `.rsplit(...)` of which one part is taken, or with "
         "`.splitlines()` of a file",
     .applies = is_split,
     .keeps = parts_walked,
     .remedy =
         "Take the one part alone: a slice from text.index(), text.partition(), or split(sep, 1), which leaves the rest in one piece. "
         "Walk the lines of a file itself.",
     .before = "line.split(\",\")[1]",
     .after = "start = line.index(\",\") + 1; line[start:line.index(\",\", start)]"},
    {.name = "list-copies",
     .title = "Lists copied, and thrown away",
     .condition =
         "Python: lists are made on a line, not by a library's functions, with `[x:]`, `sorted(...)`, `.copy()`, or a `list(...)` that is no part of another value or argument of a function that may need a list, and 80 % of their bytes die within a hundredth "
         "of the run, a second at most",
     .needs = {.is_young = true},
     .applies = is_list_copy,
     .remedy =
         "Walk the original: itertools.islice for a part of it, heapq.nsmallest for the first of an order, the iterator itself for "
         "list(...).",
     .before = "sum(numbers[i:])",
     .after = "sum(itertools.islice(numbers, i, None))"},
    {.name = "growing-table",
     .title = "A table that only grows: a cache?",
     .condition =
         "Python: what a line `x[key] = value` or `.setdefault(` makes grows by its verdict, or is born in 6 eighths of the run or more, 20 % of it in the second half, "
         "and a quarter of it stays",
     .applies = python_is_growing_table,
     .keeps = python_not_alive,
     .measure = MEASURE_LIVE,
     .remedy =
         "Give it a limit: functools.lru_cache(maxsize=N), or remove what is old; weakref.WeakValueDictionary keeps what others "
         "use.",
     .before = "if n not in cache: cache[n] = compute(n)",
     .after = "@functools.lru_cache(maxsize=1000)  # on compute",
     .verify = python_verify_growth,
     .is_growth = true},
    {0},
};
