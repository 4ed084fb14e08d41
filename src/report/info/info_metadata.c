/* What the report `info` has of domains, and of what a trace says besides its events. */
#include <stdio.h>
#include <string.h>

#include "report/info/info_parts.h"
#include "base/hex.h"

static struct answer_value build_id(const struct heaptap_metadata *module)
{
    char text[INFO_BUILD_ID_BYTES];
    hex_put(text, module->build_id, module->build_id_size);
    return *text ? answer_made(strdup(text)) : answer_nothing();
}

/* A domain. */
INFO_GETTER(struct info_domain, domain_events,
            info_count(summary_domain_allocations(of->figures) + of->figures->promotions +
                       of->figures->collections))
INFO_GETTER(struct info_domain, domain_allocations,
            info_count(summary_domain_allocations(of->figures)))

/* What a process, one of several, allocated: its domains are those up to the next's first. */
static struct answer_value process_allocated(const struct info *info,
                                             const struct heaptap_metadata *process)
{
    size_t at = (size_t)(process - info->metadata) + 1;
    const struct heaptap_metadata *next = info_next_record(info, &at, HEAPTAP_PROCESS);
    uint64_t samples = 0;
    unsigned end = next ? next->domain : INFO_DOMAINS;
    for (unsigned number = process->domain; number < end; number++)
        if (info->summary->domains[number])
            samples += info->summary->domains[number]->allocated_samples;
    return answer_number(info_bytes(info, (double)samples));
}

/* A record of the metadata. */
INFO_GETTER(struct heaptap_metadata, process_allocated, process_allocated(info, of))
INFO_GETTER(struct heaptap_metadata, unloaded,
            of->unloaded_us >= 0 ? answer_integer(of->unloaded_us) : answer_nothing())
INFO_GETTER(struct heaptap_metadata, build_id, build_id(of))

/* ---- Tables -------------------------------------------------------------------------- */

enum { HAS_THREADS = 1 };

#define OF_DOMAIN(member) ANSWER_FIELD(struct info_domain, member)
#define OF_THREAD(member) ANSWER_FIELD_OF(struct info_domain, thread, member)
#define OF_FIGURES(member) ANSWER_FIELD_OF(struct info_domain, figures, member)
#define OF_METADATA(member) ANSWER_FIELD(struct heaptap_metadata, member)

static const struct answer_column domain_columns[] = {
    {"domain", "DOMAIN", ANSWER_WHOLE, OF_DOMAIN(number), "its number"},
    {"thread", "THREAD", ANSWER_NAME, OF_THREAD(name), "the name of its thread", HAS_THREADS,
     ANSWER_OMIT},
    {"thread_id", NULL, ANSWER_INTEGER, OF_THREAD(number), "the kernel's number of it", HAS_THREADS,
     ANSWER_OMIT},
    {NULL, "EVENTS", ANSWER_WHOLE, get_domain_events, .flags = ANSWER_SPARE},
    {"allocations", NULL, ANSWER_WHOLE, get_domain_allocations, "events there"},
    {"promotions", NULL, ANSWER_WHOLE, OF_FIGURES(promotions), "events there"},
    {"collections", NULL, ANSWER_WHOLE, OF_FIGURES(collections), "events there"},
    {"samples", NULL, ANSWER_WHOLE, OF_FIGURES(allocated_samples),
     "samples that what was allocated rests on"},
    {"allocated_bytes", "ALLOCATED", ANSWER_BYTES,
     ANSWER_SAMPLES_OF(struct info_domain, figures, allocated_samples), "allocated there"},
    {"collected_bytes", "COLLECTED", ANSWER_BYTES,
     ANSWER_SAMPLES_OF(struct info_domain, figures, collected_samples), "ended there",
     .flags = ANSWER_SPARE},
    {"promoted_bytes", "PROMOTED", ANSWER_BYTES,
     ANSWER_SAMPLES_OF(struct info_domain, figures, promoted_samples), "promoted there",
     .flags = ANSWER_SPARE},
    {"promoted_samples", NULL, ANSWER_WHOLE, OF_FIGURES(promoted_samples),
     "samples that what was promoted rests on"},
    {"collected_samples", NULL, ANSWER_WHOLE, OF_FIGURES(collected_samples),
     "samples that what ended rests on"},
    {"first_us", "FIRST", ANSWER_TIME, OF_FIGURES(first_us), "when its earliest event was",
     .flags = ANSWER_SPARE},
    {"last_us", "LAST", ANSWER_TIME, OF_FIGURES(last_us), "when its latest event was",
     .flags = ANSWER_SPARE},
};

static const struct answer_column process_columns[] = {
    {"pid", "PID", ANSWER_INTEGER, OF_METADATA(number), "the process"},
    {"executable", "PROGRAM", ANSWER_PLACE, OF_METADATA(name), "its program"},
    {"start_us", "BEGAN", ANSWER_TIME, OF_METADATA(begin_us),
     "when its trace begins, since the first one did"},
    {"allocated_bytes", "ALLOCATED", ANSWER_BYTES, get_process_allocated, "what it allocated"},
    {"file", "FILE", ANSWER_TEXT, OF_METADATA(value), "its trace"},
};

static const struct answer_column property_columns[] = {
    {"name", NULL, ANSWER_TEXT, OF_METADATA(name), "its name"},
    {"value", NULL, ANSWER_TEXT, OF_METADATA(value), "its value"},
};

static const struct answer_column module_columns[] = {
    {"path", "MODULE", ANSWER_PLACE, OF_METADATA(name), "the file"},
    {"address", "ADDRESS", ANSWER_ADDRESS, OF_METADATA(address), "its first byte in memory"},
    {"size_bytes", "SIZE", ANSWER_BYTES, OF_METADATA(size_bytes), "how much is mapped",
     .flags = ANSWER_SPARE},
    {"file_offset", NULL, ANSWER_ADDRESS, OF_METADATA(file_offset),
     "where that begins in the file"},
    {"loaded_us", NULL, ANSWER_INTEGER, OF_METADATA(loaded_us), "when it was loaded"},
    {"unloaded_us", NULL, ANSWER_INTEGER, get_unloaded, "when it was unloaded",
     .flags = ANSWER_OMIT},
    {"build_id", "BUILD ID", ANSWER_NAME, get_build_id, "its build id",
     .flags = ANSWER_OMIT | ANSWER_SPARE},
};

static const struct answer_column thread_columns[] = {
    {"domain", NULL, ANSWER_WHOLE, OF_METADATA(domain), "the domain that it is"},
    {"name", NULL, ANSWER_TEXT, OF_METADATA(name), "its name"},
    {"thread_id", NULL, ANSWER_INTEGER, OF_METADATA(number), "the kernel's number of it"},
};

static const struct answer_column type_columns[] = {
    {"name", NULL, ANSWER_TEXT, OF_METADATA(name), "its name"},
    {"id", NULL, ANSWER_INTEGER, OF_METADATA(number), "its number in the trace"},
};

static const struct answer_column drop_columns[] = {
    {"domain", NULL, ANSWER_WHOLE, OF_METADATA(domain), "where"},
    {"reason", NULL, ANSWER_TEXT, OF_METADATA(name), "why"},
    {"samples", NULL, ANSWER_INTEGER, OF_METADATA(number), "how many"},
};

static const struct answer_column stop_columns[] = {
    {"time_us", NULL, ANSWER_INTEGER, OF_METADATA(number), "when"},
    {"reason", NULL, ANSWER_TEXT, OF_METADATA(name), "why"},
};

const struct answer_table info_domains_table =
    ANSWER_TABLE(ANSWER_ROWS, "domains", ANSWER_IN_JSON | ANSWER_IN_TEXT, domain_columns,
                 "a domain of OCaml, or a thread; text has them where there are several, or names");
const struct answer_table info_processes_table =
    ANSWER_TABLE(ANSWER_ROWS, "processes", ANSWER_IN_JSON | ANSWER_IN_TEXT, process_columns,
                 "of several traces that are read as one: one of them");
const struct answer_table info_properties_table =
    ANSWER_TABLE(ANSWER_ROWS, "properties", ANSWER_IN_JSON, property_columns,
                 "what the recorder said of the run");
const struct answer_table info_modules_table =
    ANSWER_TABLE(ANSWER_ROWS, "modules", ANSWER_IN_JSON | ANSWER_IN_TEXT, module_columns,
                 "a file mapped into the program");
const struct answer_table info_threads_table =
    ANSWER_TABLE(ANSWER_ROWS, "threads", ANSWER_IN_JSON, thread_columns, "a thread with a name");
const struct answer_table info_types_table =
    ANSWER_TABLE(ANSWER_ROWS, "types", ANSWER_IN_JSON, type_columns, "a type of a guest language");
const struct answer_table info_drops_table = ANSWER_TABLE(
    ANSWER_ROWS, "drops", ANSWER_IN_JSON, drop_columns, "samples that could not be recorded");
const struct answer_table info_stops_table =
    ANSWER_TABLE(ANSWER_ROWS, "ended_early", ANSWER_IN_JSON, stop_columns,
                 "the end of a recording before the program's");

/* ---- Domains ------------------------------------------------------------------------- */

static bool has_named_domain(const struct info *info)
{
    const struct heaptap_metadata *thread;
    for (size_t at = 0; (thread = info_next_record(info, &at, HEAPTAP_THREAD));)
        if (info->summary->domains[thread->domain])
            return true;
    return false;
}

void info_put_domains(struct answer *answer, const struct info *info)
{
    struct answer_section section = info_section(info, &info_domains_table);
    struct info_domain domain;
    section.has = has_named_domain(info) ? HAS_THREADS : 0;
    if (answer_is_read(answer) && info->summary->domain_count < 2 && !section.has)
        return;
    answer_begin(answer, &section);
    for (unsigned i = 0; info_next_domain(info, i, &domain); i = domain.number + 1)
        answer_row(answer, &domain);
    answer_end(answer);
}

/* ---- Metadata ------------------------------------------------------------------------ */

void info_put_metadata(struct answer *answer, const struct info *info)
{
    static const struct {
        const struct answer_table *table;
        enum heaptap_metadata_kind kind;
    } lists[] = {
        {&info_processes_table, HEAPTAP_PROCESS}, {&info_properties_table, HEAPTAP_PROPERTY},
        {&info_modules_table, HEAPTAP_MODULE},    {&info_threads_table, HEAPTAP_THREAD},
        {&info_types_table, HEAPTAP_TYPE},        {&info_drops_table, HEAPTAP_DROPS},
        {&info_stops_table, HEAPTAP_STOPPED}};
    const struct heaptap_metadata *record;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct answer_section section = {.table = lists[i].table, .context = info};
        answer_begin(answer, &section);
        for (size_t at = 0; (record = info_next_record(info, &at, lists[i].kind));)
            answer_row(answer, record);
        answer_end(answer);
    }
}
