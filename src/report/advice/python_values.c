/* Python: values in a form that costs more than another: caches, queues, tables of objects, texts, arrays.  The adapter says the type of
 * each block (report/advice/python_type.h); the text of the line tells the rest. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/advice/cause.h"
#include "report/advice/python_append.h"
#include "report/advice/python_class.h"
#include "report/advice/python_kept.h"
#include "report/advice/python_type.h"

static const double growth_part = 0.5, kept_part = 0.25, alike_part = 0.8, half_part = 0.5,
                    many_objects = 1000;
static const uint64_t growth_blocks = 8;

/* ---- Rules ------------------------------------------------------------------------------- */

/* Does what stands in front of the last ` = ` before the end have the name, alone or among others? */
static bool assigns(const char *line, const char *end, const char *name, size_t size)
{
    const char *sign = NULL;
    for (const char *at = line; (at = strstr(at, " = ")) && at < end; at++)
        sign = at;
    for (const char *at = line; sign && at + size <= sign; at++)
        if (strncmp(at, name, size) == 0 && !(at > line && strchr(PYTHON_NAME, at[-1])) &&
            !strchr(PYTHON_NAME, at[size]))
            return true;
    return false;
}

/* `x = x[1:]`, perhaps among other statements or names. */
static bool drops_first(const char *line)
{
    for (const char *rest = line; (rest = strstr(rest, "[1:]")); rest++) {
        const char *name = rest;
        while (name > line && strchr(PYTHON_NAME, name[-1]))
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
    size_t size = rest ? strspn(rest + 4, PYTHON_NAME) : 0;
    return size > 0 && assigns(line, rest, rest + 4, size);
}

static unsigned count_operators(const char *line)
{
    unsigned count = 0;
    for (const char *at = line; (at = strpbrk(at, "+-*/")) && *at != '#'; at++)
        count += at > line && at[-1] == ' ' && at[1] == ' ';
    return count;
}

static bool is_equal_dict(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    const char *brace = strchr(evidence->code, '{');
    bool makes_dict = (brace && strchr(brace, ':')) || strstr(evidence->code, "dict(");
    return makes_dict && (python_is_type(evidence, "dict") || python_is_table(evidence)) &&
           figures->common_objects >= many_objects && evidence_alike(evidence) >= alike_part &&
           figures->peak_bytes >= kept_part * figures->bytes;
}

static bool is_list_queue(const struct evidence *evidence)
{
    static const char *const calls[] = {".pop(0)", ".insert(0, ", ".insert(0,", NULL};
    return (python_is_table(evidence) || python_is_type(evidence, "list")) &&
           (evidence_names(evidence->code, calls) || drops_first(evidence->code) ||
            puts_first(evidence->code));
}

static bool is_string_append(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return (python_is_type(evidence, "str") || python_is_type(evidence, "bytes")) &&
           python_appends_text(evidence) && evidence_grows(evidence) &&
           figures->small_steps + figures->doublings >= growth_blocks &&
           figures->stepped_bytes + figures->doubled_bytes >= growth_part * figures->bytes;
}

static bool is_array_temporary(const struct evidence *evidence)
{
    return python_is_type(evidence, "(numpy data)") && evidence_young(evidence) >= half_part &&
           count_operators(evidence->code) >= 2;
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
           (python_is_table(evidence) || python_room_beside_slots(evidence) > 0);
}

/* ---- What remedies still allocate -------------------------------------------------------- */

/* The dicts, of which objects in their place have the size, without their tables. */
static double without_tables(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return figures->bytes - (python_is_table(evidence)
                                 ? figures->common_objects * (double)figures->common_bytes
                                 : 0);
}

/* Of a table of attributes nothing, of an object with them its slots. */
static double slots(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return python_is_table(evidence)
               ? without_tables(evidence)
               : figures->bytes - figures->common_objects * python_room_beside_slots(evidence);
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

/* ---- The table --------------------------------------------------------------------------- */

const struct advice_cause advice_python_values[] = {
    {.name = "unbounded-caches",
     .title = "A cache without a bound",
     .condition =
         "Python: what a function below `@lru_cache(maxsize=None)` or `@cache` makes, or a function that it calls, or the line that calls "
         "it, grows by its verdict, or is born in 6 eighths of the run or more, 20 % of it in the second half, and a quarter of it stays",
     .applies = python_is_unbounded_cache,
     .keeps = python_not_alive,
     .measure = MEASURE_LIVE,
     .remedy =
         "The cache of this function, of one that calls it, or of one that this line calls keeps each result and all arguments, on a "
         "method each object, too. Give it a limit, or keep the result in the object: functools.cached_property.",
     .before = "@lru_cache(maxsize=None)",
     .after = "@lru_cache(maxsize=1000)",
     .verify = python_verify_growth,
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
         "Each dict has a table of its own. A class with __slots__ has its fields in the object; so has a dataclass with slots=True, but to import "
         "dataclasses takes about 1.5 MB, once.",
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
    {0},
};
