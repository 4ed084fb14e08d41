/* Python: the adapter says the type of each block, "(internal)" for what stands beside an object (tables of dicts and lists),
 * "(numpy data)" for arrays; the text of the line tells the rest. */
#include <ctype.h>
#include <string.h>

#include "analyze/advice_cause.h"

static const double quick_part = 0.8, growth_part = 0.5, kept_part = 0.25, alike_part = 0.8,
                    late_part = 0.2;
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
    size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    return name > 0 && line[name] == '[' && close && strncmp(close + 1, " = ", 3) == 0;
}

/* `x = x[1:]` */
static bool drops_first(const char *line)
{
    const char *rest = strstr(line, "[1:]");
    line += strspn(line, " \t");
    size_t name = strcspn(line, " =");
    return rest && (size_t)(rest - line) > name && strncmp(rest - name, line, name) == 0;
}

/* `x += y`, or `x = x + y` */
static bool appends_to_itself(const char *line)
{
    line += strspn(line, " \t");
    size_t name = strcspn(line, " =");
    const char *rest = line + name;
    return strncmp(rest, " += ", 4) == 0 ||
           (name > 0 && strncmp(rest, " = ", 3) == 0 && strncmp(rest + 3, line, name) == 0 &&
            strncmp(rest + 3 + name, " + ", 3) == 0);
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
    const char *brace = strchr(evidence->line, '{');
    bool makes_dict = (brace && strchr(brace, ':')) || strstr(evidence->line, "dict(");
    return makes_dict && (is_type(evidence, "dict") || is_table(evidence)) &&
           figures->common_objects >= many_objects && evidence_alike(evidence) >= alike_part &&
           figures->peak_bytes >= kept_part * figures->bytes;
}

static bool is_list_queue(const struct evidence *evidence)
{
    static const char *const calls[] = {".pop(0)", ".insert(0, ", ".insert(0,", NULL};
    return (is_table(evidence) || is_type(evidence, "list")) &&
           (evidence_names(evidence->line, calls) || drops_first(evidence->line));
}

static bool is_string_append(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return (is_type(evidence, "str") || is_type(evidence, "bytes")) &&
           appends_to_itself(evidence->line) && evidence_grows(evidence) &&
           figures->small_steps + figures->doublings >= growth_blocks &&
           figures->stepped_bytes + figures->doubled_bytes >= growth_part * figures->bytes;
}

static bool is_array_temporary(const struct evidence *evidence)
{
    return is_type(evidence, "(numpy data)") && evidence_young(evidence) >= quick_part &&
           count_operators(evidence->line) >= 2;
}

static bool is_list_consumed(const struct evidence *evidence)
{
    static const char *const calls[] = {"sum([", "any([", "all([",  "max([",
                                        "min([", "set([", "dict([", NULL};
    return (is_table(evidence) || is_type(evidence, "list")) &&
           evidence_young(evidence) >= quick_part && evidence_names(evidence->line, calls);
}

/* Born in most parts of the run, and alive at its end. */
static bool is_growing_table(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    int parts = 0;
    double late = 0;
    for (int i = 0; i < SITES_PARTS; i++) {
        parts += figures->born_live[i] > 0;
        late += i >= SITES_PARTS / 2 ? figures->born_live[i] : 0;
    }
    return parts >= PARTS_LEAST && late >= late_part * figures->live_bytes &&
           figures->live_bytes >= kept_part * figures->bytes &&
           (assigns_item(evidence->line) || strstr(evidence->line, ".setdefault("));
}

/* ---- What is spared ---------------------------------------------------------------------- */

/* The tables of the dicts; the objects in their place are as large as the dicts themselves. */
static double tables(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return is_table(evidence) ? figures->common_objects * (double)figures->common_bytes : 0;
}

static double alive(const struct evidence *evidence)
{
    return evidence->figures->live_bytes;
}

static const char verify_growth[] =
    "Record again, and for longer: `heaptap timeline after.ctf` no longer rises, and "
    "`heaptap leaks after.ctf` has this line with less.";

const struct advice_cause advice_python[] = {
    {"list-queue", "A list as a queue",
     "Python: lists are made on a line with `.pop(0)`, `.insert(0, x)` or `x = x[1:]`",
     is_list_queue, NULL,
     "To take the first element of a list or to put one in front moves or copies all others. collections.deque does either "
     "without.",
     "queue = queue[1:]", "queue.popleft()  # of queue = collections.deque(items)", advice_verify,
     false, false},
    {"equal-dicts", "Dicts of the same keys",
     "Python: at least 1000 dicts of one size are made by a `{...: ...}` or `dict(...)` on the line, and a quarter of their bytes "
     "are alive at the peak",
     is_equal_dict, tables,
     "Each dict has a table of its own. A class with __slots__, or a dataclass with slots=True, has its fields in the object.",
     "points.append({\"x\": x, \"y\": y})",
     "points.append(Point(x, y))  # @dataclass(slots=True) class Point: x: int; y: int",
     advice_verify, false, false},
    {"string-append", "Texts put together piece by piece",
     "Python: at least 8 blocks of str or bytes replace a smaller one on a line that appends to a name, they are half of the bytes, and the largest is half as large again as the mean",
     is_string_append, evidence_replaced,
     "While something else refers to the text, each step copies all of it. Collect the parts in a list and join them once, or "
     "write to io.StringIO.",
     "text += part", "parts.append(part)  # and \"\".join(parts), once", advice_verify, false,
     false},
    {"array-temporaries", "Arrays between the steps of a formula",
     "Python: NumPy's data are made on a line with two operators or more, and 80 % of their bytes die within a hundredth of the run, "
     "a second at most",
     is_array_temporary, NULL,
     "Each operator makes an array for the next. Compute in place, or give the result an array: `out=`; numexpr computes the "
     "whole formula piece by piece.",
     "c = a * 2 + b", "np.multiply(a, 2, out=c); c += b", advice_verify, false, false},
    {"list-consumed", "Lists made to be used up at once",
     "Python: lists are made by `sum([...])` or the like (any, all, max, min, set, dict), and 80 % of their bytes die within a "
     "hundredth of the run, a second at most",
     is_list_consumed, NULL,
     "Without the brackets it is a generator, which makes one element at a time.",
     "sum([i * i for i in numbers])", "sum(i * i for i in numbers)", advice_verify, false, false},
    {"growing-table", "A table that only grows: a cache?",
     "Python: what a line `x[key] = value` or `.setdefault(` makes is born in 6 eighths of the run or more, 20 % of it in the second half, "
     "and a quarter of it stays",
     is_growing_table, alive,
     "Give it a limit: functools.lru_cache(maxsize=N), or remove what is old; weakref.WeakValueDictionary keeps what others "
     "use.",
     "if n not in cache: cache[n] = compute(n)", "@functools.lru_cache(maxsize=1000)  # on compute",
     verify_growth, true, false},
    {0},
};
