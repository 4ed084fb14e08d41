/* Python: the adapter says the type of each block, "(internal)" for what stands beside an object (tables of dicts and lists),
 * "(numpy data)" for arrays; the text of the line tells the rest. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/affix.h"
#include "report/advice/cause.h"
#include "report/advice/python_append.h"
#include "report/advice/python_cache.h"
#include "report/advice/python_class.h"
#include "report/sites/name_letter.h"

static const double quick_part = 0.8, growth_part = 0.5, kept_part = 0.25, alike_part = 0.8,
                    late_part = 0.2, half_part = 0.5;
static const double many_objects = 1000;
static const uint64_t growth_blocks = 8;
enum { PARTS_LEAST = 6 };

/* ---- Types and texts --------------------------------------------------------------------- */

static bool is_type(const struct evidence *evidence, const char *name)
{
    return strcmp(evidence->type, name) == 0;
}

static bool is_table(const struct evidence *evidence)
{
    return is_type(evidence, "(internal)");
}

/* `name[...] = value` */
static bool assigns_item(const char *line)
{
    const char *close = strchr(line, ']');
    line += strspn(line, " \t");
    size_t name = strspn(line, NAME_LETTERS ".");
    return name > 0 && line[name] == '[' && close && begins_with(close + 1, " = ");
}

static const char *const name_part = NAME_LETTERS ".";

/* Does what stands in front of the last ` = ` before the end have the name, alone or among others? */
static bool assigns(const char *line, const char *end, const char *name, size_t size)
{
    const char *sign = NULL;
    for (const char *at = line; (at = strstr(at, " = ")) && at < end; at++)
        sign = at;
    for (const char *at = line; sign && at + size <= sign; at++)
        if (strncmp(at, name, size) == 0 && !(at > line && strchr(name_part, at[-1])) &&
            !strchr(name_part, at[size]))
            return true;
    return false;
}

/* `x = x[1:]`, perhaps among other statements or names. */
static bool drops_first(const char *line)
{
    for (const char *rest = line; (rest = strstr(rest, "[1:]")); rest++) {
        const char *name = rest;
        while (name > line && strchr(name_part, name[-1]))
            name--;
        if (rest > name && assigns(line, rest, name, (size_t)(rest - name)))
            return true;
    }
    return false;
}

/* `x = [y] + x`, or a part of x. */
static bool puts_first(const char *line)
{
    const char *list = strstr(line, " = ["), *rest = list ? strstr(list, "] + ") : NULL;
    size_t size = rest ? strspn(rest + 4, name_part) : 0;
    return size > 0 && assigns(line, rest, rest + 4, size);
}

static unsigned count_operators(const char *line)
{
    unsigned count = 0;
    for (const char *at = line; (at = strpbrk(at, "+-*/")) && *at != '#'; at++)
        count += at > line && at[-1] == ' ' && at[1] == ' ';
    return count;
}

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_equal_dict(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    const char *brace = strchr(evidence->code, '{');
    bool makes_dict = (brace && strchr(brace, ':')) || strstr(evidence->code, "dict(");
    return makes_dict && (is_type(evidence, "dict") || is_table(evidence)) &&
           figures->common_objects >= many_objects && evidence_alike(evidence) >= alike_part &&
           figures->peak_bytes >= kept_part * figures->bytes;
}

static bool is_list_queue(const struct evidence *evidence)
{
    static const char *const calls[] = {".pop(0)", ".insert(0, ", ".insert(0,", NULL};
    return (is_table(evidence) || is_type(evidence, "list")) &&
           (evidence_names(evidence->code, calls) || drops_first(evidence->code) ||
            puts_first(evidence->code));
}

static bool is_string_append(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return (is_type(evidence, "str") || is_type(evidence, "bytes")) &&
           python_appends_text(evidence) && evidence_grows(evidence) &&
           figures->small_steps + figures->doublings >= growth_blocks &&
           figures->stepped_bytes + figures->doubled_bytes >= growth_part * figures->bytes;
}

static bool is_array_temporary(const struct evidence *evidence)
{
    return is_type(evidence, "(numpy data)") && evidence_young(evidence) >= half_part &&
           count_operators(evidence->code) >= 2;
}

static bool is_list_consumed(const struct evidence *evidence)
{
    static const char *const calls[] = {"sum([", "any([",  "all([",    "max([", "min([",
                                        "set([", "dict([", "findall(", NULL};
    return (is_table(evidence) || is_type(evidence, "list")) &&
           evidence_young(evidence) >= quick_part && evidence_names(evidence->code, calls);
}

static bool is_list(const struct evidence *evidence)
{
    return is_table(evidence) || is_type(evidence, "list");
}

/* `name[x:y]`, `name[:]`, `name[::-1]` */
static bool has_slice(const char *line)
{
    for (const char *open = line; (open = strchr(open, '[')); open++) {
        size_t inside = strcspn(open + 1, "[]{}:");
        if (open > line && strchr(name_part, open[-1]) && open[1 + inside] == ':')
            return true;
    }
    return false;
}

/* Does the line make its blocks itself?  What it makes through functions of libraries is theirs, whatever stands on it. */
static bool is_made_there(const struct evidence *evidence)
{
    return evidence->call_count == 0;
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
        bool is_name = at > line && strchr(name_part, at[-1]);
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
    return (is_table(evidence) || is_type(evidence, "dict")) && is_made_there(evidence) &&
           evidence_names(evidence->code, parts);
}

static bool is_list_append(const struct evidence *evidence)
{
    return is_list(evidence) && python_adds_to_itself(evidence) && strstr(evidence->code, " + [") &&
           evidence_grows(evidence);
}

static bool is_rebuilt_set(const struct evidence *evidence)
{
    static const char *const calls[] = {"in set(", "in frozenset(", "in {", NULL};
    return (is_table(evidence) || is_type(evidence, "set")) && is_made_there(evidence) &&
           evidence_names(evidence->code, calls);
}

/* What stands behind the call of `.split(...)` or `.rsplit(...)`; NULL where there is none, or it has a limit already. */
static const char *behind_split(const char *code)
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
    size_t size = strspn(name, name_part), uses = 0, parts = 0;
    if (size == 0 || !begins_with(name + size, " = "))
        return false;
    for (const char *at = evidence->after; *at; at++)
        if (strncmp(at, name, size) == 0 && !(at > evidence->after && strchr(name_part, at[-1])) &&
            !(at[size] && strchr(name_part, at[size]))) {
            uses++;
            parts += at[size] == '[';
        }
    return uses == 1 && parts == 1;
}

/* One part of many is wanted. */
static bool takes_part(const struct evidence *evidence)
{
    const char *behind = behind_split(evidence->code);
    return behind &&
           (*behind == '[' || (!behind[strspn(behind, " \t\r")] && takes_part_later(evidence)));
}

/* The lines of a file that has been read whole. */
static bool splits_file(const struct evidence *evidence)
{
    static const char *const calls[] = {".read()", ".read_text()", NULL};
    return strstr(evidence->code, ".splitlines(") && evidence_names(evidence->before, calls);
}

static bool is_split(const struct evidence *evidence)
{
    return (is_list(evidence) || is_type(evidence, "str") || is_type(evidence, "bytes")) &&
           (takes_part(evidence) || splits_file(evidence));
}

static bool is_whole_file(const struct evidence *evidence)
{
    static const char *const calls[] = {".read()", ".readlines()", ".read_text()", NULL};
    return (is_list(evidence) || is_type(evidence, "str") || is_type(evidence, "bytes")) &&
           evidence_names(evidence->code, calls);
}

/* Of small objects, which have a class of their own on the line: Point(...). */
static bool is_attribute_dict(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    const char *call = evidence->code;
    while ((call = strchr(call, '(')) && call > evidence->code) {
        const char *name = call;
        while (name > evidence->code && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
            name--;
        if (isupper((unsigned char)*name) && islower((unsigned char)name[1]))
            break;
        call++;
    }
    return call && figures->common_objects >= many_objects &&
           evidence_alike(evidence) >= alike_part &&
           figures->peak_bytes >= kept_part * figures->bytes &&
           (is_table(evidence) || python_room_beside_slots(evidence) > 0);
}

/* Born in most parts of the run, or growing by its verdict, and alive at its end. */
static bool stays(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    int parts = 0;
    double late = 0;
    for (int i = 0; i < SITES_PARTS; i++) {
        parts += figures->born_live[i] > 0;
        late += i >= SITES_PARTS / 2 ? figures->born_live[i] : 0;
    }
    bool is_throughout = parts >= PARTS_LEAST && late >= late_part * figures->live_bytes;
    return (evidence->grows || is_throughout) && figures->live_bytes >= kept_part * figures->bytes;
}

/* `value = ...`, and on one of the next lines `table[key] = value`. */
static bool assigns_item_later(const struct evidence *evidence)
{
    const char *name = evidence->code + strspn(evidence->code, " \t");
    size_t size = strspn(name, name_part);
    for (const char *at = evidence->after;
         size > 0 && begins_with(name + size, " = ") && (at = strstr(at, "] = ")); at++)
        if (strncmp(at + 4, name, size) == 0 && !strchr(name_part, at[4 + size]))
            return true;
    return false;
}

static bool is_growing_table(const struct evidence *evidence)
{
    return stays(evidence) && (assigns_item(evidence->code) || assigns_item_later(evidence) ||
                               strstr(evidence->code, ".setdefault("));
}

static bool is_unbounded_cache(const struct evidence *evidence)
{
    return stays(evidence) && python_is_cached(evidence);
}

/* ---- What remedies still allocate -------------------------------------------------------- */

/* The dicts, of which objects in their place have the size, without their tables. */
static double without_tables(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return figures->bytes -
           (is_table(evidence) ? figures->common_objects * (double)figures->common_bytes : 0);
}

/* Of a table of attributes nothing, of an object with them its slots. */
static double slots(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return is_table(evidence)
               ? without_tables(evidence)
               : figures->bytes - figures->common_objects * python_room_beside_slots(evidence);
}

/* What is walked part by part is made all the same, without the list; what is read in pieces, too, but in one size. */
static double parts_walked(const struct evidence *evidence)
{
    const char *code = evidence->code;
    double bytes = evidence->figures->bytes;
    bool is_whole = strstr(code, ".read()");
    if (is_type(evidence, "bytes") && is_whole)
        return bytes / 2;
    bool is_walked = strstr(code, "for ") && !takes_part(evidence);
    return !is_list(evidence) && (is_walked || is_whole || strstr(code, ".readlines()")) ? bytes
                                                                                         : 0;
}

/* Bytes of a step of what grows, on average, with those that no sample shows: their chance is that of one half as large as the largest. */
static double step_bytes(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    const struct estimate *estimate = &evidence->sites->model->estimate;
    double steps = (double)(figures->small_steps + figures->doublings);
    uint64_t words = figures->largest_bytes / 2 / (uint64_t)estimate->word_bytes;
    return (figures->stepped_bytes + figures->doubled_bytes) / steps *
           estimate_seen_chance(estimate, words);
}

/* The text as it is in the end, and for each step a piece's place in a list, with what that takes to grow. */
static double text_and_list(const struct evidence *evidence)
{
    static const double place = 50; /* bytes, of a list of some hundred, which grows by an eighth */
    double kept = evidence_unreplaced(evidence), replaced = evidence->figures->bytes - kept;
    return kept + replaced * fmin(1, place / step_bytes(evidence));
}

static double not_alive(const struct evidence *evidence)
{
    return evidence->figures->bytes - evidence->figures->live_bytes;
}

static const char verify_growth[] =
    "Record again, and for longer: `heaptap timeline after.ctf` no longer rises, and "
    "`heaptap leaks after.ctf` has this line with less.";

static const char *const deep_copies[] = {"deepcopy", NULL};

const struct advice_cause advice_python[] = {
    {.name = "unbounded-caches",
     .title = "A cache without a bound",
     .condition =
         "Python: what a function below `@lru_cache(maxsize=None)` or `@cache` makes, or a function that it calls, or the line that calls "
         "it, grows by its verdict, or is born in 6 eighths of the run or more, 20 % of it in the second half, and a quarter of it stays",
     .applies = is_unbounded_cache,
     .keeps = not_alive,
     .measure = MEASURE_LIVE,
     .remedy =
         "The cache of this function, of one that calls it, or of one that this line calls keeps each result and all arguments, on a "
         "method each object, too. Give it a limit, or keep the result in the object: functools.cached_property.",
     .before = "@lru_cache(maxsize=None)",
     .after = "@lru_cache(maxsize=1000)",
     .verify = verify_growth,
     .is_growth = true},
    {.name = "list-queue",
     .title = "A list as a queue",
     .condition = "Python: lists are made on a line with `.pop(0)`, `.insert(0, x)` or `x = x[1:]`",
     .applies = is_list_queue,
     .remedy =
         "To take the first element of a list or to put one in front moves or copies all others. collections.deque does either "
         "without.",
     .before = "queue = queue[1:]",
     .after = "queue.popleft()  # of queue = collections.deque(items)"},
    {.name = "equal-dicts",
     .title = "Dicts of the same keys",
     .condition =
         "Python: at least 1000 dicts of one size are made by a `{...: ...}` or `dict(...)` on the line, and a quarter of their bytes "
         "are alive at the peak",
     .applies = is_equal_dict,
     .keeps = without_tables,
     .remedy =
         "Each dict has a table of its own. A class with __slots__, or a dataclass with slots=True, has its fields in the object.",
     .before = "points.append({\"x\": x, \"y\": y})",
     .after = "points.append(Point(x, y))  # @dataclass(slots=True) class Point: x: int; y: int"},
    {.name = "attribute-dicts",
     .title = "Attributes in a table for each object",
     .condition =
         "Python: at least 1000 tables of one size, or objects of a class without slots that have their attributes in themselves (CPython 3.13), "
         "are made on a line that calls a class, and a quarter of their bytes are alive at the peak",
     .applies = is_attribute_dict,
     .keeps = slots,
     .remedy =
         "Each object has a table of its own for its attributes, or room for one. With __slots__, or as a dataclass with slots=True, it has "
         "them in itself, and no more.",
     .before = "class Point:",
     .after = "class Point: __slots__ = (\"x\", \"y\")"},
    {.name = "string-append",
     .title = "Texts put together piece by piece",
     .condition =
         "Python: at least 8 blocks of str or bytes replace a smaller one on a line that makes a text longer, by `+`, `+=`, a format or join(), they are half of the bytes, and the largest is half as large again as the mean",
     .applies = is_string_append,
     .keeps = text_and_list,
     .spares_replaced = true,
     .remedy =
         "Each step makes the text anew, and copies it but where a variable alone refers to it. Collect the parts in a list and join them once, or "
         "write to io.StringIO.",
     .before = "text += part",
     .after = "parts.append(part)  # and \"\".join(parts), once"},
    {.name = "array-temporaries",
     .title = "Arrays between the steps of a formula",
     .condition =
         "Python: NumPy's data are made on a line with two operators or more, and half of their bytes die within a hundredth of the run, "
         "a second at most",
     .applies = is_array_temporary,
     .remedy =
         "Each operator makes an array for the next. Compute in place, or give the result an array: `out=`; numexpr computes the "
         "whole formula piece by piece.",
     .before = "c = a * 2 + b",
     .after = "np.multiply(a, 2, out=c); c += b"},
    {.name = "list-consumed",
     .title = "Lists made to be used up at once",
     .condition =
         "Python: lists are made by `sum([...])` or the like (any, all, max, min, set, dict), or findall, and 80 % of their bytes die within a "
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
     .applies = is_growing_table,
     .keeps = not_alive,
     .measure = MEASURE_LIVE,
     .remedy =
         "Give it a limit: functools.lru_cache(maxsize=N), or remove what is old; weakref.WeakValueDictionary keeps what others "
         "use.",
     .before = "if n not in cache: cache[n] = compute(n)",
     .after = "@functools.lru_cache(maxsize=1000)  # on compute",
     .verify = verify_growth,
     .is_growth = true},
    {0},
};
