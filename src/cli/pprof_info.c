#include "cli/pprof_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plain.h"
#include "base/units.h"
#include "export/json.h"

enum { MAPPINGS_SHOWN = 8 };

/* Saturates, as the sum over a damaged or merged file may be anything. */
static int64_t total_of(const struct pprof *pprof, size_t type)
{
    int64_t total = 0;
    for (size_t i = 0; i < pprof->sample_count; i++) {
        int64_t value = pprof->values[i * pprof->type_count + type];
        if (__builtin_add_overflow(total, value, &total))
            return value > 0 ? INT64_MAX : INT64_MIN;
    }
    return total;
}

static double sum_of(const struct pprof_info *info, size_t type)
{
    return *info->filter ? info->filtered[type] : (double)total_of(info->pprof, type);
}

static size_t deepest(const struct pprof *pprof)
{
    size_t depth = 0;
    for (size_t i = 0; i < pprof->sample_count; i++)
        if (pprof->first_frame[i + 1] - pprof->first_frame[i] > depth)
            depth = pprof->first_frame[i + 1] - pprof->first_frame[i];
    return depth;
}

/* ---- Text --------------------------------------------------------------------------- */

static void print_time(const struct pprof *pprof)
{
    char text[64], duration[UNITS_TEXT_BYTES];
    time_t seconds = (time_t)(pprof->time_ns / 1000000000);
    struct tm tm;
    if (pprof->time_ns > 0 && gmtime_r(&seconds, &tm) &&
        strftime(text, sizeof text, "%a %e %b %Y %H:%M:%S UTC", &tm) > 0)
        printf("Taken       %s\n", text);
    if (pprof->duration_ns > 0)
        printf("Duration    %s\n", units_duration(duration, 1e-9 * (double)pprof->duration_ns));
}

static void print_types(const struct pprof_info *info)
{
    const struct pprof *pprof = info->pprof;
    if (*info->filter)
        printf("Filter      %s: %zu stacks pass\n", plain(info->filter), info->rows);
    for (size_t i = 0; i < pprof->type_count; i++) {
        char total[UNITS_TEXT_BYTES];
        const struct pprof_type *type = &pprof->types[i];
        units_value(total, sum_of(info, i), type->unit);
        printf("%-11s %s (%s): %s %s%s\n", i == 0 ? "Values" : "", plain(type->name),
               plain(type->unit), total, *info->filter ? "left" : "in all",
               i == pprof->default_type ? "; shown unless another is asked for" : "");
    }
    if (*pprof->period_type.name)
        printf("Period      %" PRId64 " %s of %s\n", pprof->period, plain(pprof->period_type.unit),
               plain(pprof->period_type.name));
}

static void print_mappings(const struct pprof *pprof)
{
    for (size_t i = 0; i < pprof->mapping_count && i < MAPPINGS_SHOWN; i++) {
        const struct pprof_mapping *mapping = &pprof->mappings[i];
        printf("%-11s %s%s%s%s\n", i == 0 ? "Mappings" : "",
               *mapping->file ? plain(mapping->file) : "(no name)",
               *mapping->build_id ? ", build id " : "", plain(mapping->build_id),
               mapping->has_functions ? "" : ", without names of functions");
    }
    if (pprof->mapping_count > MAPPINGS_SHOWN)
        printf("%-11s and %zu more\n", "", pprof->mapping_count - MAPPINGS_SHOWN);
}

void pprof_info_print_text(const struct pprof_info *info)
{
    const struct pprof *pprof = info->pprof;
    char stored[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];
    bool is_compressed = strcmp(info->compression, "none") != 0;
    printf("Profile     %s, in %s's format\n", plain(info->name), pprof->format);
    units_bytes(stored, (double)info->stored_bytes);
    units_bytes(bytes, (double)pprof->bytes);
    if (is_compressed)
        printf("File        %s, by %s; %s decompressed\n", stored, info->compression, bytes);
    else
        printf("File        %s\n", bytes);
    print_time(pprof);
    print_types(info);
    printf("Samples     %zu, the deepest of %zu frames\n", pprof->sample_count, deepest(pprof));
    printf("Places      %zu locations in %zu functions\n", pprof->location_count,
           pprof->function_count);
    print_mappings(pprof);
    for (size_t i = 0; i < pprof->comment_count; i++)
        printf("%-11s %s\n", i == 0 ? "Comments" : "", plain(pprof->comments[i]));
}

/* ---- JSON --------------------------------------------------------------------------- */

static void put_types(struct json *json, const struct pprof_info *info)
{
    const struct pprof *pprof = info->pprof;
    json_put_string(json, "filter", info->filter);
    json_key(json, "sample_types");
    json_array(json);
    for (size_t i = 0; i < pprof->type_count; i++) {
        json_object(json);
        json_put_string(json, "type", pprof->types[i].name);
        json_put_string(json, "unit", pprof->types[i].unit);
        if (*info->filter)
            json_put_double(json, "total", sum_of(info, i));
        else
            json_put_int(json, "total", total_of(pprof, i));
        json_end(json);
    }
    json_end(json);
    json_put_string(json, "default_sample_type", pprof->types[pprof->default_type].name);
    json_put_string(json, "period_type", pprof->period_type.name);
    json_put_string(json, "period_unit", pprof->period_type.unit);
    json_put_int(json, "period", pprof->period);
}

static void put_mappings(struct json *json, const struct pprof *pprof)
{
    json_key(json, "mappings");
    json_array(json);
    for (size_t i = 0; i < pprof->mapping_count; i++) {
        const struct pprof_mapping *mapping = &pprof->mappings[i];
        json_object(json);
        json_put_string(json, "file", mapping->file);
        json_put_string(json, "build_id", mapping->build_id);
        json_put_uint(json, "start", mapping->start);
        json_put_uint(json, "limit", mapping->limit);
        json_put_uint(json, "file_offset", mapping->offset);
        json_put_bool(json, "has_functions", mapping->has_functions);
        json_end(json);
    }
    json_end(json);
}

void pprof_info_print_json(const struct pprof_info *info)
{
    const struct pprof *pprof = info->pprof;
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    json_put_string(&json, "profile", info->name);
    json_put_string(&json, "format", pprof->format);
    json_put_uint(&json, "stored_bytes", info->stored_bytes);
    json_put_string(&json, "compression", info->compression);
    json_put_uint(&json, "bytes", pprof->bytes);
    json_put_int(&json, "time_ns", pprof->time_ns);
    json_put_int(&json, "duration_ns", pprof->duration_ns);
    put_types(&json, info);
    json_put_uint(&json, "samples", pprof->sample_count);
    json_put_uint(&json, "deepest", deepest(pprof));
    json_put_uint(&json, "locations", pprof->location_count);
    json_put_uint(&json, "functions", pprof->function_count);
    put_mappings(&json, pprof);
    json_key(&json, "comments");
    json_array(&json);
    for (size_t i = 0; i < pprof->comment_count; i++)
        json_string(&json, pprof->comments[i]);
    json_end(&json);
    json_end(&json);
}
