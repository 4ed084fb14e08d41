#include "report/calls/traces.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/calls/call_graph.h"
#include "report/calls/label_sums.h"
#include "base/array.h"
#include "base/error.h"
#include "base/measure.h"
#include "base/plain.h"
#include "report/head.h"
#include "report/symbol_columns.h"

/* ---- Options ------------------------------------------------------------------------- */

struct traces_question {
    bool by_labels; /* samples as they stand in the file, of a model of values */
};

const struct question_option traces_options[] = {
    {"labels", 0, OPTION_FLAG, PART_OWN, NULL,
     "For a pprof profile: list its samples as they are in the file, with their labels",
     offsetof(struct traces_question, by_labels)},
    {"node-count", 'n', OPTION_NUMBER, 0, "N", "Show the N heaviest stacks; 0 for all, the default",
     offsetof(struct question, node_count)},
    {NULL},
};

static bool by_labels(const struct question *question)
{
    return ((const struct traces_question *)question->own)->by_labels;
}

bool traces_check(struct question *question, struct heaptap_error *error)
{
    return question_accept(by_labels(question) && question->node_count >= 0
                               ? "--labels lists all samples: it can't choose the heaviest"
                               : NULL,
                           error);
}

const char *traces_refuse(const struct report *report)
{
    return by_labels(report->options) && report->input.model->kind == MODEL_OBJECTS
               ? "this is a trace; only pprof profiles have labels"
               : NULL;
}

/* ---- Stacks -------------------------------------------------------------------------- */

/* What is needed to tell of stacks. */
struct stacks {
    const struct report *report;
    bool by_labels; /* samples with different labels apart */
    struct symbols symbols;
    struct frame_symbols frames;
    struct names names;
    const char **name_of; /* by symbol, NULL until it is first told */
    size_t name_count;
    uint32_t *order; /* stacks, the heaviest first; or rows of samples, in the file's order */
    size_t count;
};

/* One that is being told. */
struct stack {
    double value;
    double samples;
    struct model_label *labels; /* texts before numbers, by their keys */
    size_t label_count;
    struct frame {
        struct named_symbol who; /* first: NAMED_COLUMNS */
        uint32_t symbol;
        bool is_inlined;
        const struct stack *first; /* of which it is the first frame; NULL: of none */
    } * frames;                    /* the innermost first */
    size_t frame_count, frame_capacity, label_capacity;
};

/* ---- Which there are ----------------------------------------------------------------- */

static double weight_of(const struct report *report, uint32_t stack)
{
    return report_value(report, &report->selection.profile.tallies[stack]);
}

/* A row of a profile's samples: its value, or its mean. */
static double row_value(const struct report *report, uint32_t row)
{
    const struct model_samples *samples = &report->input.model->samples;
    const int64_t *values = &samples->values[row * samples->type_count];
    double value = (double)values[report->what.value_type];
    return report->divisor ? stack_weight_mean(value, (double)values[0], WEIGHT_VALUE) : value;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct report *report = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double x = fabs(weight_of(report, a)), y = fabs(weight_of(report, b));
    return x != y ? (x > y ? -1 : 1) : a < b ? -1 : a > b;
}

static bool order_stacks(struct stacks *stacks)
{
    const struct report *report = stacks->report;
    size_t count = report->selection.profile.trie.stack_count;
    stacks->order = malloc((count + 1) * sizeof *stacks->order);
    for (uint32_t i = 0; stacks->order && i < count; i++)
        if (weight_of(report, i) != 0)
            stacks->order[stacks->count++] = i;
    if (stacks->count > 1)
        qsort_r(stacks->order, stacks->count, sizeof *stacks->order, compare, (void *)report);
    stacks->count = question_rows(report->options, 0, stacks->count);
    return stacks->order;
}

/* The rows that pass, instead of stacks. */
static bool order_rows(struct stacks *stacks)
{
    const struct report *report = stacks->report;
    const struct model_samples *samples = &report->input.model->samples;
    stacks->order = malloc((samples->count + 1) * sizeof *stacks->order);
    for (uint32_t i = 0; stacks->order && i < samples->count; i++)
        if (matcher_sample(&report->matcher, i) &&
            selection_stack(&report->selection, samples->stack[i]) != STACK_NONE)
            stacks->order[stacks->count++] = i;
    return stacks->order;
}

static bool stacks_init(struct stacks *stacks, const struct report *report)
{
    *stacks = (struct stacks){.report = report, .by_labels = by_labels(report->options)};
    symbols_init(&stacks->symbols, report->options->grain);
    bool done = frame_symbols_init(&stacks->frames, &report->selection.frames, &stacks->symbols);
    stacks->frames.by_module = true;
    stacks->frames.no_inlines = report->options->no_inlines;
    return done && (stacks->by_labels ? order_rows(stacks) : order_stacks(stacks));
}

static void stacks_release(struct stacks *stacks)
{
    frame_symbols_release(&stacks->frames);
    symbols_release(&stacks->symbols);
    names_release(&stacks->names);
    free(stacks->name_of);
    free(stacks->order);
}

/* ---- One of them --------------------------------------------------------------------- */

/* The name of a symbol; NULL when there is no memory. */
static const char *name_of(struct stacks *stacks, uint32_t symbol)
{
    size_t known = stacks->name_count;
    if (symbol >= known) {
        if (!ARRAY_RESERVE(&stacks->name_of, &stacks->name_count, stacks->symbols.count))
            return NULL;
        memset(stacks->name_of + known, 0, (stacks->name_count - known) * sizeof *stacks->name_of);
    }
    const char **name = &stacks->name_of[symbol];
    if (!*name)
        *name = call_graph_name(&stacks->names, &stacks->symbols.items[symbol]);
    return *name;
}

static bool add_frame(struct stacks *stacks, struct stack *stack, uint32_t symbol, bool is_inlined)
{
    const char *name = name_of(stacks, symbol);
    if (!name || !ARRAY_RESERVE(&stack->frames, &stack->frame_capacity, stack->frame_count + 1))
        return false;
    stack->frames[stack->frame_count] =
        (struct frame){.who = {.name = name, .after = is_inlined ? " (inline)" : NULL},
                       .symbol = symbol,
                       .is_inlined = is_inlined,
                       .first = stack->frame_count == 0 ? stack : NULL};
    stack->frame_count++;
    return true;
}

static bool add_frames(struct stacks *stacks, struct stack *stack, uint32_t frame)
{
    size_t count = 0;
    const uint32_t *symbols = frame_symbols_of(&stacks->frames, frame, &count);
    bool done = symbols;
    for (size_t i = count; done && i-- > 0;)
        done = add_frame(stacks, stack, symbols[i], i > 0);
    return done;
}

/* Symbols move while new ones are found: frames get theirs when all are there. */
static bool walk(struct stacks *stacks, struct stack *stack, uint32_t number)
{
    const struct stack_trie *trie = &stacks->report->selection.profile.trie;
    stack->frame_count = 0;
    for (uint32_t node = trie->ends[number]; node != STACK_ROOT; node = trie->nodes[node].parent)
        if (!add_frames(stacks, stack, trie->nodes[node].frame))
            return false;
    for (size_t i = 0; i < stack->frame_count; i++)
        stack->frames[i].who.symbol = &stacks->symbols.items[stack->frames[i].symbol];
    return true;
}

static int compare_keys(const void *left, const void *right)
{
    const struct model_label *a = left, *b = right;
    return !a->text != !b->text ? (a->text ? -1 : 1) : strcmp(a->key, b->key);
}

static bool take_labels(const struct stacks *stacks, struct stack *stack, uint32_t row)
{
    const struct model_samples *samples = &stacks->report->input.model->samples;
    const struct model_label_set *set = &samples->sets[samples->labels[row]];
    if (!ARRAY_RESERVE(&stack->labels, &stack->label_capacity, set->count))
        return false;
    stack->label_count = set->count;
    for (size_t i = 0; i < set->count; i++)
        stack->labels[i] = samples->label[set->first + i];
    if (set->count > 1)
        qsort(stack->labels, set->count, sizeof *stack->labels, compare_keys);
    return true;
}

/* Makes it what the number in the order stands for. */
static bool take_stack(struct stacks *stacks, struct stack *stack, uint32_t number)
{
    const struct report *report = stacks->report;
    const struct model_samples *samples = &report->input.model->samples;
    if (!stacks->by_labels) {
        stack->value = report_stack_value(report, number);
        stack->samples = (double)report->selection.profile.tallies[number].samples;
        return walk(stacks, stack, number);
    }
    stack->value = row_value(report, number);
    return take_labels(stacks, stack, number) &&
           walk(stacks, stack, selection_stack(&report->selection, samples->stack[number]));
}

/* ---- Columns ------------------------------------------------------------------------- */

enum { IS_SAMPLED = 1 };

#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const struct type *of = row, const void *all = context, expression)

GETTER(model_label, number,
       of->text ? answer_nothing()
                : ((struct answer_value){.is_known = true, .integer = of->number}))
GETTER(model_label, unit, of->text ? answer_nothing() : answer_filled(of->unit))

/* Its functions from the caller on, with semicolons between. */
static struct answer_value get_line(const void *row, const void *context)
{
    const struct stack *stack = row;
    struct text text = {0};
    (void)context;
    for (size_t i = stack->frame_count; i-- > 0;) {
        plain_put(&text, stack->frames[i].who.name, PLAIN_KEEP_LINES | PLAIN_NO_SEMICOLONS);
        if (i > 0)
            text_put_char(&text, ';');
    }
    struct answer_value value = answer_made(text_take(&text));
    value.is_plain = true;
    return value;
}

static const struct answer_column stack_columns[] = {
    {"value", NULL, ANSWER_AMOUNT, ANSWER_FIELD(struct stack, value), "what it allocates"},
    {"stack", NULL, ANSWER_TEXT, get_line,
     "its functions from the caller on, separated by semicolons", .flags = ANSWER_NO_JSON},
    {"samples", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct stack, samples),
     "samples that the value rests on", IS_SAMPLED},
};
static const struct answer_table stacks_table =
    ANSWER_TABLE(ANSWER_ROWS, "stacks", ANSWER_IN_JSON | ANSWER_IN_CSV, stack_columns,
                 "a stack, or, with --labels, a sample of the profile");

static const struct answer_column label_columns[] = {
    {"key", NULL, ANSWER_TEXT, ANSWER_FIELD(struct model_label, key), "its name"},
    {"text", NULL, ANSWER_TEXT, ANSWER_FIELD(struct model_label, text),
     "its value, where that is a text", .flags = ANSWER_OMIT},
    {"number", NULL, ANSWER_INTEGER, get_number, "its value, where that is a number",
     .flags = ANSWER_OMIT},
    {"unit", NULL, ANSWER_TEXT, get_unit, "of the number", .flags = ANSWER_OMIT},
};
static const struct answer_table labels_table =
    ANSWER_JSON(ANSWER_ROWS, "labels", label_columns, "a label of the sample");

static const struct answer_column frame_columns[] = {
    NAMED_COLUMNS(NULL, 0),
    {"inlined", NULL, ANSWER_FLAG, ANSWER_FILLED(struct frame, is_inlined),
     "it is inlined in its caller", .flags = ANSWER_OMIT},
};
static const struct answer_table frames_table =
    ANSWER_JSON(ANSWER_ROWS, "stack", frame_columns, "a function, the one that allocates first");

static const struct answer_column line_columns[] = {
    {NULL, "value", ANSWER_AMOUNT, ANSWER_FIELD_OF(struct frame, first, value)},
    {NULL, "stack", ANSWER_NAME, named_column_name},
};
static const struct answer_table lines_table = {
    .style = ANSWER_FIXED,
    .forms = ANSWER_IN_TEXT,
    ANSWER_COLUMNS(line_columns),
    .layout = {.heading = "",
               .bar = "   ",
               .rule = "-----------+-------------------------------------------------------"},
};

const struct answer_table *const traces_tables[] = {&stacks_table, &labels_table, &frames_table,
                                                    NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

static void put_labels(struct answer *answer, const struct stack *stack)
{
    ANSWER_ITEMS(answer, &(struct answer_section){.table = &labels_table}, stack->labels,
                 stack->label_count);
}

static void put_frames(struct answer *answer, const struct stack *stack)
{
    for (size_t i = 0; i < stack->frame_count; i++)
        answer_row(answer, &stack->frames[i]);
}

static void put_stack(struct answer *answer, const struct stacks *stacks, const struct stack *stack)
{
    struct answer_section frames = {.table = &frames_table};
    answer_row(answer, stack);
    if (stacks->by_labels)
        put_labels(answer, stack);
    answer_begin(answer, &frames);
    put_frames(answer, stack);
    answer_end(answer);
}

static const char *label_text(char *text, const struct model_label *label)
{
    const char *unit = *label->unit ? label->unit : tags_unit_of_key(label->key);
    return label->text ? plain(label->text)
                       : plain(measure_text(text, (double)label->number, unit, "auto"));
}

/* A line a key. */
static void say_labels(struct answer *answer, const struct stack *stack)
{
    char text[MEASURE_TEXT_BYTES];
    struct text lines = {0};
    const struct model_label *labels = stack->labels;
    for (size_t i = 0; i < stack->label_count; i++) {
        bool is_new = i == 0 || strcmp(labels[i].key, labels[i - 1].key) != 0;
        const char *key = plain(labels[i].key);
        if (is_new && i > 0)
            text_put_char(&lines, '\n');
        for (size_t size = strlen(key); is_new && size < 10; size++)
            text_put_char(&lines, ' ');
        text_put_string(&lines, is_new ? key : "");
        text_put_string(&lines, is_new ? ":  " : " ");
        text_put_string(&lines, label_text(text, &labels[i]));
    }
    if (stack->label_count > 0)
        text_put_char(&lines, '\n');
    answer_say_lines(answer, &lines);
    text_release(&lines);
}

static void put_lines(struct answer *answer, const struct stacks *stacks, const struct stack *stack)
{
    if (stack->frame_count == 0)
        return;
    answer_rule(answer);
    if (stacks->by_labels)
        say_labels(answer, stack);
    put_frames(answer, stack);
}

static bool put_all(struct answer *answer, struct stacks *stacks,
                    const struct answer_section *section,
                    void (*put)(struct answer *, const struct stacks *, const struct stack *))
{
    struct stack stack = {0};
    bool done = true;
    if (!answer_tells(answer, section->table))
        return true;
    answer_begin(answer, section);
    for (size_t i = 0; done && i < stacks->count; i++) {
        done = take_stack(stacks, &stack, stacks->order[i]);
        if (done)
            put(answer, stacks, &stack);
    }
    answer_rule(answer);
    answer_end(answer);
    free(stack.frames);
    free(stack.labels);
    return done;
}

enum report_outcome traces_put(struct answer *answer, const struct report *report)
{
    const struct model *model = report->input.model;
    const char *unit = report_asked_unit(report);
    bool is_sampled = model->kind == MODEL_OBJECTS && model->estimate.sample_rate < 1;
    struct answer_section whole = {.table = &stacks_table, .has = is_sampled ? IS_SAMPLED : 0};
    struct answer_section lines = {&lines_table, NULL, 0, report->unit, unit ? unit : "minimum"};
    struct stacks stacks;
    bool done = stacks_init(&stacks, report);
    if (done) {
        report_say_head(answer, report);
        report_head(answer, report);
        done = put_all(answer, &stacks, &whole, put_stack) &&
               put_all(answer, &stacks, &lines, put_lines);
    }
    stacks_release(&stacks);
    return report_outcome_of(done);
}
