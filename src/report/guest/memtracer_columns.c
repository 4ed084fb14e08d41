#include "report/guest/memtracer_columns.h"
#include "base/path.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- Places ----------------------------------------------------------------------- */

/* Code that is no file's is named by its text or in words: [string "/x/m.lua"], <no GIL>. */
static const char *base_of(const char *path)
{
    return *path == '[' || *path == '<' ? path : path_file(path);
}

static struct guest_site site_of(const void *row)
{
    const struct memtracer_row *it = row;
    return guest_profile_place(it->profile, it->site);
}

static const char *function_of(const void *row)
{
    const struct memtracer_row *it = row;
    const struct model *model = it->profile->model;
    return model->lines[model->frames[it->site].first_line].function;
}

/* "queens.lox:42": the file as the program knows it, without its folders. */
static char *location_of(const void *row, const char *before)
{
    struct guest_site site = site_of(row);
    if (!site.file)
        return text_format("%s(no location)", before);
    if (site.line)
        return text_format("%s%s:%u", before, base_of(site.file), site.line);
    return text_format("%s%s", before, base_of(site.file));
}

static struct answer_value get_location(const void *row, const void *context)
{
    const struct memtracer_row *it = row;
    struct answer_value value = answer_made(location_of(row, it->is_caller ? "from " : ""));
    (void)context;
    value.indent = it->is_caller ? it->depth : 0;
    return value;
}

/* ---- Figures ---------------------------------------------------------------------- */

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(name, const struct memtracer_row *it = row, const void *all = context, expression)

static struct answer_value mean(const struct guest_tally *tally, enum guest_value sum,
                                enum guest_value count)
{
    return tally->of[count] > 0 ? answer_number(tally->of[sum] / tally->of[count])
                                : answer_nothing();
}

/* What came by the start of the interpreter, where something did. */
static struct answer_value of_start(const struct guest_tally *tally, enum guest_value value)
{
    bool is_some = tally->of[GUEST_START_COUNT] > 0 || tally->of[GUEST_START_BYTES] > 0;
    return answer_number_if(is_some, tally->of[value]);
}

static struct answer_value indented(const char *text, uint32_t steps)
{
    struct answer_value value = answer_text(text);
    value.indent = steps;
    return value;
}

GETTER(get_file, answer_text(site_of(row).file))
GETTER(get_line, answer_number_if(site_of(row).line, site_of(row).line))
GETTER(get_function, answer_text(site_of(row).function))
GETTER(get_type, answer_text(guest_profile_type_name(it->profile, it->type)))
GETTER(get_shown_function, indented(function_of(row), it->depth))
GETTER(get_caller, answer_text(function_of(row)))
GETTER(get_shown_type, answer_text(it->profile->model->types[it->type]))
GETTER(get_shown_file,
       answer_text(site_of(row).file ? base_of(site_of(row).file) : "(no location)"))
GETTER(get_start_count, of_start(it->self, GUEST_START_COUNT))
GETTER(get_start_bytes, of_start(it->self, GUEST_START_BYTES))
GETTER(get_age, mean(it->self, GUEST_AGE_SUM, GUEST_FREED))
GETTER(get_live_age, mean(it->self, GUEST_LIVE_AGE_SUM, GUEST_LIVE))

/* ---- Columns ---------------------------------------------------------------------- */

enum { SAMPLED = MEMTRACER_IS_SAMPLED, WIDE = MEMTRACER_IS_WIDE };

#define OF_ROW(member) ANSWER_FIELD(struct memtracer_row, member)
#define OF_PROFILE(member) ANSWER_FIELD_OF(struct memtracer_row, profile, member)
#define OF_SELF(member) ANSWER_FIELD_OF(struct memtracer_row, self, member)
#define OF_TOTAL(member) ANSWER_FIELD_OF(struct memtracer_row, total, member)

#define SITE_COLUMNS                                                                               \
    {"file", NULL, ANSWER_TEXT, get_file, "as the program knows it; null for none"},               \
        {"line", NULL, ANSWER_WHOLE, get_line, "in the file"},                                     \
    {                                                                                              \
        "function", NULL, ANSWER_TEXT, get_function, "null where none is known"                    \
    }

#define PID_COLUMN                                                                                 \
    {                                                                                              \
        "pid", NULL, ANSWER_WHOLE, OF_PROFILE(pid), "of the process", .flags = ANSWER_NO_JSON      \
    }

static const struct answer_column line_columns[] = {
    {NULL, "Source Location", ANSWER_NAME, get_location},
    PID_COLUMN,
    SITE_COLUMNS,
    {"type", NULL, ANSWER_TEXT, get_type, "of the blocks; null where it is not known"},
    {"count", "Count", ANSWER_WHOLE, OF_SELF(of[GUEST_COUNT]), "blocks allocated"},
    {"bytes", "Size", ANSWER_BYTES, OF_SELF(of[GUEST_BYTES]),
     "of these blocks, and the new sizes of those that were resized here"},
    {"samples", "Samples", ANSWER_WHOLE, OF_SELF(of[GUEST_SAMPLES]),
     "samples that the figures rest on", SAMPLED},
    {"start_count", NULL, ANSWER_WHOLE, get_start_count,
     "of `count`, what the interpreter made before the program began; left out if 0", WIDE,
     ANSWER_OMIT},
    {"start_bytes", NULL, ANSWER_BYTES, get_start_bytes, "the same for `bytes`", WIDE, ANSWER_OMIT},
    {"live", "Live", ANSWER_WHOLE, OF_SELF(of[GUEST_LIVE]), "left at the end", WIDE},
    {"live_bytes", "Live Size", ANSWER_BYTES, OF_SELF(of[GUEST_LIVE_BYTES]), "of these", WIDE},
    {"peak_bytes", "Peak", ANSWER_BYTES, OF_SELF(of[GUEST_PEAK_BYTES]),
     "the most at one time; if stacks are kept, the sum over its stacks", WIDE},
    {"resized", "Resized", ANSWER_WHOLE, OF_SELF(of[GUEST_RESIZED]),
     "blocks that came here by being resized", WIDE},
    {"resized_away", NULL, ANSWER_WHOLE, OF_SELF(of[GUEST_LEFT]),
     "blocks that were resized, here or elsewhere", WIDE},
    {"freed", NULL, ANSWER_WHOLE, OF_SELF(of[GUEST_FREED]), "blocks that ended", WIDE},
    {"promoted", "Promoted", ANSWER_WHOLE, OF_SELF(of[GUEST_PROMOTED]),
     "blocks that left the nursery", WIDE},
    {"promoted_bytes", NULL, ANSWER_BYTES, OF_SELF(of[GUEST_PROMOTED_BYTES]), "of these", WIDE},
    {"temporary", "Temporary", ANSWER_WHOLE, OF_SELF(of[GUEST_TEMPORARY]),
     "ended before 4096 bytes more were allocated, or at the first collection after their birth",
     WIDE},
    {"mean_age_bytes", "Age", ANSWER_BYTES, get_age,
     "bytes allocated between a block's birth and its end, the mean of the blocks that ended",
     WIDE},
    {"mean_live_age_bytes", NULL, ANSWER_BYTES, get_live_age,
     "the same from birth to the end of the program, for the blocks that are live", WIDE},
    {NULL, "Type", ANSWER_TEXT, get_shown_type},
};

static const struct answer_column caller_columns[] = {
    {NULL, "Source Location", ANSWER_NAME, get_location},
    {NULL, "Count", ANSWER_WHOLE, OF_TOTAL(of[GUEST_COUNT])},
    {NULL, "Size", ANSWER_BYTES, OF_TOTAL(of[GUEST_BYTES])},
    {NULL, "Samples", ANSWER_WHOLE, OF_TOTAL(of[GUEST_SAMPLES]), NULL, SAMPLED},
    {NULL, "Live", ANSWER_WHOLE, OF_SELF(of[GUEST_LIVE]), NULL, WIDE},
    {NULL, "Live Size", ANSWER_BYTES, OF_SELF(of[GUEST_LIVE_BYTES]), NULL, WIDE},
    {NULL, "Peak", ANSWER_BYTES, OF_SELF(of[GUEST_PEAK_BYTES]), NULL, WIDE},
    {NULL, "Resized", ANSWER_WHOLE, OF_SELF(of[GUEST_RESIZED]), NULL, WIDE},
    {NULL, "Promoted", ANSWER_WHOLE, OF_SELF(of[GUEST_PROMOTED]), NULL, WIDE},
    {NULL, "Temporary", ANSWER_WHOLE, OF_SELF(of[GUEST_TEMPORARY]), NULL, WIDE},
    {NULL, "Age", ANSWER_BYTES, get_age, NULL, WIDE},
    {NULL, "Type", ANSWER_TEXT, get_caller},
};

static const struct answer_column stack_columns[] = {
    {"count", NULL, ANSWER_WHOLE, OF_SELF(of[GUEST_COUNT]), "blocks allocated through these calls"},
    {"bytes", NULL, ANSWER_BYTES, OF_SELF(of[GUEST_BYTES]), "of these"},
};

static const struct answer_column stack_caller_columns[] = {SITE_COLUMNS};

static const struct answer_column function_columns[] = {
    {NULL, "Name", ANSWER_NAME, get_caller},
    PID_COLUMN,
    {"function", NULL, ANSWER_TEXT, get_function, "null for code outside of functions"},
    {"file", NULL, ANSWER_TEXT, get_file, "as the program knows it; null for none"},
    {"count", "Self Count", ANSWER_WHOLE, OF_SELF(of[GUEST_COUNT]),
     "blocks that it allocated itself"},
    {"bytes", "Self Size", ANSWER_BYTES, OF_SELF(of[GUEST_BYTES]), "of these"},
    {"total_count", "Total Count", ANSWER_WHOLE, OF_TOTAL(of[GUEST_COUNT]),
     "the same, with what it called"},
    {"total_bytes", "Total Size", ANSWER_BYTES, OF_TOTAL(of[GUEST_BYTES]), "of these"},
    {"samples", "Samples", ANSWER_WHOLE, OF_TOTAL(of[GUEST_SAMPLES]),
     "samples that the figures rest on", SAMPLED},
    {NULL, "Location", ANSWER_TEXT, get_shown_file},
};

static const struct answer_column type_columns[] = {
    {NULL, "Type", ANSWER_NAME, get_shown_type},
    PID_COLUMN,
    {"type", NULL, ANSWER_TEXT, get_type, "null where it is not known"},
    {"count", "Count", ANSWER_WHOLE, OF_SELF(of[GUEST_COUNT]), "blocks allocated"},
    {"bytes", "Size", ANSWER_BYTES, OF_SELF(of[GUEST_BYTES]),
     "of these, and of those that were resized"},
    {"samples", "Samples", ANSWER_WHOLE, OF_SELF(of[GUEST_SAMPLES]),
     "samples that the figures rest on", SAMPLED},
    {"live_bytes", "Live Size", ANSWER_BYTES, OF_SELF(of[GUEST_LIVE_BYTES]), "left at the end"},
};

static const struct answer_column call_columns[] = {
    {NULL, "Name", ANSWER_NAME, get_shown_function},
    PID_COLUMN,
    {"depth", NULL, ANSWER_WHOLE, OF_ROW(depth), "0 for a function that nothing else called"},
    SITE_COLUMNS,
    {"total_count", "Total Count", ANSWER_WHOLE, OF_TOTAL(of[GUEST_COUNT]),
     "blocks allocated in this call and in what it called"},
    {"total_bytes", "Total Size", ANSWER_BYTES, OF_TOTAL(of[GUEST_BYTES]), "of these"},
    {"samples", "Samples", ANSWER_WHOLE, OF_TOTAL(of[GUEST_SAMPLES]),
     "samples that the figures rest on", SAMPLED},
    {"count", "Self Count", ANSWER_WHOLE, OF_SELF(of[GUEST_COUNT]),
     "blocks allocated in this call itself"},
    {NULL, "Location", ANSWER_TEXT, get_location},
};

/* ---- Tables ----------------------------------------------------------------------- */

#define TABLE(name, its_key, its_forms, its_columns, its_help)                                     \
    const struct answer_table name = {.key = (its_key),                                            \
                                      .shape = ANSWER_ROWS,                                        \
                                      .style = ANSWER_BARRED,                                      \
                                      .forms = (its_forms),                                        \
                                      ANSWER_COLUMNS(its_columns),                                 \
                                      .help = (its_help)}

TABLE(memtracer_lines, "rows", ANSWER_IN_ALL, line_columns,
      "a line and type of block, the largest first");
TABLE(memtracer_callers, NULL, ANSWER_IN_TEXT, caller_columns,
      "with `--stacks`, a caller below the row of a line");
TABLE(memtracer_stacks, "stacks", ANSWER_IN_JSON, stack_columns,
      "with `--stacks`, a stack that ends in a row's line");
TABLE(memtracer_stack_callers, "callers", ANSWER_IN_JSON, stack_caller_columns,
      "a call of that stack, the innermost first");
TABLE(memtracer_functions, "functions", ANSWER_IN_ALL, function_columns,
      "with `--format histogram`, a function");
TABLE(memtracer_types, "types", ANSWER_IN_ALL, type_columns,
      "with `--format typehistogram`, a type");
TABLE(memtracer_calls, "calls", ANSWER_IN_ALL, call_columns,
      "with `--format calltree`, a call below its caller");
