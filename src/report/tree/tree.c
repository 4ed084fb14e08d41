#include "report/tree/tree.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "report/tree/branches.h"
#include "report/comparison.h"
#include "base/error.h"
#include "base/measure.h"
#include "base/plain.h"
#include "report/calls/context.h"
#include "report/calls/functions.h"
#include "report/head.h"
#include "report/symbol_columns.h"
#include "report/tree/tree_columns.h"

enum { DRAWN_DEPTH_MAX = 2000 };

struct tree {
    const struct report *report; /* borrowed */
    bool outward;                /* callers below their callees */
    struct branches branches;
};

/* ---- Options ------------------------------------------------------------------------- */

struct tree_question {
    bool outward, context, merge_recursion;
    long max_depth; /* 0 for no limit */
    long nodes;     /* the heaviest that are grown; 0 for no limit */
};
_Static_assert(sizeof(struct tree_question) <= QUESTION_OWN_BYTES, "room for it");

#define OWN(name) offsetof(struct tree_question, name)
const struct question_option tree_options[] = {
    {"reverse", 'r', OPTION_FLAG, PART_OWN, NULL,
     "Begin with the functions that allocate, their callers below them", OWN(outward)},
    {"context", 0, OPTION_FLAG, PART_OWN, NULL,
     "List functions with their direct callers and callees instead, as pprof -tree does",
     OWN(context)},
    {"max-depth", 0, OPTION_NUMBER, PART_OWN, "N", "Go N calls deep; 0 for no limit, the default",
     OWN(max_depth)},
    {"nodes", 0, OPTION_NUMBER, PART_OWN, "N",
     "Show the N heaviest calls, however light; those of one caller by name", OWN(nodes),
     .least = 1, .most = 1000000},
    {"merge-recursion", 0, OPTION_FLAG, PART_OWN, NULL,
     "Show each function once on a path, where it is called first", OWN(merge_recursion)},
    {"node-count", 'n', OPTION_NUMBER, 0, "N", "Show N lines at most; 0 for all, the default",
     offsetof(struct question, node_count)},
    {"node-fraction", 0, OPTION_SHARE, 0, "PART",
     "Leave out what is less than PART of the whole, 0.005 by default",
     offsetof(struct question, node_fraction), offsetof(struct question, node_fraction_given)},
    {NULL},
};

static const struct tree_question *own(const struct question *question)
{
    return (const struct tree_question *)question->own;
}

bool tree_check(struct question *question, struct heaptap_error *error)
{
    const struct tree_question *how = own(question);
    const char *wrong =
        how->context &&
                (how->outward || how->max_depth > 0 || how->nodes > 0 || how->merge_recursion)
            ? "--context prints no tree: it has no direction, no depth and no paths"
        : how->context && question->format == REPORT_SVG
            ? "--context prints no tree: there is nothing to draw"
        : how->context     ? NULL
        : question->by_cum ? "--cum is for --context: calls in a tree are sorted by it anyway"
        : question->edge_fraction_given ? "--edge-fraction is for --context: a tree has no edges"
        : question->is_mean
            ? "--mean is for --context: in a tree, calls add up to those that they come from"
            : NULL;
    return question_accept(wrong, error);
}

/* ---- Growing it ---------------------------------------------------------------------- */

static bool is_root(void *context, const char *name)
{
    return pattern_matches(context, name);
}

/* Where a number of calls is asked for, they may be as light as they like. */
static double least_of(const struct report *report)
{
    const struct question *options = report->options;
    return own(options)->nodes > 0 && !options->node_fraction_given
               ? DBL_TRUE_MIN
               : trunc(report->whole * options->node_fraction);
}

static const struct frame_source *source_of(const struct report *report)
{
    return report->both ? &report->both->frames : &report->selection.frames;
}

/* Who draws it has code of which no function is known by its address, and marks in place of what is not there.  False when there is no
 * memory; then there is nothing to release. */
static bool tree_init(struct tree *tree, const struct report *report, bool outward, bool is_drawn)
{
    const struct question *options = report->options;
    const struct comparison *both = report->both;
    uint32_t max_depth = (uint32_t)own(options)->max_depth;
    struct branch_options growth = {
        .grain = options->grain,
        .no_inlines = options->no_inlines,
        .weight = report->weight,
        .outward = outward,
        .merge_recursion = own(options)->merge_recursion,
        .as_pprof = !is_drawn,
        .has_marks = is_drawn,
        .is_root = report->pattern ? is_root : NULL,
        .root_context = report->pattern,
        .least = least_of(report),
        .max_depth = is_drawn && max_depth == 0 ? DRAWN_DEPTH_MAX : max_depth,
        .limit = own(options)->nodes > 0 ? (uint32_t)own(options)->nodes + 1 : 0, /* the root */
    };
    *tree = (struct tree){.report = report, .outward = outward};
    return branches_init(&tree->branches, both ? &both->now : &report->selection.profile,
                         both ? &both->before : NULL, source_of(report), &growth);
}

/* Does no function match the pattern? */
static bool is_missed(const struct tree *tree)
{
    const struct branch *root = &tree->branches.items[0];
    return report_gave_up(tree->report) || (tree->report->pattern && root->total == 0 &&
                                            tree->branches.count == 1 && root->pruned == 0);
}

/* ---- Columns ------------------------------------------------------------------------- */

struct tree_row {
    struct named_symbol who; /* first: NAMED_COLUMNS */
    const struct branch *branch;
};

/* The context is the tree, whose root has no row. */
#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct branch *branch = ((const struct tree_row *)row)->branch,   \
               const struct tree *tree = context, expression)

GETTER(number, answer_number((double)(branch - tree->branches.items) - 1))
GETTER(parent, branch->parent == 0 ? answer_nothing() : answer_number(branch->parent - 1))
GETTER(parent_or_less, answer_number(branch->parent - 1.))
GETTER(depth, answer_number(branch->depth - 1))

enum { INWARD = 1 };

#define OF_BRANCH(member) ANSWER_FIELD_OF(struct tree_row, branch, member)

static const struct answer_column columns[] = {
    {"number", NULL, ANSWER_WHOLE, get_number, "number of the row, from 0",
     .flags = ANSWER_NO_JSON},
    {"parent", NULL, ANSWER_WHOLE, get_parent,
     "number of the row above it in the tree; empty for none", .flags = ANSWER_NO_JSON},
    {"parent", NULL, ANSWER_WHOLE, get_parent_or_less,
     "number of the row above it in the tree, from 0; -1 for none", .flags = ANSWER_NO_CSV},
    {"depth", NULL, ANSWER_WHOLE, get_depth, "how many rows are above it in the tree"},
    NAMED_COLUMNS("", 0),
    {"total", "cum", ANSWER_AMOUNT, OF_BRANCH(total), "what comes through the call"},
    {NULL, "cum%", ANSWER_SHARE, ANSWER_PART_OF(struct tree_row, branch, total)},
    {"base_total", NULL, ANSWER_AMOUNT, OF_BRANCH(base), "the total in the base", REPORT_HAS_BASE},
    {"self", NULL, ANSWER_AMOUNT, OF_BRANCH(self), "what its function allocates itself there"},
    {NULL, "flat", ANSWER_AMOUNT, OF_BRANCH(self), NULL, INWARD},
    {NULL, "flat%", ANSWER_SHARE, ANSWER_PART_OF(struct tree_row, branch, self), NULL, INWARD},
    {"pruned", NULL, ANSWER_AMOUNT, OF_BRANCH(pruned),
     "what comes through calls below it that are left out for being small or deep",
     .flags = ANSWER_NO_CSV},
};

static struct answer_branch branch_of(const void *row, const void *context)
{
    const struct branch *branch = ((const struct tree_row *)row)->branch;
    (void)context;
    return (struct answer_branch){branch->depth - 1, branch->children};
}

static const struct answer_table nodes_table = {"nodes",
                                                ANSWER_ROWS,
                                                ANSWER_FIXED,
                                                ANSWER_IN_ALL,
                                                ANSWER_COLUMNS(columns),
                                                "a call, followed by those below it",
                                                .branch = branch_of};

ANSWER_GET(get_direction, const struct tree *tree = row, const void *all = context,
           answer_text(tree->outward ? "callers" : "callees"))

/* Each byte of what is not there counts once. */
static struct answer_value get_hidden(const void *row, const void *context)
{
    const struct branches *branches = &((const struct tree *)row)->branches;
    double sum = branches->items[0].total;
    (void)context;
    for (size_t i = 0; i < branches->count; i++)
        sum -= branches->items[i].self;
    return answer_number(branches->hidden > 0 ? sum : 0);
}

enum { IS_LIMITED = 2 };

static const struct answer_column head_columns[] = {
    {"direction", NULL, ANSWER_TEXT, get_direction, "what is below: callees or callers"},
    {"begun", NULL, ANSWER_AMOUNT, ANSWER_FIELD_OF(struct tree, branches.items, total),
     "the sum of the stacks in the tree"},
    {"base_begun", NULL, ANSWER_AMOUNT, ANSWER_FIELD_OF(struct tree, branches.items, base),
     "the same of the base", REPORT_HAS_BASE},
    {"hidden_calls", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct tree, branches.hidden),
     "calls that --nodes leaves out, without those below them", IS_LIMITED},
    {"hidden", NULL, ANSWER_AMOUNT, get_hidden, "what comes through them", IS_LIMITED},
};
static const struct answer_table head_table = {.shape = ANSWER_RECORD,
                                               .forms = ANSWER_IN_JSON | ANSWER_IN_COLUMNS,
                                               ANSWER_COLUMNS(head_columns)};

const struct answer_table *const tree_tables[] = {&head_table, &nodes_table, NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

/* The unit in which all values are told. */
static const char *unit_of(const struct tree *tree)
{
    const struct report *report = tree->report;
    double least = 0;
    if (report_asked_unit(report))
        return report_asked_unit(report);
    for (size_t i = 1; i < tree->branches.count; i++) {
        double value = fabs(round(tree->branches.items[i].total));
        if (value > 0 && (least == 0 || value < least))
            least = value;
    }
    return tree->branches.count > 1 ? measure_table_unit(least, report->whole, report->unit)
                                    : "minimum";
}

static void say_sums(struct answer *answer, const struct tree *tree, const char *unit, size_t shown)
{
    char total[MEASURE_TEXT_BYTES], whole[MEASURE_TEXT_BYTES], percent[MEASURE_TEXT_BYTES];
    const struct report *report = tree->report;
    double begun = tree->branches.items[0].total;
    measure_percent(percent, begun, report->whole);
    answer_say(answer, "Showing stacks accounting for %s, %s of %s total, %s",
               graph_value(total, begun, report, unit), percent + strspn(percent, " "),
               graph_value(whole, report->whole, report, unit),
               tree->outward ? "callers below their callees" : "callees below their callers");
    if (shown < tree->branches.count - 1)
        answer_say(answer, "Showing the first %zu lines of %zu", shown, tree->branches.count - 1);
}

static void put_nodes(struct answer *answer, const struct answer_section *section,
                      const struct tree *tree, size_t shown)
{
    answer_begin(answer, section);
    for (size_t i = 1; i <= shown; i++) {
        const struct branch *branch = &tree->branches.items[i];
        const struct symbol *symbol = &tree->branches.symbols.items[branch->symbol];
        answer_row(answer, &(struct tree_row){{tree->branches.names[branch->symbol], NULL, symbol},
                                              branch});
    }
    answer_end(answer);
}

static void put_head(struct answer *answer, const struct tree *tree)
{
    unsigned is_limited = own(tree->report->options)->nodes > 0 ? IS_LIMITED : 0;
    answer_record(answer,
                  &(struct answer_section){.table = &head_table,
                                           .has = report_has_base(tree->report) | is_limited},
                  tree);
}

static bool put_drawn(struct answer *answer, struct tree *tree)
{
    const struct report *report = tree->report;
    put_head(answer, tree);
    return tree_put_columns(answer, &tree->branches, source_of(report), report->options->no_inlines,
                            report->both);
}

static bool put_tree(struct answer *answer, const struct tree *tree)
{
    const struct report *report = tree->report;
    size_t shown = question_rows(report->options, 0, tree->branches.count - 1);
    struct answer_section section = {.table = &nodes_table,
                                     .context = tree,
                                     .has = (tree->outward ? 0 : INWARD) | report_has_base(report),
                                     .unit = report->unit,
                                     .shown_unit = unit_of(tree),
                                     .whole = report->whole};
    answer_title(answer, "%s of %s, %s", report->sample, plain(report->input.name),
                 tree->outward ? "callers below their callees" : "callees below their callers");
    report_say_head(answer, report);
    say_sums(answer, tree, section.shown_unit, shown);
    report_head(answer, report);
    put_head(answer, tree);
    put_nodes(answer, &section, tree, shown);
    return true;
}

static enum report_outcome put(struct answer *answer, const struct report *report, bool outward)
{
    struct tree tree;
    bool is_drawn = answer_tells(answer, &tree_calls_table);
    if (!tree_init(&tree, report, outward, is_drawn))
        return REPORT_UNFINISHED;
    bool missed = is_missed(&tree);
    bool done = missed || (is_drawn ? put_drawn(answer, &tree) : put_tree(answer, &tree));
    branches_release(&tree.branches);
    return missed ? REPORT_MISSED : report_outcome_of(done);
}

enum report_outcome tree_put(struct answer *answer, const struct report *report)
{
    const struct tree_question *how = own(report->options);
    return how->context ? context_put(answer, report) : put(answer, report, how->outward);
}

enum report_outcome callers_put(struct answer *answer, const struct report *report)
{
    return put(answer, report, true);
}

enum report_outcome callees_put(struct answer *answer, const struct report *report)
{
    return put(answer, report, false);
}
