#include "report/guest/memtracer_process.h"

static struct answer_value get_rate(const void *row, const void *context)
{
    const struct guest_profile *profile = ((const struct memtracer_told *)row)->profile;
    (void)context;
    return answer_number(memtracer_is_sampled(profile) ? 8 * memtracer_rate(profile) : 1);
}

#define OF_PROFILE(member) ANSWER_FIELD_OF(struct memtracer_told, profile, member)
#define OF_TABLE(member) ANSWER_FIELD(struct memtracer_told, table.member)
#define OF_PARTS(member) OF_TABLE(accounting.member)
#define OF_HEAP(member) ANSWER_FIELD(struct guest_heap, member)

static const struct answer_column process_columns[] = {
    {"pid", NULL, ANSWER_WHOLE, OF_PROFILE(pid), 0, 0, "its number"},
    {"parent_pid", NULL, ANSWER_WHOLE, OF_PROFILE(parent_pid), 0, 0, "that of its parent"},
    {"forked", NULL, ANSWER_FLAG, OF_PROFILE(forked), 0, 0,
     "it is the child of a fork, and its report begins there"},
    {"script", NULL, ANSWER_TEXT, OF_PROFILE(script), 0, 0, "null if not known"},
    {"executable", NULL, ANSWER_TEXT, OF_PROFILE(executable), 0, 0, "null if not known"},
    {"trace", NULL, ANSWER_TEXT, OF_PROFILE(trace), 0, 0, "the trace that was written, or null"},
    {"samples_per_word", NULL, ANSWER_COUNT, get_rate, 0, 0, "the rate; 1: every block"},
    {"approximate_lines", NULL, ANSWER_FLAG, OF_PROFILE(fast), 0, 0, "recorded with `--fast`"},
    {"recorded", NULL, ANSWER_WHOLE, OF_PARTS(recorded), 0, 0, "blocks allocated"},
    {"recorded_at_start", NULL, ANSWER_WHOLE, OF_TABLE(sum.of[GUEST_START_COUNT]), 0, 0,
     "of these, those that the interpreter made before the program began"},
};

static const struct answer_column accounting_columns[] = {
    {"shown", NULL, ANSWER_WHOLE, OF_PARTS(shown), 0, 0,
     "blocks in the rows that are shown, other than those below"},
    {"shown_bytes", NULL, ANSWER_BYTES, OF_PARTS(shown_bytes), 0, 0, "of these"},
    {"hidden", NULL, ANSWER_WHOLE, OF_PARTS(hidden), 0, 0, "in the rows that the options hide"},
    {"hidden_bytes", NULL, ANSWER_BYTES, OF_PARTS(hidden_bytes), 0, 0, "of these"},
    {"hidden_rows", NULL, ANSWER_WHOLE, OF_PARTS(hidden_rows), 0, 0,
     "how many such rows there are"},
    {"without_location", NULL, ANSWER_WHOLE, OF_PARTS(no_place), 0, 0,
     "in shown rows where no line ran"},
    {"without_location_bytes", NULL, ANSWER_BYTES, OF_PARTS(no_place_bytes), 0, 0, "of these"},
    {"untyped", NULL, ANSWER_WHOLE, OF_PARTS(untyped), 0, 0,
     "in shown rows with a line and without a type"},
    {"untyped_bytes", NULL, ANSWER_BYTES, OF_PARTS(untyped_bytes), 0, 0, "of these"},
};

static const struct answer_column heap_columns[] = {
    {"language", NULL, ANSWER_TEXT, OF_HEAP(language), 0, 0, "`Lua`, `Python`, ..."},
    {"allocations", NULL, ANSWER_WHOLE, OF_HEAP(allocated), 0, 0,
     "blocks, counted independently of the rows"},
    {"bytes", NULL, ANSWER_BYTES, OF_HEAP(clock), 0, 0, "of these"},
    {"live_bytes", NULL, ANSWER_BYTES, OF_HEAP(live_bytes), 0, 0, "at the end"},
    {"peak_bytes", NULL, ANSWER_BYTES, OF_HEAP(peak_bytes), 0, 0, "the most at one time"},
    {"collections", NULL, ANSWER_WHOLE, OF_HEAP(collections), 0, 0,
     "if the interpreter reports them; 0 for Lua and Python"},
    {"before_blocks", NULL, ANSWER_WHOLE, OF_HEAP(before_blocks), 0, 0,
     "allocated before the recording began, if that is known"},
    {"before_bytes", NULL, ANSWER_BYTES, OF_HEAP(before_bytes), 0, 0, "of these"},
    {"unknown_frees", NULL, ANSWER_WHOLE, OF_HEAP(unknown_frees), 0, 0,
     "blocks that ended and were older than the recording; 0 with `--rate` or a trace"},
    {"lost_samples", NULL, ANSWER_BYTES, OF_HEAP(lost_samples), 0, 0,
     "sampled bytes that could not be kept for lack of memory"},
};

static struct answer_value get_note(const void *row, const void *context)
{
    (void)context;
    return answer_text(*(const char *const *)row);
}

static const struct answer_column note_columns[] = {
    {"note", NULL, ANSWER_TEXT, get_note, 0, 0, "a sentence"}};

#define JSON_TABLE(its_key, its_shape, its_columns, its_help)                                      \
    {                                                                                              \
        .key = (its_key), .shape = (its_shape), .forms = ANSWER_IN_JSON,                           \
        ANSWER_COLUMNS(its_columns), .help = (its_help)                                            \
    }

const struct answer_table memtracer_processes =
                              JSON_TABLE("processes", ANSWER_ROWS, process_columns,
                                         "a process that was recorded"),
                          memtracer_accounting = JSON_TABLE(
                              "accounting", ANSWER_RECORD, accounting_columns,
                              "of a process: the parts of `recorded`, which add up to it"),
                          memtracer_heaps = JSON_TABLE("heaps", ANSWER_ROWS, heap_columns,
                                                       "an interpreter of the process"),
                          memtracer_notes = JSON_TABLE("notes", ANSWER_LIST, note_columns,
                                                       "a sentence that the user should read");
