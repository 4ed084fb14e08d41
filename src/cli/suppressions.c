#include "cli/suppressions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/filtering.h"
#include "profile/suppression.h"
#include "report/options.h"

/* ---- The file --------------------------------------------------------------------------- */

static bool take_line(struct suppressions *suppressions, unsigned number, char *line, int *status)
{
    const char *pattern = suppression_pattern(line);
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    if (!pattern) {
        cli_warn("%s:%u: a suppression is leak: and a pattern, not '%.60s'", suppressions->path,
                 number, line);
        *status = CLI_USAGE;
        return false;
    }
    if (suppressions->count++ > 0)
        text_put_char(&suppressions->regex, '|');
    suppression_put_regex(&suppressions->regex, pattern);
    return true;
}

static bool read_file(struct suppressions *suppressions, int *status)
{
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    bool done = true;
    FILE *file = fopen(suppressions->path, "re");
    while (file && done && getline(&line, &capacity, file) >= 0)
        done = take_line(suppressions, ++number, line, status);
    if (!file || ferror(file)) {
        cli_warn("%s: %s", suppressions->path, strerror(errno));
        *status = CLI_BAD_INPUT;
        done = false;
    }
    if (file)
        fclose(file);
    free(line);
    return done;
}

static void add_clause(struct text *clauses, enum filter_word word, const struct text *regex)
{
    char *value = strndup(regex->bytes, regex->size);
    if (value)
        question_add_clause(clauses, word, value);
    clauses->failed |= !value;
    free(value);
}

bool suppressions_add(struct suppressions *suppressions, struct text *clauses, int *status)
{
    text_put(&suppressions->clauses, clauses->bytes, clauses->size);
    if (suppressions->path && !read_file(suppressions, status))
        return false;
    if (suppressions->regex.failed || suppressions->clauses.failed)
        return cli_fail_memory(status);
    if (suppressions->count > 0)
        add_clause(clauses, FILTER_IGNORE, &suppressions->regex);
    return true;
}

void suppressions_release(struct suppressions *suppressions)
{
    text_release(&suppressions->regex);
    text_release(&suppressions->clauses);
}

/* ---- What it leaves out ------------------------------------------------------------------- */

static bool sum_matched(const struct model *model, const struct filter *filter,
                        const struct selection_options *what, struct stack_tally *sum, int *status)
{
    struct matcher matcher;
    struct selection selection;
    if (!filtering_match(&matcher, model, filter, status))
        return false;
    bool done = selection_init(&selection, &matcher, filter, what, NULL) || cli_fail_memory(status);
    if (done) {
        *sum = selection.profile.total;
        selection_release(&selection);
    }
    matcher_release(&matcher);
    return done;
}

static bool takes_own(const struct suppressions *suppressions, const struct model *model)
{
    return suppressions->takes_own && !suppressions->path && model->suppressed;
}

static bool sum_text(const struct model *model, const struct text *clauses,
                     const struct selection_options *what, struct stack_tally *sum, int *status)
{
    struct filter filter;
    if (!filtering_parse(&filter, clauses, status))
        return false;
    bool done = sum_matched(model, &filter, what, sum, status);
    filter_release(&filter);
    return done;
}

static void tell(const struct suppressions *suppressions, const char *subject,
                 const struct model *model, const struct selection_options *what,
                 enum stack_weight weight, const struct report_suppressed *suppressed)
{
    char amount[UNITS_TEXT_BYTES];
    units_value(amount, stack_tally_weight(&suppressed->sum, &model->estimate, weight),
                weight == WEIGHT_VALUE     ? model->samples.types[what->value_type].unit
                : weight == WEIGHT_OBJECTS ? "count"
                                           : "bytes");
    cli_warn("%s: note: %s suppressed by %zu %s of %s", subject, amount, suppressed->patterns,
             suppressed->patterns == 1 ? "pattern" : "patterns",
             suppressions->path ? suppressions->path : "the file itself");
}

bool suppressions_sum(const struct suppressions *suppressions, const char *subject,
                      const struct model *model, const struct selection_options *what,
                      enum stack_weight weight, struct report_suppressed *suppressed, int *status)
{
    struct text clauses = {0};
    bool is_own = takes_own(suppressions, model);
    *suppressed = (struct report_suppressed){
        .is_asked = suppressions->path || is_own,
        .patterns = is_own ? model->suppression_count : suppressions->count,
    };
    if (suppressed->patterns == 0)
        return true;
    text_put(&clauses, suppressions->clauses.bytes, suppressions->clauses.size);
    if (is_own)
        question_add_clause(&clauses, FILTER_FOCUS, model->suppressed);
    else
        add_clause(&clauses, FILTER_FOCUS, &suppressions->regex);
    bool done = sum_text(model, &clauses, what, &suppressed->sum, status);
    text_release(&clauses);
    if (done)
        tell(suppressions, subject, model, what, weight, suppressed);
    return done;
}
