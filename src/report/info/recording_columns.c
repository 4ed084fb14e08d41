#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/head.h"
#include "report/info/recording.h"

/* ---- Columns ------------------------------------------------------------------------- */

#define GETTER(function, type, expression)                                                         \
    ANSWER_GET(function, const struct type *of = row, const void *all = context, expression)

#define OF_PROCESS(member) ANSWER_FIELD(struct recorded_process, member)
#define OF_RUN(member) ANSWER_FIELD(struct recording, member)

static struct answer_value if_read(const struct recorded_process *process, double value,
                                   const struct estimate_range *range)
{
    return process->is_running ? answer_nothing() : answer_estimate(value, *range);
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

static bool lacks_nothing(const struct recorded_process *process)
{
    return process->was_read && !process->is_cut && !process->stop && process->dropped == 0;
}

GETTER(get_exact, recorded_process,
       of->is_running ? answer_nothing() : answer_number(of->is_exact &&lacks_nothing(of)))
GETTER(get_bytes, recorded_process, if_read(of, of->allocated.bytes, &of->allocated.bytes_range))
GETTER(get_objects, recorded_process,
       if_read(of, of->allocated.objects, &of->allocated.objects_range))
GETTER(get_peak, recorded_process,
       has_peak(of) ? answer_estimate(of->peak_bytes, of->peak_range) : answer_nothing())
GETTER(get_peak_time, recorded_process, answer_number_if(has_peak(of), of->peak_seconds * 1e6))
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
    {"program", NULL, ANSWER_TEXT, OF_PROCESS(program), "the program's name"},
    {"pid", NULL, ANSWER_INTEGER, OF_PROCESS(pid), "the process"},
    {"file", NULL, ANSWER_TEXT, OF_PROCESS(file), "its trace or profile"},
    {"running", NULL, ANSWER_FLAG, OF_PROCESS(is_running),
     "whether it still runs: then its figures are not known"},
    {"recorded", NULL, ANSWER_TEXT, get_recorded,
     "whose blocks: malloc, or the language whose heap was recorded by lines, Python or Lua"},
    {"otherwise", NULL, ANSWER_TEXT, OF_PROCESS(otherwise),
     "how to record what was not: the interpreter itself, or the heap of the program's language; null where there is "
     "nothing else"},
    {"exact", NULL, ANSWER_FLAG, get_exact, "whether every block was recorded"},
    {"bytes", NULL, ANSWER_BYTES, get_bytes, "allocated", .flags = ANSWER_HAS_RANGE},
    {"objects", NULL, ANSWER_COUNT, get_objects, "blocks allocated", .flags = ANSWER_HAS_RANGE},
    {"peak_bytes", NULL, ANSWER_BYTES, get_peak,
     "the most that was alive at one time; null in profiles", .flags = ANSWER_HAS_RANGE},
    {"peak_us", NULL, ANSWER_TIME, get_peak_time, "when"},
    {"live_bytes", NULL, ANSWER_BYTES, get_live, "alive at the end", .flags = ANSWER_HAS_RANGE},
    {"live_objects", NULL, ANSWER_COUNT, get_live_objects, "blocks alive at the end",
     .flags = ANSWER_HAS_RANGE},
    {"recorder_resident_bytes", NULL, ANSWER_BYTES,
     ANSWER_FILLED(struct recorded_process, recorder_bytes),
     "memory that heaptap's recorder had in the process when it ended; null where that is not known"},
    {"samples", NULL, ANSWER_WHOLE, get_samples,
     "blocks that were recorded; of a sampled profile, samples"},
    {"dropped", NULL, ANSWER_WHOLE, OF_PROCESS(dropped), "samples for which there was no room"},
    {"stopped", NULL, ANSWER_TEXT, OF_PROCESS(stop),
     "why recording ended before the program; null where it did not"},
};
static const struct answer_table processes_table =
    ANSWER_JSON(ANSWER_ROWS, "processes", process_columns, "a process that was recorded");

GETTER(get_seconds, recording, answer_number(of->seconds * 1e6))

/* Asked where no process has a block. */
static bool is_complete(const struct recording *recording)
{
    bool is_complete = recording->count > 0 && !recording->is_partial && !recording->was_paused &&
                       !recording->was_toggled;
    for (size_t i = 0; i < recording->count; i++)
        is_complete &= lacks_nothing(&recording->processes[i]);
    return is_complete;
}

GETTER(get_complete, recording, answer_number(is_complete(of)))

enum { IS_ALONE = 1 }; /* no summary follows, which has it, too */

static const struct answer_column head_columns[] = {
    {"schema", NULL, ANSWER_WHOLE, report_column_schema, "the version of these keys", IS_ALONE},
    {"complete", NULL, ANSWER_FLAG, get_complete,
     "whether all that the command did was recorded, though it is nothing", IS_ALONE},
    {"run_us", NULL, ANSWER_TIME, get_seconds, "how long the command ran"},
    {"pid", NULL, ANSWER_INTEGER, OF_RUN(pid), "the command's process"},
    {"end_signal", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct recording, end_signal),
     "the number of the signal that ended the command", .flags = ANSWER_OMIT},
    {"peak_resident_bytes", NULL, ANSWER_BYTES, ANSWER_FILLED(struct recording, peak_rss_bytes),
     "the most memory of any kind that the command held at one time, with what heaptap's recorder had in it"},
};
static const struct answer_table head_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(head_columns)};

const struct answer_table *const recording_tables[] = {&head_table, &processes_table, NULL};

/* ---- The answer ---------------------------------------------------------------------- */

static void put_processes(struct answer *answer, const struct recording *recording)
{
    struct answer_section section = {.table = &processes_table};
    ANSWER_ITEMS(answer, &section, recording->processes, recording->count);
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
