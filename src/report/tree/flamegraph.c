/* The tree is a flat list of nodes in preorder, callers first, each with the number of its caller: its depth is no matter
 * for what reads it. */
#include "report/tree/flamegraph.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/symbol_columns.h"

struct node {
    const struct symbol *symbol; /* NULL for the root */
    int64_t number, parent;      /* in the list; the root's parent is -1 */
    size_t depth;
    const struct stack_tally *total, *self;
};

/* ---- Options ------------------------------------------------------------------------- */

const struct flamegraph_question flamegraph_usual = {.weight = WEIGHT_BYTES, .max_depth = 2000};

static const struct option_word weights[] = {
    {"bytes", WEIGHT_BYTES}, {"samples", WEIGHT_SAMPLES}, {"objects", WEIGHT_OBJECTS}, {NULL, 0}};

static const struct option_word colours[] = {{"file", 0}, {"function", 1}, {NULL, 0}};
static const struct option_word forms[] = {{"folded", 0, REPORT_FOLDED},     {"svg", 0, REPORT_SVG},
                                           {"json", 0, REPORT_JSON},         {"csv", 0, REPORT_CSV},
                                           {"memtrace", 0, REPORT_MEMTRACE}, {NULL, 0}};

#define OWN(name) offsetof(struct flamegraph_question, name)

const struct question_option flamegraph_options[] = {
    {"weight", 'w', OPTION_WORD, PART_OWN, "WHAT",
     "What is counted: bytes (the default), samples or objects", OWN(weight), OWN(weight_given),
     .words = weights},
    {"lines", 0, OPTION_FLAG, PART_OWN, NULL, "Show lines of a function separately",
     OWN(has_lines)},
    {"reverse", 'r', OPTION_FLAG, PART_OWN, NULL,
     "Begin with the allocation sites, followed by their callers", OWN(is_reverse)},
    {"merge-recursion", 0, OPTION_FLAG, PART_OWN, NULL,
     "Show each function once per stack, at its outermost call", OWN(merges_recursion)},
    {"min-share", 0, OPTION_PERCENT, PART_OWN, "PERCENT",
     "Leave out what is less than this part of everything (0.05 for SVG, else 0)", OWN(min_share),
     OWN(min_share_given)},
    {"max-depth", 0, OPTION_NUMBER, PART_OWN, "N",
     "Show frames deeper than N as one, <deeper> (2000); 0 for no limit", OWN(max_depth),
     OWN(max_depth_given)},
    {"output", 'o', OPTION_TEXT, PART_PICTURE, "FILE",
     "Write to FILE; - for standard output, the default", offsetof(struct question, output)},
    {"format", 'f', OPTION_FORM, 0, "FORMAT",
     "folded, svg, json, csv, or memtrace: exactly what memtrace's flamegraph prints. Default: by "
     "the end of FILE's name, .svg, .json or .csv; else folded",
     .words = forms},
    {"folded", 0, OPTION_FORM, 0, NULL, "The same as --format=folded", .form = REPORT_FOLDED},
    {"svg", 0, OPTION_FORM, 0, NULL, "The same as --format=svg", .form = REPORT_SVG},
    {"json", 0, OPTION_FORM, 0, NULL, "The same as --format=json", .form = REPORT_JSON},
    {"csv", 0, OPTION_FORM, 0, NULL, "The same as --format=csv", .form = REPORT_CSV},
    {"title", 0, OPTION_TEXT, PART_OWN | PART_PICTURE, "TEXT", "Heading of the picture",
     OWN(title)},
    {"colour", 0, OPTION_WORD, PART_OWN | PART_PICTURE, "file|function",
     "Colour the picture by file (the default) or function", OWN(by_function), OWN(colour_given),
     .words = colours},
    {"color", 0, OPTION_WORD, PART_OWN | PART_PICTURE, "file|function", NULL, OWN(by_function),
     OWN(colour_given), .words = colours},
    {NULL},
};

static const struct flamegraph_question *own(const struct question *question)
{
    return (const struct flamegraph_question *)question->own;
}

/* Has it something that memtrace's format leaves no choice of? */
static bool is_shaped(const struct flamegraph_question *own)
{
    return own->weight_given || own->has_lines || own->is_reverse || own->merges_recursion ||
           own->min_share_given || own->max_depth_given;
}

bool flamegraph_check(struct question *question, struct heaptap_error *error)
{
    const struct flamegraph_question *of = own(question);
    const char *wrong = question->format == REPORT_MEMTRACE && is_shaped(of)
                            ? "--format=memtrace takes no options for weight, order and names"
                        : question->format != REPORT_SVG && (of->title || of->colour_given)
                            ? "--title and --colour are for pictures: --svg draws one"
                            : NULL;
    return question_accept(wrong, error);
}

static bool has_negative_values(const struct stack_profile *profile)
{
    for (size_t i = 0; i < profile->trie.stack_count; i++)
        if (profile->tallies[i].value < 0)
            return true;
    return false;
}

const char *flamegraph_refuse(const struct report *report)
{
    if (report->weight != WEIGHT_VALUE)
        return NULL;
    return own(report->options)->weight_given
               ? "this is a pprof profile: --weight is for traces; --sample chooses the values"
           : report->options->format == REPORT_MEMTRACE
               ? "this is a pprof profile: --format=memtrace is for traces"
           : has_negative_values(&report->selection.profile)
               ? "this is a pprof profile: some of its values are negative, as in a difference: a "
                 "flame graph can't show them"
               : NULL;
}

/* ---- Columns ------------------------------------------------------------------------- */

enum { OF_BLOCKS = 1, OF_VALUES = 2 }; /* what a tally has: never both */

/* The context is the flame graph. */
#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const type *of = row, const struct flamegraph *flamegraph = context,    \
               expression)

#define OBJECTS(tally) answer_number(stack_tally_objects(tally, flamegraph->estimate))

GETTER(struct flamegraph, weight, answer_text(stack_weight_name(of->weight)))
GETTER(struct stack_tally, objects, OBJECTS(of))
GETTER(struct node, parent, of->parent < 0 ? answer_nothing() : answer_integer(of->parent))
GETTER(struct node, total_objects, OBJECTS(of->total))
GETTER(struct node, self_objects, OBJECTS(of->self))

#define OF_GRAPH(member) ANSWER_FIELD(struct flamegraph, member)
#define OF_WALK(member) ANSWER_FIELD_OF(struct flamegraph, walk, member)
#define OF_TALLY(member) ANSWER_FIELD(struct stack_tally, member)
#define OF_NODE(member) ANSWER_FIELD(struct node, member)

static const struct answer_column head_columns[] = {
    {"trace", NULL, ANSWER_TEXT, OF_GRAPH(trace), "name of the file"},
    {"complete", NULL, ANSWER_FLAG, OF_GRAPH(is_complete), "false: the trace was cut"},
    {"weight", NULL, ANSWER_TEXT, get_weight,
     "what counts for `min_share`: bytes, samples, objects or value"},
    {"sample_type", NULL, ANSWER_TEXT, OF_WALK(measure.type), "what is counted, of a profile",
     OF_VALUES},
    {"unit", NULL, ANSWER_TEXT, OF_WALK(measure.unit), "its unit", OF_VALUES},
    {"min_share", NULL, ANSWER_SHARE, OF_GRAPH(min_share),
     "nodes below this part of everything are left out"},
};

static const struct answer_column tally_columns[] = {
    {"value", NULL, ANSWER_DECIMAL, OF_TALLY(value), "the values' sum", OF_VALUES},
    {"bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct stack_tally, samples), "bytes", OF_BLOCKS},
    {"samples", NULL, ANSWER_INTEGER, OF_TALLY(samples), "samples that these rest on"},
    {"objects", NULL, ANSWER_COUNT, get_objects, "blocks", OF_BLOCKS},
};

/* A tally in CSV, which has no objects within rows. */
#define FLAT_COLUMN(key, kind, get, help, when)                                                    \
    {                                                                                              \
        key, NULL, kind, get, help, when, ANSWER_NO_JSON                                           \
    }
#define FLAT(of, about)                                                                            \
    FLAT_COLUMN(#of "_value", ANSWER_DECIMAL, ANSWER_FIELD_OF(struct node, of, value),             \
                "the values' sum " about, OF_VALUES),                                              \
        FLAT_COLUMN(#of "_bytes", ANSWER_BYTES, ANSWER_SAMPLES_OF(struct node, of, samples),       \
                    "bytes allocated " about, OF_BLOCKS),                                          \
        FLAT_COLUMN(#of "_samples", ANSWER_INTEGER, ANSWER_FIELD_OF(struct node, of, samples),     \
                    "samples that these rest on", 0),                                              \
        FLAT_COLUMN(#of "_objects", ANSWER_COUNT, get_##of##_objects, "blocks allocated " about,   \
                    OF_BLOCKS)

static const struct answer_column node_columns[] = {
    {"number", NULL, ANSWER_INTEGER, OF_NODE(number), "number of the node, from 0",
     .flags = ANSWER_NO_JSON},
    {"parent", NULL, ANSWER_INTEGER, get_parent, "number of its caller; empty for the root",
     .flags = ANSWER_NO_JSON},
    {"parent", NULL, ANSWER_INTEGER, OF_NODE(parent),
     "number of its caller, from 0; -1 for the root", .flags = ANSWER_NO_CSV},
    {"depth", NULL, ANSWER_INTEGER, OF_NODE(depth), "how many calls it is below the root",
     .flags = ANSWER_NO_JSON},
    {"function", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct node, symbol, function),
     "name of the function"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct node, symbol, file), "source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED_OF(struct node, symbol, line), "line of the file",
     .flags = ANSWER_OMIT},
    FLAT(total, "in it and in what it calls"),
    FLAT(self, "in itself alone"),
};

static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);
static const struct answer_table total_table = ANSWER_JSON(
    ANSWER_RECORD, "total", tally_columns, "what is allocated in a node and in what it calls");
static const struct answer_table self_table =
    ANSWER_JSON(ANSWER_RECORD, "self", tally_columns, "what is allocated in a node itself");
static const struct answer_table nodes_table = {
    "nodes",
    ANSWER_ROWS,
    ANSWER_FITTED,
    ANSWER_IN_JSON | ANSWER_IN_CSV,
    ANSWER_COLUMNS(node_columns),
    "a call path, followed by those that go on from it; the first is the root",
};

const struct answer_table *const flamegraph_tables[] = {&head_table, &nodes_table, &total_table,
                                                        &self_table, NULL};

/* ---- Saying it ----------------------------------------------------------------------- */

/* The sections that are used over and over. */
struct saying {
    struct answer *answer;
    const struct flamegraph *flamegraph;
    struct answer_section nodes, total, self;
};

/* What the walk is at. */
static void put_node(const struct saying *saying, int64_t number, int64_t parent)
{
    const struct call_walk *walk = saying->flamegraph->walk;
    struct node node = {call_walk_symbol(walk), number,     parent, walk->depth,
                        &walk->total,           &walk->self};
    answer_row(saying->answer, &node);
    answer_record(saying->answer, &saying->total, node.total);
    answer_record(saying->answer, &saying->self, node.self);
}

static bool put_nodes(const struct saying *saying)
{
    const struct flamegraph *of = saying->flamegraph;
    struct call_walk *walk = of->walk;
    double least = of->min_share * stack_tally_weight(&walk->all, of->estimate, of->weight);
    int64_t *numbers = NULL, next = 1; /* numbers by depth: of the node there, in the list */
    size_t capacity = 0;
    bool done = ARRAY_RESERVE(&numbers, &capacity, 1);
    if (done) {
        numbers[0] = 0;
        put_node(saying, 0, -1);
    }
    while (done && call_walk_next(walk)) {
        walk->skip = stack_tally_weight(&walk->total, of->estimate, of->weight) < least;
        if (walk->skip)
            continue;
        done = ARRAY_RESERVE(&numbers, &capacity, walk->depth + 1);
        if (!done)
            break;
        numbers[walk->depth] = next;
        put_node(saying, next++, numbers[walk->depth - 1]);
    }
    free(numbers);
    return done && !walk->failed;
}

bool flamegraph_put(struct answer *answer, const struct flamegraph *flamegraph)
{
    struct answer_section section = {
        .table = &nodes_table,
        .context = flamegraph,
        .has = flamegraph->walk->measure.type ? OF_VALUES : OF_BLOCKS,
        .sample_bytes = flamegraph->estimate->bytes_per_sample,
    };
    struct saying saying = {answer, flamegraph, section, section, section};
    saying.total.table = &total_table;
    saying.self.table = &self_table;
    section.table = &head_table;
    answer_record(answer, &section, flamegraph);
    answer_begin(answer, &saying.nodes);
    bool done = put_nodes(&saying);
    answer_end(answer);
    return done;
}
