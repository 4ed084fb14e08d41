/* The columns of `heaptap holders`. */
#include "report/holders/holders_parts.h"
#include "base/path.h"
#include "report/symbol_columns.h"

#include <string.h>

const char *holders_root_name(const struct holders_root *root)
{
    return *root->name ? root->name : *root->module ? path_file(root->module) : "";
}

/* ---- Columns ------------------------------------------------------------------------- */

#define GETTER(name, type, expression)                                                             \
    static struct answer_value name(const void *row, const void *context)                          \
    {                                                                                              \
        const struct type *of = row;                                                               \
        const struct holders *holders = context;                                                   \
        (void)holders;                                                                             \
        return expression;                                                                         \
    }

static struct answer_value share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? answer_number((double)part / (double)whole) : answer_nothing();
}

static struct answer_value text_or_nothing(const char *text)
{
    return text && *text ? answer_text(text) : answer_nothing();
}

static struct answer_value root_place(const struct holders_root *root)
{
    return *root->file ? answer_place(root->file, (uint32_t)root->line)
                       : answer_place(*root->module ? root->module : NULL, 0);
}

/* What samples say, with its bounds. */
static struct answer_value estimated(const struct holders *holders, uint64_t bytes,
                                     uint64_t samples)
{
    const struct estimate *estimate = &holders->model->estimate;
    struct answer_value value = answer_number((double)bytes);
    value.has_no_range = !report_is_sampled(holders->report);
    if (!value.has_no_range) {
        struct estimate_sum sum = estimate_bytes_sum(estimate, (double)samples);
        value.range = estimate_range(&sum, estimate->sample_rate);
    }
    return value;
}

#define OF_SITE(member) ANSWER_FIELD_OF(struct site_row, site, member)

GETTER(get_site_bytes, site_row, estimated(holders, of->site->bytes, of->site->samples))
GETTER(get_site_lost, site_row, estimated(holders, of->site->lost_bytes, of->site->lost_samples))

/* Of a place, unless all its blocks are known, it would be that of some. */
GETTER(get_site_retained, site_row,
       report_is_sampled(holders->report) ? answer_nothing()
                                          : answer_number((double)of->site->retained_bytes))

static const struct answer_column site_columns[] = {
    SYMBOL_COLUMNS,
    {"bytes", "BYTES", ANSWER_BYTES, get_site_bytes, 0, ANSWER_HAS_RANGE, "alive at the snapshot"},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_SITE(blocks), 0, ANSWER_WIDE, "how many these are"},
    {"share", "SHARE", ANSWER_SHARE, ANSWER_FIELD(struct site_row, share), 0, 0, "part of all"},
    {"retained_bytes", "RETAINED", ANSWER_BYTES, get_site_retained, 0, 0,
     "the site's blocks, and what is held through one of them alone: it would go with that; not known where blocks are sampled"},
    {"lost_bytes", "LOST", ANSWER_BYTES, get_site_lost, 0, ANSWER_DOT | ANSWER_HAS_RANGE,
     "of bytes, those that nothing holds any more"},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_SITE(lost_blocks), 0, 0, "how many blocks these are"},
};
const struct answer_table holders_sites_table = {.key = "sites",
                                                 .shape = ANSWER_ROWS,
                                                 .forms = ANSWER_IN_ALL,
                                                 ANSWER_COLUMNS(site_columns),
                                                 .help = "a place that allocated what is alive"};

#define OF_STEP(member) ANSWER_FIELD_OF(struct path_row, step, member)

GETTER(get_path_bytes, path_row, estimated(holders, of->step->bytes, of->step->samples))
GETTER(get_path_share, path_row, share(of->step->bytes, of->site->bytes))
GETTER(get_path_root, path_row,
       answer_text(holders->sites.snapshot->roots[of->step->root].kind_name))

static const struct answer_column path_columns[] = {
    {"through", "FUNCTION", ANSWER_NAME, ANSWER_FIELD(struct path_row, text), 0, 0,
     "the way from a root to the blocks, in words"},
    {"root_kind", NULL, ANSWER_TEXT, get_path_root, 0, 0,
     "global, thread-local, stack, mapping; lost where no root leads to the blocks"},
    {"bytes", "BYTES", ANSWER_BYTES, get_path_bytes, 0, ANSWER_HAS_RANGE, "that are held this way"},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_STEP(blocks), 0, 0, "how many these are"},
    {"share", "SHARE", ANSWER_SHARE, get_path_share, 0, 0, "part of the place's bytes"},
    {"length", NULL, ANSWER_WHOLE, OF_STEP(depth), 0, 0,
     "places that the way leads through, this one among them"},
};
const struct answer_table holders_paths_table = {
    .key = "paths",
    .shape = ANSWER_ROWS,
    .forms = ANSWER_IN_TEXT | ANSWER_IN_JSON,
    ANSWER_COLUMNS(path_columns),
    .help = "a way on which the place's blocks are held: of each block, the shortest"};

GETTER(get_step_name, step_row,
       of->root ? text_or_nothing(holders_root_name(of->root)) : answer_nothing())
GETTER(get_step_by, step_row, of->root ? answer_nothing() : text_or_nothing(of->step->name))
GETTER(get_step_kind, step_row, answer_text(of->root ? of->root->kind_name : "block"))
GETTER(get_step_file, step_row, text_or_nothing(of->root ? of->root->file : of->symbol.file))
GETTER(get_step_line, step_row,
       of->root ? (of->root->line ? answer_number((double)of->root->line) : answer_nothing())
                : symbol_value_line(&of->symbol))
GETTER(get_step_offset, step_row,
       of->root || of->step->offset == HOLDERS_NONE || of->step->depth < 2
           ? answer_nothing()
           : answer_number(of->step->offset))

static const struct answer_column step_columns[] = {
    {"kind", NULL, ANSWER_TEXT, get_step_kind, 0, 0, "block, or what kind of root"},
    {"name", NULL, ANSWER_TEXT, get_step_name, 0, ANSWER_OMIT,
     "of a root: the variable, the thread, the mapping; of a module's data without a name, the module"},
    {"by", NULL, ANSWER_TEXT, get_step_by, 0, ANSWER_OMIT,
     "of a Python object: the attribute or key by which the one before it holds it, where that is the same for all"},
    {"function", NULL, ANSWER_TEXT, symbol_column_function, 0, ANSWER_OMIT,
     "of a block: the function that allocated it"},
    {"file", NULL, ANSWER_TEXT, get_step_file, 0, ANSWER_OMIT,
     "where the variable is declared, or the block allocated"},
    {"line", NULL, ANSWER_WHOLE, get_step_line, 0, ANSWER_OMIT, "line of the file"},
    {"type", NULL, ANSWER_TEXT, ANSWER_FIELD(struct step_row, type), 0, ANSWER_OMIT,
     "of a block: its class, by its vtable, or the container whose functions allocated it"},
    {"offset", NULL, ANSWER_WHOLE, get_step_offset, 0, ANSWER_OMIT,
     "of a block: the bytes from the start of the block that holds it to the word that points at it, where these are the same for "
     "all"},
};
const struct answer_table holders_steps_table = {.key = "steps",
                                                 .shape = ANSWER_ROWS,
                                                 .forms = ANSWER_IN_JSON,
                                                 ANSWER_COLUMNS(step_columns),
                                                 .help = "a step of the way, from the root on"};

#define OF_ROOT(member) ANSWER_FIELD_OF(struct root_row, root, member)
#define OF_SUM(member) ANSWER_FIELD_OF(struct root_row, sum, member)

GETTER(get_root_bytes, root_row, estimated(holders, of->sum->bytes, of->sum->samples))
GETTER(get_root_name, root_row,
       text_or_nothing(*holders_root_name(of->root) ? holders_root_name(of->root)
                                                    : of->root->kind_name))
GETTER(get_root_place, root_row, root_place(of->root))
GETTER(get_root_line, root_row,
       of->root->line ? answer_number((double)of->root->line) : answer_nothing())
GETTER(get_root_file, root_row, text_or_nothing(of->root->file))
GETTER(get_root_module, root_row, text_or_nothing(of->root->module))

static const struct answer_column root_columns[] = {
    {"name", "ROOT", ANSWER_NAME, get_root_name, 0, 0,
     "the variable, the thread, the mapping; of a module's data without a name, the module"},
    {"kind", "KIND", ANSWER_TEXT, OF_ROOT(kind_name), 0, 0,
     "global, thread-local, stack, mapping; lost: no root leads there"},
    {"file", NULL, ANSWER_TEXT, get_root_file, 0, 0, "where the variable is declared"},
    {"line", NULL, ANSWER_WHOLE, get_root_line, 0, ANSWER_OMIT, "line of the file"},
    {"module", NULL, ANSWER_TEXT, get_root_module, 0, 0, "path of the program or library"},
    {NULL, "PLACE", ANSWER_PLACE, get_root_place, 0, 0, NULL},
    {"bytes", "BYTES", ANSWER_BYTES, get_root_bytes, 0, ANSWER_HAS_RANGE,
     "of the blocks to which the shortest way is from here"},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_SUM(blocks), 0, 0, "how many these are"},
    {"share", "SHARE", ANSWER_SHARE, ANSWER_FIELD(struct root_row, share), 0, 0, "part of all"},
    {"retained_bytes", "RETAINED", ANSWER_BYTES, OF_SUM(retained_bytes), 0, 0,
     "held through this root alone"},
};
const struct answer_table holders_roots_table = {.key = "roots",
                                                 .shape = ANSWER_ROWS,
                                                 .forms = ANSWER_IN_TEXT | ANSWER_IN_JSON,
                                                 ANSWER_COLUMNS(root_columns),
                                                 .help = "where ways to blocks begin"};

#define OF_WHOLE(member) ANSWER_FIELD(struct holders, sites.whole.member)

GETTER(get_whole, holders, estimated(holders, of->sites.whole.bytes, of->sites.whole.samples))
GETTER(get_whole_lost, holders,
       estimated(holders, of->sites.whole.lost_bytes, of->sites.whole.lost_samples))
GETTER(get_number, holders, answer_number((double)of->number + 1))
GETTER(get_cause, holders, answer_text(of->sites.snapshot->cause))
GETTER(get_time, holders, answer_number((double)of->sites.snapshot->time_us))
GETTER(get_still, holders, answer_number((double)of->sites.snapshot->still_us))
GETTER(get_processor, holders, answer_number((double)of->sites.snapshot->processor_us))

static const struct answer_column snapshot_columns[] = {
    {"number", NULL, ANSWER_WHOLE, get_number, 0, 0, "of the trace's snapshots, from 1 on"},
    {"cause", NULL, ANSWER_TEXT, get_cause, 0, 0,
     "end: of the program; signal: SIGUSR1 came; size: the process had become so large; interval: it was time"},
    {"at_us", NULL, ANSWER_TIME, get_time, 0, 0, "when it was taken, since the start"},
    {"bytes", NULL, ANSWER_BYTES, get_whole, 0, ANSWER_HAS_RANGE, "alive"},
    {"blocks", NULL, ANSWER_COUNT, OF_WHOLE(blocks), 0, 0, "how many blocks these are"},
    {"lost_bytes", NULL, ANSWER_BYTES, get_whole_lost, 0, ANSWER_HAS_RANGE,
     "that nothing holds any more"},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_WHOLE(lost_blocks), 0, 0, "how many blocks these are"},
    {"still_us", NULL, ANSWER_TIME, get_still, 0, 0, "how long the program stood still for it"},
    {"processor_us", NULL, ANSWER_TIME, get_processor, 0, 0,
     "processor time of the process that looked"},
};
const struct answer_table holders_snapshot_table = {.key = "snapshot",
                                                    .shape = ANSWER_RECORD,
                                                    .forms = ANSWER_IN_JSON,
                                                    ANSWER_COLUMNS(snapshot_columns),
                                                    .help = "what was alive when it was looked at"};

#define OF_SNAPSHOT(member) ANSWER_FIELD(struct snapshot_row, member)

GETTER(get_row_cause, snapshot_row, answer_text(of->snapshot->cause))
GETTER(get_row_time, snapshot_row, answer_number((double)of->snapshot->time_us))

static const struct answer_column snapshots_columns[] = {
    {"number", "SNAPSHOT", ANSWER_WHOLE, OF_SNAPSHOT(number), 0, 0, "as --snapshot takes it"},
    {"at_us", "AT", ANSWER_TIME, get_row_time, 0, 0, "when it was taken, since the start"},
    {"cause", "CAUSE", ANSWER_TEXT, get_row_cause, 0, 0, "as in snapshot"},
    {"bytes", "BYTES", ANSWER_BYTES, OF_SNAPSHOT(bytes), 0, 0,
     "alive, whatever the filter leaves of it"},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_SNAPSHOT(blocks), 0, ANSWER_WIDE,
     "how many blocks these are"},
    {"lost_bytes", "LOST", ANSWER_BYTES, OF_SNAPSHOT(lost_bytes), 0, ANSWER_DOT,
     "that nothing held any more"},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_SNAPSHOT(lost_blocks), 0, 0,
     "how many blocks these are"},
};
const struct answer_table holders_snapshots_table = {
    .key = "snapshots",
    .shape = ANSWER_ROWS,
    .forms = ANSWER_IN_TEXT | ANSWER_IN_JSON,
    ANSWER_COLUMNS(snapshots_columns),
    .help = "a snapshot of the trace, where it has several"};
