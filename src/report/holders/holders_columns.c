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
    ANSWER_GET(name, const struct type *of = row, const struct holders *holders = context,         \
               expression)

static struct answer_value share(uint64_t part, uint64_t whole)
{
    return answer_number_if(whole > 0, (double)part / (double)whole);
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
    {"bytes", "BYTES", ANSWER_BYTES, get_site_bytes, "alive at the snapshot",
     .flags = ANSWER_HAS_RANGE},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_SITE(blocks), "how many these are", .flags = ANSWER_WIDE},
    {"share", "SHARE", ANSWER_SHARE, ANSWER_FIELD(struct site_row, share), "part of all"},
    {"retained_bytes", "RETAINED", ANSWER_BYTES, get_site_retained,
     "the site's blocks, and what is held through one of them alone: it would go with that; not known where blocks are sampled"},
    {"lost_bytes", "LOST", ANSWER_BYTES, get_site_lost,
     "of bytes, those that nothing holds any more", .flags = ANSWER_DOT | ANSWER_HAS_RANGE},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_SITE(lost_blocks), "how many blocks these are"},
};
const struct answer_table holders_sites_table = ANSWER_TABLE(
    ANSWER_ROWS, "sites", ANSWER_IN_ALL, site_columns, "a place that allocated what is alive");

#define OF_STEP(member) ANSWER_FIELD_OF(struct path_row, step, member)

GETTER(get_path_bytes, path_row, estimated(holders, of->step->bytes, of->step->samples))
GETTER(get_path_share, path_row, share(of->step->bytes, of->site->bytes))
GETTER(get_path_root, path_row,
       answer_text(holders->sites.snapshot->roots[of->step->root].kind_name))

static const struct answer_column path_columns[] = {
    {"through", "FUNCTION", ANSWER_NAME, ANSWER_FIELD(struct path_row, text),
     "the way from a root to the blocks, in words"},
    {"root_kind", NULL, ANSWER_TEXT, get_path_root,
     "global, thread-local, stack, mapping; of Lua, local, registry, garbage; lost where no root leads to the blocks"},
    {"bytes", "BYTES", ANSWER_BYTES, get_path_bytes, "that are held this way",
     .flags = ANSWER_HAS_RANGE},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_STEP(blocks), "how many these are"},
    {"share", "SHARE", ANSWER_SHARE, get_path_share, "part of the place's bytes"},
    {"length", NULL, ANSWER_WHOLE, OF_STEP(depth),
     "places that the way leads through, this one among them"},
};
const struct answer_table holders_paths_table =
    ANSWER_TABLE(ANSWER_ROWS, "paths", ANSWER_IN_TEXT | ANSWER_IN_JSON, path_columns,
                 "a way on which the place's blocks are held: of each block, the shortest");

GETTER(get_step_name, step_row,
       of->root ? answer_filled(holders_root_name(of->root)) : answer_nothing())
GETTER(get_step_by, step_row, of->root ? answer_nothing() : answer_filled(of->step->name))
GETTER(get_step_kind, step_row, answer_text(of->root ? of->root->kind_name : "block"))
GETTER(get_step_file, step_row, answer_filled(of->root ? of->root->file : of->symbol.file))
GETTER(get_step_line, step_row,
       of->root ? answer_number_if(of->root->line, (double)of->root->line)
                : symbol_value_line(&of->symbol))
GETTER(get_step_offset, step_row,
       of->root || of->step->offset == HOLDERS_NONE || of->step->depth < 2
           ? answer_nothing()
           : answer_number(of->step->offset))

static const struct answer_column step_columns[] = {
    {"kind", NULL, ANSWER_TEXT, get_step_kind, "block, or what kind of root"},
    {"name", NULL, ANSWER_TEXT, get_step_name,
     "of a root: the variable, the thread, the mapping; of a module's data without a name, the module",
     .flags = ANSWER_OMIT},
    {"by", NULL, ANSWER_TEXT, get_step_by,
     "of an object of Python or Lua: the attribute, key or variable by which the one before it holds it, where that is the same for all",
     .flags = ANSWER_OMIT},
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "of a block: the function that allocated it",
     .flags = ANSWER_OMIT},
    {"file", NULL, ANSWER_TEXT, get_step_file,
     "where the variable is declared, or the block allocated", .flags = ANSWER_OMIT},
    {"module", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct step_row, root, module),
     "of a root: path of the program or library", .flags = ANSWER_OMIT},
    {"line", NULL, ANSWER_WHOLE, get_step_line, "line of the file", .flags = ANSWER_OMIT},
    {"type", NULL, ANSWER_TEXT, ANSWER_FIELD(struct step_row, type),
     "of a block: its class, by its vtable, or the container whose functions allocated it",
     .flags = ANSWER_OMIT},
    {"offset", NULL, ANSWER_WHOLE, get_step_offset,
     "of a block: the bytes from the start of the block that holds it to the word that points at it, where these are the same for "
     "all",
     .flags = ANSWER_OMIT},
};
const struct answer_table holders_steps_table =
    ANSWER_JSON(ANSWER_ROWS, "steps", step_columns, "a step of the way, from the root on");

#define OF_SUM(member) ANSWER_FIELD_OF(struct root_row, sum, member)

GETTER(get_root_bytes, root_row, estimated(holders, of->sum->bytes, of->sum->samples))
static struct answer_value name_of(const struct holders_root *root)
{
    return answer_filled(*holders_root_name(root) ? holders_root_name(root) : root->kind_name);
}

GETTER(get_root_name, root_row, name_of(of->root))

ANSWER_SHARED_GET(holders_get_root_place, const struct root_row *of = row,
                  const void *all = context, root_place(of->root))

/* The root that holds a root's blocks as well; NULL for none. */
static const struct holders_root *other_of(const struct root_row *row,
                                           const struct holders *holders)
{
    return row->root->shared_with == HOLDERS_NONE
               ? NULL
               : &holders->sites.snapshot->roots[row->root->shared_with];
}

#define OTHER_GETTER(name, expression)                                                             \
    GETTER(name, root_row, other_of(of, holders) ? expression : answer_nothing())

OTHER_GETTER(get_shared_with, name_of(other_of(of, holders)))
OTHER_GETTER(get_shared_kind, answer_text(other_of(of, holders)->kind_name))
OTHER_GETTER(get_shared_file, answer_filled(other_of(of, holders)->file))
OTHER_GETTER(get_shared_line,
             answer_number_if(other_of(of, holders)->line > 0, (double)other_of(of, holders)->line))

static const struct answer_column root_columns[] = {
    {"name", "ROOT", ANSWER_NAME, get_root_name,
     "the variable, the thread, the mapping; of a module's data without a name, the module"},
    ROOT_COLUMNS,
    {"module", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct root_row, root, module),
     "path of the program or library"},
    {"bytes", "BYTES", ANSWER_BYTES, get_root_bytes,
     "of the blocks to which the shortest way is from here", .flags = ANSWER_HAS_RANGE},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_SUM(blocks), "how many these are", .flags = ANSWER_WIDE},
    {"share", "SHARE", ANSWER_SHARE, ANSWER_FIELD(struct root_row, share), "part of all"},
    {"retained_bytes", "RETAINED", ANSWER_BYTES, OF_SUM(retained_bytes),
     "held through this root alone"},
    {"shared_bytes", NULL, ANSWER_BYTES, ANSWER_FILLED_OF(struct root_row, root, shared_bytes),
     "of the blocks to which the shortest way is from here, those that other roots hold as well, whatever the filter leaves",
     .flags = ANSWER_OMIT},
    {"shared_with", NULL, ANSWER_NAME, get_shared_with, "the root that holds most of these",
     .flags = ANSWER_OMIT},
    {"shared_kind", NULL, ANSWER_TEXT, get_shared_kind, "of that root", .flags = ANSWER_OMIT},
    {"shared_file", NULL, ANSWER_TEXT, get_shared_file, "of that root", .flags = ANSWER_OMIT},
    {"shared_line", NULL, ANSWER_WHOLE, get_shared_line, "of that root", .flags = ANSWER_OMIT},
};
const struct answer_table holders_roots_table =
    ANSWER_TABLE(ANSWER_ROWS, "roots", ANSWER_IN_TEXT | ANSWER_IN_JSON, root_columns,
                 "where ways to blocks begin");

#define OF_WHOLE(member) ANSWER_FIELD(struct holders, sites.whole.member)
#define OF_SHOWN(member) ANSWER_FIELD_OF(struct holders, sites.snapshot, member)

GETTER(get_whole, holders, estimated(holders, of->sites.whole.bytes, of->sites.whole.samples))
GETTER(get_whole_lost, holders,
       estimated(holders, of->sites.whole.lost_bytes, of->sites.whole.lost_samples))
GETTER(get_number, holders, answer_number((double)of->number + 1))

static const struct answer_column snapshot_columns[] = {
    {"number", NULL, ANSWER_WHOLE, get_number, "of the trace's snapshots, from 1 on"},
    {"cause", NULL, ANSWER_TEXT, OF_SHOWN(cause),
     "end: of the program; signal: SIGUSR1 came; size: the process had become so large; interval: it was time"},
    {"at_us", NULL, ANSWER_TIME, OF_SHOWN(time_us), "when it was taken, since the start"},
    {"bytes", NULL, ANSWER_BYTES, get_whole, "alive", .flags = ANSWER_HAS_RANGE},
    {"blocks", NULL, ANSWER_COUNT, OF_WHOLE(blocks), "how many blocks these are"},
    {"lost_bytes", NULL, ANSWER_BYTES, get_whole_lost, "that nothing holds any more",
     .flags = ANSWER_HAS_RANGE},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_WHOLE(lost_blocks), "how many blocks these are"},
    {"still_us", NULL, ANSWER_TIME, OF_SHOWN(still_us), "how long the program stood still for it"},
    {"processor_us", NULL, ANSWER_TIME, OF_SHOWN(processor_us),
     "processor time of the process that looked"},
};
const struct answer_table holders_snapshot_table = ANSWER_JSON(
    ANSWER_RECORD, "snapshot", snapshot_columns, "what was alive when it was looked at");

#define OF_ROW(member) ANSWER_FIELD(struct snapshot_row, member)
#define OF_SNAPSHOT(member) ANSWER_FIELD_OF(struct snapshot_row, snapshot, member)

static const struct answer_column snapshots_columns[] = {
    {"number", "SNAPSHOT", ANSWER_WHOLE, OF_ROW(number), "as --snapshot takes it"},
    {"at_us", "AT", ANSWER_TIME, OF_SNAPSHOT(time_us), "when it was taken, since the start"},
    {"cause", "CAUSE", ANSWER_TEXT, OF_SNAPSHOT(cause), "as in snapshot"},
    {"bytes", "BYTES", ANSWER_BYTES, OF_ROW(bytes), "alive, whatever the filter leaves of it"},
    {"blocks", "BLOCKS", ANSWER_COUNT, OF_ROW(blocks), "how many blocks these are",
     .flags = ANSWER_WIDE},
    {"lost_bytes", "LOST", ANSWER_BYTES, OF_ROW(lost_bytes), "that nothing held any more",
     .flags = ANSWER_DOT},
    {"lost_blocks", NULL, ANSWER_COUNT, OF_ROW(lost_blocks), "how many blocks these are"},
};
const struct answer_table holders_snapshots_table =
    ANSWER_TABLE(ANSWER_ROWS, "snapshots", ANSWER_IN_TEXT | ANSWER_IN_JSON, snapshots_columns,
                 "a snapshot of the trace, where it has several");
