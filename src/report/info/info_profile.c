#include "report/info/info_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "report/head.h"

/* ---- Sums ---------------------------------------------------------------------------- */

/* Saturates, as the sum over a damaged or merged file may be anything. */
static void add(int64_t *total, int64_t value)
{
    if (__builtin_add_overflow(*total, value, total))
        *total = value > 0 ? INT64_MAX : INT64_MIN;
}

static void add_all(int64_t *totals, const int64_t *values, size_t types)
{
    for (size_t type = 0; type < types; type++)
        add(&totals[type], values[type]);
}

bool info_profile_sum(struct info_profile *info, const struct matcher *matcher)
{
    const struct model *model = info->model;
    const struct profile_file *file = info->file = model->file;
    size_t types = model->samples.type_count;
    info->totals = calloc(types + 1, sizeof *info->totals);
    if (!info->totals)
        return false;
    if (!matcher)
        profile_file_count(model);
    for (size_t i = 0; !matcher && i < file->sample_count; i++)
        add_all(info->totals, &file->values[i * types], types);
    for (size_t i = 0; matcher && i < model->samples.count; i++) {
        if (!matcher_sample(matcher, i))
            continue;
        info->passing++;
        add_all(info->totals, &model->samples.values[i * types], types);
    }
    return true;
}

void info_profile_release(struct info_profile *info)
{
    free(info->totals);
    info->totals = NULL;
}

/* ---- Columns ------------------------------------------------------------------------- */

enum { HAS_ADDRESSES = 1, HAS_BUILD_IDS = 2 };

#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const type *of = row, const struct info_profile *info = context,        \
               expression)

GETTER(struct info_profile, default_type,
       answer_text(of->model->samples.types[of->model->samples.default_type].name))
GETTER(struct model_value_type, total,
       answer_integer(info->totals[of - info->model->samples.types]))
GETTER(struct model_module, limit, answer_integer((int64_t)model_module_limit(of)))

#define OF_INFO(member) ANSWER_FIELD(struct info_profile, member)
#define OF_FILE(member) ANSWER_FIELD_OF(struct info_profile, file, member)
#define OF_TYPE(member) ANSWER_FIELD(struct model_value_type, member)
#define OF_MAPPING(member) ANSWER_FIELD(struct model_module, member)

static const struct answer_column file_columns[] = {
    SCHEMA_COLUMN,
    {"profile", NULL, ANSWER_TEXT, OF_INFO(name), "the file, as it was given"},
    {"format", NULL, ANSWER_TEXT, OF_FILE(format),
     "what it was read from: pprof, jemalloc, ...; store"},
    {"stored_bytes", NULL, ANSWER_BYTES, OF_INFO(stored_bytes),
     "the size of the file; 0 for a store"},
    {"compression", NULL, ANSWER_TEXT, OF_INFO(compression), "none, gzip or zstd"},
    {"bytes", NULL, ANSWER_BYTES, OF_FILE(bytes), "its size, decompressed"},
    {"time_ns", NULL, ANSWER_INTEGER, OF_FILE(time_ns), "when it was taken, since 1970"},
    {"duration_ns", NULL, ANSWER_INTEGER, OF_FILE(duration_ns), "of what it covers"},
    {"filter", NULL, ANSWER_TEXT, OF_INFO(filter), "the filter; empty for none"},
    {"complete", NULL, ANSWER_FLAG, OF_INFO(is_whole),
     "whether all that the program did is in it, so far as it says"},
};

static const struct answer_column type_columns[] = {
    {"type", NULL, ANSWER_TEXT, OF_TYPE(name), "its name"},
    {"unit", NULL, ANSWER_TEXT, OF_TYPE(unit), "its unit"},
    {"total", NULL, ANSWER_INTEGER, get_total, "the sum of what passes the filter"},
};

static const struct answer_column figure_columns[] = {
    {"default_sample_type", NULL, ANSWER_TEXT, get_default_type,
     "the values that are shown unless others are asked for"},
    {"period_type", NULL, ANSWER_TEXT, OF_FILE(period_type.name), "what samples are taken by"},
    {"period_unit", NULL, ANSWER_TEXT, OF_FILE(period_type.unit), "its unit"},
    {"period", NULL, ANSWER_INTEGER, OF_FILE(period), "how much of it is between samples"},
    {"samples", NULL, ANSWER_WHOLE, OF_FILE(sample_count), "samples of the file"},
    {"deepest", NULL, ANSWER_WHOLE, OF_FILE(deepest), "frames of the deepest stack"},
    {"locations", NULL, ANSWER_WHOLE, OF_FILE(location_count), "places in the program"},
    {"functions", NULL, ANSWER_WHOLE, OF_FILE(function_count), "functions that they are in"},
};

static const struct answer_column mapping_columns[] = {
    {"file", "MAPPING", ANSWER_PLACE, OF_MAPPING(path), "the file"},
    {"build_id", NULL, ANSWER_TEXT, OF_MAPPING(build_id), "its build id; empty for none"},
    {NULL, "BUILD ID", ANSWER_NAME, OF_MAPPING(build_id), NULL, HAS_BUILD_IDS, ANSWER_SPARE},
    {"start", NULL, ANSWER_ADDRESS, OF_MAPPING(start), "its first byte in memory"},
    {"limit", NULL, ANSWER_ADDRESS, get_limit, "the byte after its last"},
    {NULL, "START", ANSWER_ADDRESS, OF_MAPPING(start), NULL, HAS_ADDRESSES},
    {NULL, "LIMIT", ANSWER_ADDRESS, get_limit, NULL, HAS_ADDRESSES, ANSWER_SPARE},
    {"file_offset", NULL, ANSWER_ADDRESS, OF_MAPPING(file_offset), "where that begins in the file"},
    {"has_functions", "NAMED", ANSWER_FLAG, OF_MAPPING(has_functions),
     "whether its functions have names", .flags = ANSWER_SPARE},
};

static const struct answer_column comment_columns[] = {
    {"comment", NULL, ANSWER_TEXT, ANSWER_ITSELF(char *), "a line"}};

const struct answer_table info_profile_table = {.shape = ANSWER_RECORD,
                                                .forms = ANSWER_IN_JSON,
                                                ANSWER_COLUMNS(file_columns),
                                                .help = "of a profile"};
const struct answer_table info_values_table =
    ANSWER_TABLE(ANSWER_ROWS, "sample_types", ANSWER_IN_JSON | ANSWER_IN_CSV, type_columns,
                 "of a profile: values that each sample has; CSV has these");
const struct answer_table info_samples_table = {.shape = ANSWER_RECORD,
                                                .forms = ANSWER_IN_JSON,
                                                ANSWER_COLUMNS(figure_columns),
                                                .help = "of a profile"};
const struct answer_table info_mappings_table =
    ANSWER_TABLE(ANSWER_ROWS, "mappings", ANSWER_IN_JSON | ANSWER_IN_TEXT, mapping_columns,
                 "of a profile: a file mapped into the program");
const struct answer_table info_comments_table =
    ANSWER_JSON(ANSWER_LIST, "comments", comment_columns, "of a profile: what it says of itself");

/* ---- For people ---------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* What a store sums up has no file. */
static void say_file(struct answer *answer, const struct info_profile *info)
{
    char stored[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];
    if (info->file->bytes == 0) {
        answer_fact(answer, "Profile", "%s", info->name);
        return;
    }
    units_bytes(stored, (double)info->stored_bytes);
    units_bytes(bytes, (double)info->file->bytes);
    answer_fact(answer, "Profile", "%s, in the format of %s", info->name, info->file->format);
    if (strcmp(info->compression, "none") != 0)
        answer_fact(answer, "File", "%s, %s compressed; %s decompressed", stored, info->compression,
                    bytes);
    else
        answer_fact(answer, "File", "%s", bytes);
}

static void say_time(struct answer *answer, const struct profile_file *file)
{
    char text[64], duration[UNITS_TEXT_BYTES];
    time_t seconds = (time_t)(file->time_ns / 1000000000);
    struct tm tm;
    if (file->time_ns > 0 && gmtime_r(&seconds, &tm) &&
        strftime(text, sizeof text, "%a %d %b %Y %H:%M:%S UTC", &tm) > 0)
        answer_fact(answer, "Taken", "%s", text);
    if (file->duration_ns > 0)
        answer_fact(answer, "Duration", "%s",
                    units_duration(duration, 1e-9 * (double)file->duration_ns));
}

static void say_values(struct answer *answer, const struct info_profile *info)
{
    const struct model *model = info->model;
    bool is_filtered = *info->filter;
    if (is_filtered)
        answer_fact(answer, "Filter", "%s: %zu stack%s", info->filter, info->passing,
                    info->passing == 1 ? " passes" : "s pass");
    for (size_t i = 0; i < model->samples.type_count; i++) {
        char total[UNITS_TEXT_BYTES];
        const struct model_value_type *type = &model->samples.types[i];
        answer_fact(answer, i == 0 ? "Values" : "", "%s (%s): %s %s%s", type->name, type->unit,
                    units_value(total, (double)info->totals[i], type->unit),
                    is_filtered ? "left" : "in all",
                    i == model->samples.default_type ? "; shown unless another is asked for" : "");
    }
}

static void say_rest(struct answer *answer, const struct profile_file *file)
{
    if (*file->period_type.name)
        answer_fact(answer, "Period", "%" PRId64 " %s of %s", file->period, file->period_type.unit,
                    file->period_type.name);
    answer_fact(answer, "Samples", "%zu, the deepest of %zu frame%s", file->sample_count,
                file->deepest, plural(file->deepest));
    answer_fact(answer, "Places", "%zu location%s in %zu function%s", file->location_count,
                plural(file->location_count), file->function_count, plural(file->function_count));
    for (size_t i = 0; i < file->comment_count; i++)
        answer_fact(answer, i == 0 ? "Comments" : "", "%s", file->comments[i]);
}

/* ---- The answer ---------------------------------------------------------------------- */

static void put_comments(struct answer *answer, const struct info_profile *info)
{
    struct answer_section section = {.table = &info_comments_table, .context = info};
    ANSWER_ITEMS(answer, &section, info->file->comments, info->file->comment_count);
}

/* What any of the mappings has. */
static unsigned has_of_mappings(const struct model *model)
{
    unsigned has = 0;
    for (size_t i = 0; i < model->module_count; i++)
        has |= (model_module_limit(&model->modules[i]) > 0 ? HAS_ADDRESSES : 0) |
               (*model->modules[i].build_id ? HAS_BUILD_IDS : 0);
    return has;
}

static void put_mappings(struct answer *answer, const struct info_profile *info)
{
    struct answer_section section = {
        .table = &info_mappings_table, .context = info, .has = has_of_mappings(info->model)};
    ANSWER_ITEMS(answer, &section, info->model->modules, info->model->module_count);
}

void info_profile_put(struct answer *answer, const struct info_profile *info)
{
    struct answer_section file = {.table = &info_profile_table, .context = info},
                          types = {.table = &info_values_table, .context = info},
                          figures = {.table = &info_samples_table, .context = info};
    say_file(answer, info);
    say_time(answer, info->file);
    say_values(answer, info);
    say_rest(answer, info->file);
    answer_record(answer, &file, info);
    ANSWER_ITEMS(answer, &types, info->model->samples.types, info->model->samples.type_count);
    answer_record(answer, &figures, info);
    put_mappings(answer, info);
    put_comments(answer, info);
}
