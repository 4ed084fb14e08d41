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
    const struct pprof *pprof = info->pprof;
    size_t types = pprof->type_count;
    info->totals = calloc(types + 1, sizeof *info->totals);
    if (!info->totals)
        return false;
    for (size_t i = 0; !matcher && i < pprof->sample_count; i++)
        add_all(info->totals, &pprof->values[i * types], types);
    for (size_t i = 0; matcher && i < matcher->model->samples.count; i++) {
        if (!matcher_sample(matcher, i))
            continue;
        info->passing++;
        add_all(info->totals, &matcher->model->samples.values[i * types], types);
    }
    return true;
}

void info_profile_release(struct info_profile *info)
{
    free(info->totals);
    info->totals = NULL;
}

static size_t deepest(const struct pprof *pprof)
{
    size_t depth = 0;
    for (size_t i = 0; i < pprof->sample_count; i++)
        if (pprof->first_frame[i + 1] - pprof->first_frame[i] > depth)
            depth = pprof->first_frame[i + 1] - pprof->first_frame[i];
    return depth;
}

/* ---- Columns ------------------------------------------------------------------------- */

enum { HAS_ADDRESSES = 1, HAS_BUILD_IDS = 2 };

#define GETTER(type, name, expression)                                                             \
    static struct answer_value get_##name(const void *row, const void *context)                    \
    {                                                                                              \
        const type *of = row;                                                                      \
        const struct info_profile *info = context;                                                 \
        (void)of, (void)info;                                                                      \
        return expression;                                                                         \
    }

static struct answer_value count(uint64_t number)
{
    return answer_number((double)number);
}

GETTER(struct info_profile, default_type,
       answer_text(of->pprof->types[of->pprof->default_type].name))
GETTER(struct info_profile, deepest, count(deepest(of->pprof)))
GETTER(struct model_value_type, total, answer_integer(info->totals[of - info->pprof->types]))
GETTER(struct pprof_mapping, file, answer_place(of->file, 0))
GETTER(char *const, comment, answer_text(*of))

#define OF_INFO(member) ANSWER_FIELD(struct info_profile, member)
#define OF_PPROF(member) ANSWER_FIELD_OF(struct info_profile, pprof, member)
#define OF_TYPE(member) ANSWER_FIELD(struct model_value_type, member)
#define OF_MAPPING(member) ANSWER_FIELD(struct pprof_mapping, member)

static const struct answer_column file_columns[] = {
    {"schema", NULL, ANSWER_WHOLE, report_column_schema, 0, 0, "the version of these keys"},
    {"profile", NULL, ANSWER_TEXT, OF_INFO(name), 0, 0, "the file, as it was given"},
    {"format", NULL, ANSWER_TEXT, OF_PPROF(format), 0, 0,
     "what it was read from: pprof, jemalloc, ..."},
    {"stored_bytes", NULL, ANSWER_BYTES, OF_INFO(stored_bytes), 0, 0, "the size of the file"},
    {"compression", NULL, ANSWER_TEXT, OF_INFO(compression), 0, 0, "none, gzip or zstd"},
    {"bytes", NULL, ANSWER_BYTES, OF_PPROF(bytes), 0, 0, "its size, decompressed"},
    {"time_ns", NULL, ANSWER_INTEGER, OF_PPROF(time_ns), 0, 0, "when it was taken, since 1970"},
    {"duration_ns", NULL, ANSWER_INTEGER, OF_PPROF(duration_ns), 0, 0, "of what it covers"},
    {"filter", NULL, ANSWER_TEXT, OF_INFO(filter), 0, 0, "the filter; empty for none"},
};

static const struct answer_column type_columns[] = {
    {"type", NULL, ANSWER_TEXT, OF_TYPE(name), 0, 0, "its name"},
    {"unit", NULL, ANSWER_TEXT, OF_TYPE(unit), 0, 0, "its unit"},
    {"total", NULL, ANSWER_INTEGER, get_total, 0, 0, "the sum of what passes the filter"},
};

static const struct answer_column figure_columns[] = {
    {"default_sample_type", NULL, ANSWER_TEXT, get_default_type, 0, 0,
     "the values that are shown unless others are asked for"},
    {"period_type", NULL, ANSWER_TEXT, OF_PPROF(period_type.name), 0, 0,
     "what samples are taken by"},
    {"period_unit", NULL, ANSWER_TEXT, OF_PPROF(period_type.unit), 0, 0, "its unit"},
    {"period", NULL, ANSWER_INTEGER, OF_PPROF(period), 0, 0, "how much of it is between samples"},
    {"samples", NULL, ANSWER_WHOLE, OF_PPROF(sample_count), 0, 0, "samples of the file"},
    {"deepest", NULL, ANSWER_WHOLE, get_deepest, 0, 0, "frames of the deepest stack"},
    {"locations", NULL, ANSWER_WHOLE, OF_PPROF(location_count), 0, 0, "places in the program"},
    {"functions", NULL, ANSWER_WHOLE, OF_PPROF(function_count), 0, 0, "functions that they are in"},
};

static const struct answer_column mapping_columns[] = {
    {"file", "MAPPING", ANSWER_PLACE, get_file, 0, 0, "the file"},
    {"build_id", NULL, ANSWER_TEXT, OF_MAPPING(build_id), 0, 0, "its build id; empty for none"},
    {NULL, "BUILD ID", ANSWER_NAME, OF_MAPPING(build_id), HAS_BUILD_IDS, ANSWER_SPARE, NULL},
    {"start", NULL, ANSWER_ADDRESS, OF_MAPPING(start), 0, 0, "its first byte in memory"},
    {"limit", NULL, ANSWER_ADDRESS, OF_MAPPING(limit), 0, 0, "the byte after its last"},
    {NULL, "START", ANSWER_ADDRESS, OF_MAPPING(start), HAS_ADDRESSES, 0, NULL},
    {NULL, "LIMIT", ANSWER_ADDRESS, OF_MAPPING(limit), HAS_ADDRESSES, ANSWER_SPARE, NULL},
    {"file_offset", NULL, ANSWER_ADDRESS, OF_MAPPING(offset), 0, 0,
     "where that begins in the file"},
    {"has_functions", "NAMED", ANSWER_FLAG, OF_MAPPING(has_functions), 0, ANSWER_SPARE,
     "whether its functions have names"},
};

static const struct answer_column comment_columns[] = {
    {"comment", NULL, ANSWER_TEXT, get_comment, 0, 0, "a line"}};

const struct answer_table info_profile_table = {.shape = ANSWER_RECORD,
                                                .forms = ANSWER_IN_JSON,
                                                ANSWER_COLUMNS(file_columns),
                                                .help = "of a profile"};
const struct answer_table info_values_table = {
    .key = "sample_types",
    .forms = ANSWER_IN_JSON | ANSWER_IN_CSV,
    ANSWER_COLUMNS(type_columns),
    .help = "of a profile: values that each sample has; CSV has these"};
const struct answer_table info_samples_table = {.shape = ANSWER_RECORD,
                                                .forms = ANSWER_IN_JSON,
                                                ANSWER_COLUMNS(figure_columns),
                                                .help = "of a profile"};
const struct answer_table info_mappings_table = {
    .key = "mappings",
    .forms = ANSWER_IN_JSON | ANSWER_IN_TEXT,
    ANSWER_COLUMNS(mapping_columns),
    .help = "of a profile: a file mapped into the program"};
const struct answer_table info_comments_table = {.key = "comments",
                                                 .shape = ANSWER_LIST,
                                                 .forms = ANSWER_IN_JSON,
                                                 ANSWER_COLUMNS(comment_columns),
                                                 .help = "of a profile: what it says of itself"};

/* ---- For people ---------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_file(struct answer *answer, const struct info_profile *info)
{
    char stored[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];
    units_bytes(stored, (double)info->stored_bytes);
    units_bytes(bytes, (double)info->pprof->bytes);
    answer_fact(answer, "Profile", "%s, in %s's format", info->name, info->pprof->format);
    if (strcmp(info->compression, "none") != 0)
        answer_fact(answer, "File", "%s, %s compressed; %s decompressed", stored, info->compression,
                    bytes);
    else
        answer_fact(answer, "File", "%s", bytes);
}

static void say_time(struct answer *answer, const struct pprof *pprof)
{
    char text[64], duration[UNITS_TEXT_BYTES];
    time_t seconds = (time_t)(pprof->time_ns / 1000000000);
    struct tm tm;
    if (pprof->time_ns > 0 && gmtime_r(&seconds, &tm) &&
        strftime(text, sizeof text, "%a %d %b %Y %H:%M:%S UTC", &tm) > 0)
        answer_fact(answer, "Taken", "%s", text);
    if (pprof->duration_ns > 0)
        answer_fact(answer, "Duration", "%s",
                    units_duration(duration, 1e-9 * (double)pprof->duration_ns));
}

static void say_values(struct answer *answer, const struct info_profile *info)
{
    const struct pprof *pprof = info->pprof;
    bool is_filtered = *info->filter;
    if (is_filtered)
        answer_fact(answer, "Filter", "%s: %zu stack%s", info->filter, info->passing,
                    info->passing == 1 ? " passes" : "s pass");
    for (size_t i = 0; i < pprof->type_count; i++) {
        char total[UNITS_TEXT_BYTES];
        const struct model_value_type *type = &pprof->types[i];
        answer_fact(answer, i == 0 ? "Values" : "", "%s (%s): %s %s%s", type->name, type->unit,
                    units_value(total, (double)info->totals[i], type->unit),
                    is_filtered ? "left" : "in all",
                    i == pprof->default_type ? "; shown unless another is asked for" : "");
    }
}

static void say_rest(struct answer *answer, const struct pprof *pprof)
{
    if (*pprof->period_type.name)
        answer_fact(answer, "Period", "%" PRId64 " %s of %s", pprof->period,
                    pprof->period_type.unit, pprof->period_type.name);
    answer_fact(answer, "Samples", "%zu, the deepest of %zu frame%s", pprof->sample_count,
                deepest(pprof), plural(deepest(pprof)));
    answer_fact(answer, "Places", "%zu location%s in %zu function%s", pprof->location_count,
                plural(pprof->location_count), pprof->function_count,
                plural(pprof->function_count));
    for (size_t i = 0; i < pprof->comment_count; i++)
        answer_fact(answer, i == 0 ? "Comments" : "", "%s", pprof->comments[i]);
}

/* ---- The answer ---------------------------------------------------------------------- */

static void put_comments(struct answer *answer, const struct info_profile *info)
{
    struct answer_section section = {.table = &info_comments_table, .context = info};
    answer_begin(answer, &section);
    for (size_t i = 0; i < info->pprof->comment_count; i++)
        answer_row(answer, &info->pprof->comments[i]);
    answer_end(answer);
}

/* What any of the mappings has. */
static unsigned has_of_mappings(const struct pprof *pprof)
{
    unsigned has = 0;
    for (size_t i = 0; i < pprof->mapping_count; i++)
        has |= (pprof->mappings[i].limit > 0 ? HAS_ADDRESSES : 0) |
               (*pprof->mappings[i].build_id ? HAS_BUILD_IDS : 0);
    return has;
}

static void put_mappings(struct answer *answer, const struct info_profile *info)
{
    struct answer_section section = {
        .table = &info_mappings_table, .context = info, .has = has_of_mappings(info->pprof)};
    answer_begin(answer, &section);
    for (size_t i = 0; i < info->pprof->mapping_count; i++)
        answer_row(answer, &info->pprof->mappings[i]);
    answer_end(answer);
}

void info_profile_put(struct answer *answer, const struct info_profile *info)
{
    struct answer_section file = {.table = &info_profile_table, .context = info},
                          types = {.table = &info_values_table, .context = info},
                          figures = {.table = &info_samples_table, .context = info};
    say_file(answer, info);
    say_time(answer, info->pprof);
    say_values(answer, info);
    say_rest(answer, info->pprof);
    answer_record(answer, &file, info);
    answer_begin(answer, &types);
    for (size_t i = 0; i < info->pprof->type_count; i++)
        answer_row(answer, &info->pprof->types[i]);
    answer_end(answer);
    answer_record(answer, &figures, info);
    put_mappings(answer, info);
    put_comments(answer, info);
}
