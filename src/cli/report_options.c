/* Every clause of a filter is an option, too: --focus=main is the clause focus=main.  These stand
 * in no --help, but in heaptap-filters(7). */
#include "cli/report_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/array.h"
#include "cli/cli.h"
#include "render/short_name.h"
#include "profile/filter.h"

enum {
    OPTION_NO_INLINES = 3000,
    OPTION_FULL_NAMES,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_NODE_FRACTION,
    OPTION_EDGE_FRACTION,
    OPTION_CUM,
    OPTION_UNIT,
    OPTION_RELATIVE,
    OPTION_MEAN,
    OPTION_TAGROOT,
    OPTION_TAGLEAF,
    OPTION_CLAUSE = 3100, /* + enum filter_word */
    PARTS = 5,            /* of report_argp */
};

/* ---- Clauses ------------------------------------------------------------------------- */

static void add_space(struct text *filter)
{
    if (filter->size > 0)
        text_put_char(filter, ' ');
}

void report_add_clause(struct text *filter, enum filter_word word, const char *value)
{
    static const char operators[] = "<>=!";
    bool has_operator = word <= FILTER_SIZE && *value && strchr(operators, *value);
    add_space(filter);
    text_put_string(filter, filter_word_name(word));
    if (has_operator) {
        text_put_string(filter, value);
        return;
    }
    text_put_string(filter, "=\"");
    for (; *value; value++) {
        if (*value == '"')
            text_put_char(filter, '"');
        text_put_char(filter, *value);
    }
    text_put_char(filter, '"');
}

static void add_text(struct text *filter, const char *text)
{
    add_space(filter);
    text_put_string(filter, text);
}

/* ---- Values -------------------------------------------------------------------------- */

static enum symbol_grain grain_of(const char *text, struct argp_state *state)
{
    static const char *const names[] = {"functions", "filefunctions", "files", "lines",
                                        "addresses"};
    static const enum symbol_grain grains[] = {GRAIN_NAME, GRAIN_FUNCTION, GRAIN_FILE, GRAIN_LINE,
                                               GRAIN_ADDRESS};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cli_is_word(text, names[i]))
            return grains[i];
    argp_error(state,
               "--granularity takes functions, filefunctions, files, lines or addresses, not '%s'",
               text);
    return GRAIN_NAME;
}

double report_fraction(const char *text, const char *option, struct argp_state *state)
{
    const char *rest = "";
    double value = 0;
    bool is_number = amount_number(text, &value, &rest), is_percent = strcmp(rest, "%") == 0;
    if (is_percent)
        value /= 100;
    if (!is_number || (*rest && !is_percent) || value > 1)
        argp_error(state, "--%s takes a part of the whole, from 0 to 1 or 0%% to 100%%, not '%s'",
                   option, text);
    return value;
}

long report_count(const char *text, const char *option, struct argp_state *state)
{
    uint64_t value;
    if (!cli_parse_whole(text, 0, UINT32_MAX, &value))
        argp_error(state, "--%s takes a whole number, not '%s'", option, text);
    return (long)value;
}

static void set_format(struct question *options, enum report_format format,
                       struct argp_state *state)
{
    if (options->format != REPORT_TEXT && options->format != format)
        argp_error(state, "one format at a time");
    options->format = format;
}

/* ---- Parsers ------------------------------------------------------------------------- */

static void add_path(struct question *options, const char *path, struct argp_state *state)
{
    if (!ARRAY_RESERVE(&options->more, &options->more_capacity, options->more_count + 1))
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    options->more[options->more_count++] = path;
}

static void take_argument(struct question *options, const char *argument, struct argp_state *state)
{
    if (!options->path)
        options->path = argument;
    else if (options->takes_pattern && !options->pattern)
        options->pattern = argument;
    else if (strpbrk(argument, "=<>"))
        add_text(&options->filter, argument);
    else if (options->takes_many)
        add_path(options, argument, state);
    else
        argp_error(state, "one trace at a time: '%s' is one too many, and not a clause of a filter",
                   argument);
}

static void check_arguments(const struct question *options, struct argp_state *state)
{
    if (!options->path || !*options->path)
        argp_error(state, "no trace given: name a file, or - for standard input");
    else if (options->takes_pattern && !options->pattern)
        argp_error(state, "no functions given: name them by a regular expression after the trace");
}

static error_t parse_filter(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case 'F':
        add_text(&options->filter, argument);
        return 0;
    case ARGP_KEY_ARG:
        take_argument(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(options, state);
        return 0;
    default:
        if (key < OPTION_CLAUSE || key >= OPTION_CLAUSE + FILTER_WORD_COUNT)
            return ARGP_ERR_UNKNOWN;
        report_add_clause(&options->filter, (enum filter_word)(key - OPTION_CLAUSE), argument);
        return 0;
    }
}

/* Of sample, granularity, inlines, units, percentages, formats. */
static error_t parse_simple(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case 's':
        options->sample = argument;
        return 0;
    case 'g':
        options->grain = grain_of(argument, state);
        return 0;
    case OPTION_UNIT:
        options->unit = argument;
        return 0;
    case OPTION_RELATIVE:
        options->is_relative = true;
        return 0;
    case OPTION_MEAN:
        options->is_mean = true;
        return 0;
    case OPTION_NO_INLINES:
        options->no_inlines = true;
        return 0;
    case OPTION_JSON:
        set_format(options, REPORT_JSON, state);
        return 0;
    case OPTION_CSV:
        set_format(options, REPORT_CSV, state);
        return 0;
    case OPTION_TAGROOT:
        options->tag_root = argument;
        return 0;
    case OPTION_TAGLEAF:
        options->tag_leaf = argument;
        return 0;
    case OPTION_MARKDOWN:
        set_format(options, REPORT_MARKDOWN, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < PARTS; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

static error_t parse_names(int key, char *argument, struct argp_state *state)
{
    if (key != OPTION_FULL_NAMES)
        return ARGP_ERR_UNKNOWN;
    short_name_turn_off();
    return 0;
}

static error_t parse_nodes(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case 'n':
        options->node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_NODE_FRACTION:
        options->node_fraction = report_fraction(argument, "node-fraction", state);
        options->node_fraction_given = true;
        return 0;
    case OPTION_EDGE_FRACTION:
        options->edge_fraction = report_fraction(argument, "edge-fraction", state);
        options->edge_fraction_given = true;
        return 0;
    case OPTION_CUM:
        options->by_cum = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The clauses follow (report_options_prepare), and an end. */
static struct argp_option filter_option_table[1 + FILTER_WORD_COUNT + 1] = {
    {"filter", 'F', "FILTER", 0,
     "Only what passes FILTER, such as 'size>=1k live-at=peak focus=main'; its clauses can also "
     "follow the trace. `heaptap help filters` explains them",
     0},
};

void report_options_prepare(void)
{
    for (int word = 0; word < FILTER_WORD_COUNT; word++)
        filter_option_table[1 + word] =
            (struct argp_option){filter_word_name((enum filter_word)word),
                                 OPTION_CLAUSE + word,
                                 "VALUE",
                                 OPTION_HIDDEN,
                                 NULL,
                                 0};
}

static const struct argp_option sample_option_table[] = {
    {"sample", 's', "TYPE", 0,
     "Which values: alloc_space (the default of traces), alloc_objects, inuse_space, "
     "inuse_objects, promoted_space, promoted_objects, collected_space, collected_objects; of a "
     "pprof profile, one of its own. A part of the name, such as inuse or objects, or its number, "
     "from 0, will do",
     0},
    {"tagroot", OPTION_TAGROOT, "KEYS", OPTION_HIDDEN, NULL, 0},
    {"tagleaf", OPTION_TAGLEAF, "KEYS", OPTION_HIDDEN, NULL, 0},
    {0},
};

static const struct argp_option grain_option_table[] = {
    {"granularity", 'g', "UNIT", 0,
     "What a row stands for: functions, filefunctions, files, lines or addresses. Default: "
     "functions; in advice, export and leaks, lines",
     0},
    {0},
};

static const struct argp_option inlines_option_table[] = {
    {"no-inlines", OPTION_NO_INLINES, NULL, 0,
     "Count inlined functions as part of those they are inlined into", 0},
    {0},
};

static const struct argp_option unit_option_table[] = {
    {"unit", OPTION_UNIT, "UNIT", 0, "Print all values in UNIT: B, kB, MB, ...; ns, us, ms, s, hrs",
     0},
    {0},
};

static const struct argp_option relative_option_table[] = {
    {"relative-percentages", OPTION_RELATIVE, NULL, 0,
     "Percentages are of what passes the filter, not of everything", 0},
    {0},
};

static const struct argp_option mean_option_table[] = {
    {"mean", OPTION_MEAN, NULL, 0,
     "Print what one block has on average, not all blocks together; in a pprof profile, values divided by the "
     "first sample type's",
     0},
    {0},
};

static const struct argp_option names_option_table[] = {
    {"full-names", OPTION_FULL_NAMES, NULL, 0,
     "Print names in full, even if they are too long for the terminal", 0},
    {0},
};

static const struct argp_option format_option_table[] = {
    {"json", OPTION_JSON, NULL, 0, "Print JSON", 0},
    {"csv", OPTION_CSV, NULL, 0, "Print comma-separated values", 0},
    {0},
};

static const struct argp_option markdown_option_table[] = {
    {"markdown", OPTION_MARKDOWN, NULL, 0, "Print Markdown, for pull requests and the like", 0},
    {0},
};

static const struct argp_option node_option_table[] = {
    {"node-count", 'n', "N", 0, "Show N at most; 0 for all", 0},
    {"node-fraction", OPTION_NODE_FRACTION, "PART", 0,
     "Leave out what is less than PART of the whole, 0.005 by default", 0},
    {"edge-fraction", OPTION_EDGE_FRACTION, "PART", 0,
     "Leave out calls that are less than PART of the whole, 0.001 by default", 0},
    {"cum", OPTION_CUM, NULL, 0, "Sort by what comes through a function, not by its own", 0},
    {0},
};

const struct argp report_filter_argp = {filter_option_table, parse_filter, 0, 0, 0, 0, 0};
const struct argp report_sample_argp = {sample_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_grain_argp = {grain_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_inlines_argp = {inlines_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_unit_argp = {unit_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_relative_argp = {relative_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_mean_argp = {mean_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_names_argp = {names_option_table, parse_names, 0, 0, 0, 0, 0};
const struct argp report_markdown_argp = {markdown_option_table, parse_simple, 0, 0, 0, 0, 0};
const struct argp report_format_argp = {format_option_table, parse_simple, 0, 0, 0, 0, 0};

static const struct argp_child parts[PARTS + 1] = {
    {&report_filter_argp, 0, NULL, 0}, {&report_sample_argp, 0, NULL, 0},
    {&report_grain_argp, 0, NULL, 0},  {&report_inlines_argp, 0, NULL, 0},
    {&report_format_argp, 0, NULL, 0}, {0}};

const struct argp report_argp = {NULL, parse, 0, 0, parts, 0, 0};
const struct argp report_nodes_argp = {node_option_table, parse_nodes, 0, 0, 0, 0, 0};
