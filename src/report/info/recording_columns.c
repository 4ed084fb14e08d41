#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/head.h"
#include "report/info/recording.h"

/* ---- Columns ------------------------------------------------------------------------- */

#define GETTER(function, type, expression)                                                         \
    static struct answer_value function(const void *row, const void *context)                      \
    {                                                                                              \
        const struct type *of = row;                                                               \
        (void)context;                                                                             \
        return expression;                                                                         \
    }

#define OF_PROCESS(member) ANSWER_FIELD(struct recorded_process, member)
#define OF_RUN(member) ANSWER_FIELD(struct recording, member)

static struct answer_value bounded(double value, const struct estimate_range *range)
{
    return (struct answer_value){.is_known = true, .number = value, .range = *range};
}

static struct answer_value if_read(const struct recorded_process *process, double value,
                                   const struct estimate_range *range)
{
    return process->is_running ? answer_nothing() : bounded(value, range);
}

static bool has_peak(const struct recorded_process *process)
{
    return !process->is_running && !process->is_profile;
}

static struct answer_value get_recorded(const void *row, const void *context)
{
    const struct recorded_process *process = row;
    (void)context;
    if (process->is_running)
        return answer_nothing();
    return answer_text(process->language ? process->language : "malloc");
}

GETTER(get_exact, recorded_process, of->is_running ? answer_nothing() : answer_number(of->is_exact))
GETTER(get_bytes, recorded_process, if_read(of, of->allocated.bytes, &of->allocated.bytes_range))
GETTER(get_objects, recorded_process,
       if_read(of, of->allocated.objects, &of->allocated.objects_range))
GETTER(get_peak, recorded_process,
       has_peak(of) ? bounded(of->peak_bytes, &of->peak_range) : answer_nothing())
GETTER(get_peak_time, recorded_process,
       has_peak(of) ? answer_number(of->peak_seconds * 1e6) : answer_nothing())
GETTER(get_live, recorded_process, if_read(of, of->live.bytes, &of->live.bytes_range))
GETTER(get_live_objects, recorded_process, if_read(of, of->live.objects, &of->live.objects_range))
static struct answer_value get_samples(const void *row, const void *context)
{
    const struct recorded_process *process = row;
    (void)context;
    return process->is_running    ? answer_nothing()
           : !process->is_profile ? answer_number((double)process->events)
           : process->is_exact    ? answer_number(process->allocated.objects)
                                  : answer_number((double)process->samples);
}

static const struct answer_column process_columns[] = {
    {"program", NULL, ANSWER_TEXT, OF_PROCESS(program), 0, 0, "the program's name"},
    {"pid", NULL, ANSWER_INTEGER, OF_PROCESS(pid), 0, 0, "the process"},
    {"file", NULL, ANSWER_TEXT, OF_PROCESS(file), 0, 0, "its trace or profile"},
    {"running", NULL, ANSWER_FLAG, OF_PROCESS(is_running), 0, 0,
     "whether it still runs: then its figures are not known"},
    {"recorded", NULL, ANSWER_TEXT, get_recorded, 0, 0,
     "whose blocks: malloc, or the language whose heap was recorded by lines, Python or Lua"},
    {"otherwise", NULL, ANSWER_TEXT, OF_PROCESS(otherwise), 0, 0,
     "how to record what was not: the interpreter itself, or the heap of the program's language; null where there is "
     "nothing else"},
    {"exact", NULL, ANSWER_FLAG, get_exact, 0, 0, "whether every block was recorded"},
    {"bytes", NULL, ANSWER_BYTES, get_bytes, 0, ANSWER_HAS_RANGE, "allocated"},
    {"objects", NULL, ANSWER_COUNT, get_objects, 0, ANSWER_HAS_RANGE, "blocks allocated"},
    {"peak_bytes", NULL, ANSWER_BYTES, get_peak, 0, ANSWER_HAS_RANGE,
     "the most that was alive at one time; null in profiles"},
    {"peak_us", NULL, ANSWER_TIME, get_peak_time, 0, 0, "when"},
    {"live_bytes", NULL, ANSWER_BYTES, get_live, 0, ANSWER_HAS_RANGE, "alive at the end"},
    {"live_objects", NULL, ANSWER_COUNT, get_live_objects, 0, ANSWER_HAS_RANGE,
     "blocks alive at the end"},
    {"samples", NULL, ANSWER_WHOLE, get_samples, 0, 0,
     "blocks that were recorded; of a sampled profile, samples"},
    {"dropped", NULL, ANSWER_WHOLE, OF_PROCESS(dropped), 0, 0,
     "samples for which there was no room"},
    {"stopped", NULL, ANSWER_TEXT, OF_PROCESS(stop), 0, 0,
     "why recording ended before the program; null where it did not"},
};
static const struct answer_table processes_table = {.key = "processes",
                                                    .shape = ANSWER_ROWS,
                                                    .forms = ANSWER_IN_JSON,
                                                    ANSWER_COLUMNS(process_columns),
                                                    .help = "a process that was recorded"};

GETTER(get_seconds, recording, answer_number(of->seconds * 1e6))
GETTER(get_resident, recording,
       of->peak_rss_bytes ? answer_number((double)of->peak_rss_bytes) : answer_nothing())

enum { IS_ALONE = 1 }; /* no summary follows, which has it, too */

static const struct answer_column head_columns[] = {
    {"schema", NULL, ANSWER_WHOLE, report_column_schema, IS_ALONE, 0, "the version of these keys"},
    {"run_us", NULL, ANSWER_TIME, get_seconds, 0, 0, "how long the command ran"},
    {"pid", NULL, ANSWER_INTEGER, OF_RUN(pid), 0, 0, "the command's process"},
    {"peak_resident_bytes", NULL, ANSWER_BYTES, get_resident, 0, 0,
     "the most memory of any kind that the command held at one time"},
};
static const struct answer_table head_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(head_columns)};

const struct answer_table *const recording_tables[] = {&head_table, &processes_table, NULL};

/* ---- The answer ---------------------------------------------------------------------- */

static void put_processes(struct answer *answer, const struct recording *recording)
{
    struct answer_section section = {.table = &processes_table};
    answer_begin(answer, &section);
    for (size_t i = 0; i < recording->count; i++)
        answer_row(answer, &recording->processes[i]);
    answer_end(answer);
}

bool recording_put_data(struct answer *answer, const struct recording *recording, bool has_summary)
{
    struct answer_section head = {.table = &head_table, .has = has_summary ? 0 : IS_ALONE};
    if (!answer_tells(answer, &processes_table))
        return false;
    answer_record(answer, &head, recording);
    put_processes(answer, recording);
    return true;
}
