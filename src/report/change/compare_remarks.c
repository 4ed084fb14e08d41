/* Are the two comparable: the same program, run in the same way, recorded at the same rate?  What differs is a remark. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "report/change/compare_parts.h"

enum { REMARKS_MAX = 16 };

struct remarks {
    char *items[REMARKS_MAX]; /* malloc'ed */
    size_t count;
    bool failed; /* there was no memory */
};

__attribute__((format(printf, 2, 3))) static void remark(struct remarks *remarks,
                                                         const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        remarks->failed = true;
    else
        remarks->items[remarks->count++] = text;
    va_end(arguments);
}

static void look_at_texts(struct remarks *remarks, const char *what, const char *before,
                          const char *after)
{
    before = before ? before : "";
    after = after ? after : "";
    if (strcmp(before, after) != 0)
        remark(remarks, "%s: %s before, %s after", what, *before ? plain(before) : "none",
               *after ? plain(after) : "none");
}

static void look_at_traces(struct remarks *remarks, const struct model *before,
                           const struct model *after)
{
    double shorter = (double)(before->end_us < after->end_us ? before->end_us : after->end_us),
           longer = (double)(before->end_us < after->end_us ? after->end_us : before->end_us);
    look_at_texts(remarks, "the runtime's parameters differ", before->info.runtime_params,
                  after->info.runtime_params);
    look_at_texts(remarks, "the recordings' contexts differ", before->info.context,
                  after->info.context);
    if (before->info.sample_rate != after->info.sample_rate)
        remark(remarks, "the sampling rates differ: %g before, %g after; the bounds allow for it",
               before->info.sample_rate, after->info.sample_rate);
    if (longer > 2 * shorter && longer > 1e6)
        remark(remarks, "one ran longer than the other: %.3g s before, %.3g s after",
               (double)before->end_us / 1e6, (double)after->end_us / 1e6);
    if (before->info.pid == after->info.pid && before->info.start_us == after->info.start_us &&
        before->info.pid != 0)
        remark(remarks, "both are of the same run");
}

/* What isn't known of one of them is no difference. */
static void look_at_programs(struct remarks *remarks, const char *before, const char *after)
{
    if (*before && *after)
        look_at_texts(remarks, "the programs differ", before, after);
}

/* Totals that are left out as their unit is none of bytes. */
static void look_at_units(struct remarks *remarks, const struct compare_side *side)
{
    for (int i = 0; i < BUDGET_MEASURES; i++) {
        const struct model_value_type *odd = budget_odd_type(side->model, (enum budget_measure)i);
        if (odd)
            remark(remarks,
                   "%s of %s is in '%s', which can't be turned into bytes: '%s' isn't compared",
                   odd->name, plain(side->name), plain(odd->unit),
                   budget_measure_name((enum budget_measure)i));
    }
}

static void look(struct remarks *remarks, const struct compare *compare)
{
    const struct model *before = compare->before.model, *after = compare->after.model;
    look_at_programs(remarks, model_program_name(before), model_program_name(after));
    if (before->kind != after->kind)
        remark(remarks, "one is a trace, the other a profile");
    else if (before->kind == MODEL_OBJECTS)
        look_at_traces(remarks, before, after);
    look_at_units(remarks, &compare->before);
    look_at_units(remarks, &compare->after);
    if (before->kind == MODEL_SAMPLES || after->kind == MODEL_SAMPLES)
        remark(remarks,
               "a profile does not record the errors of its figures: they are taken as exact");
    if (!compare->before.is_whole || !compare->after.is_whole)
        remark(remarks, "%s not hold all that the program did",
               compare->before.is_whole  ? "the second file does"
               : compare->after.is_whole ? "the first file does"
                                         : "both files do");
}

static const struct answer_column remark_columns[] = {
    {"remark", NULL, ANSWER_TEXT, ANSWER_ITSELF(char *), "a sentence"},
};
const struct answer_table compare_remarks_table =
    ANSWER_JSON(ANSWER_LIST, "remarks", remark_columns, "reasons to doubt the comparison");

bool compare_remarks_put(struct answer *answer, const struct compare *compare)
{
    struct remarks remarks = {0};
    struct answer_section section = {.table = &compare_remarks_table, .context = compare};
    look(&remarks, compare);
    ANSWER_ITEMS(answer, &section, remarks.items, remarks.count);
    for (size_t i = 0; i < remarks.count; i++) {
        answer_say(answer, "Note: %s", remarks.items[i]);
        free(remarks.items[i]);
    }
    return !remarks.failed;
}
