#include "report/guest/memtracer_process.h"

ANSWER_GET(get_rate,
           const struct guest_profile *profile = ((const struct memtracer_told *)row)->profile,
           const void *all = context,
           answer_number(memtracer_is_sampled(profile) ? 8 * memtracer_rate(profile) : 1))

#define OF_PROFILE(member) ANSWER_FIELD_OF(struct memtracer_told, profile, member)
#define OF_TABLE(member) ANSWER_FIELD(struct memtracer_told, table.member)
#define OF_PARTS(member) OF_TABLE(accounting.member)
#define OF_HEAP(member) ANSWER_FIELD(struct guest_heap, member)

static const struct answer_column process_columns[] = {
    {"pid", NULL, ANSWER_WHOLE, OF_PROFILE(pid), "its number"},
    {"parent_pid", NULL, ANSWER_WHOLE, OF_PROFILE(parent_pid), "that of its parent"},
    {"forked", NULL, ANSWER_FLAG, OF_PROFILE(forked),
     "it is the child of a fork, and its report begins there"},
    {"script", NULL, ANSWER_TEXT, OF_PROFILE(script), "null if not known"},
    {"executable", NULL, ANSWER_TEXT, OF_PROFILE(executable), "null if not known"},
    {"trace", NULL, ANSWER_TEXT, OF_PROFILE(trace), "the trace that was written, or null"},
    {"samples_per_word", NULL, ANSWER_COUNT, get_rate, "the rate; 1: every block"},
    {"approximate_lines", NULL, ANSWER_FLAG, OF_PROFILE(fast), "recorded with `--fast`"},
    {"recorded", NULL, ANSWER_WHOLE, OF_PARTS(recorded), "blocks allocated"},
    {"recorded_at_start", NULL, ANSWER_WHOLE, OF_TABLE(sum.of[GUEST_START_COUNT]),
     "of these, those that the interpreter made before the program began"},
};

static const struct answer_column accounting_columns[] = {
    {"shown", NULL, ANSWER_WHOLE, OF_PARTS(shown),
     "blocks in the rows that are shown, other than those below"},
    {"shown_bytes", NULL, ANSWER_BYTES, OF_PARTS(shown_bytes), "of these"},
    {"hidden", NULL, ANSWER_WHOLE, OF_PARTS(hidden), "in the rows that the options hide"},
    {"hidden_bytes", NULL, ANSWER_BYTES, OF_PARTS(hidden_bytes), "of these"},
    {"hidden_rows", NULL, ANSWER_WHOLE, OF_PARTS(hidden_rows), "how many such rows there are"},
    {"without_location", NULL, ANSWER_WHOLE, OF_PARTS(no_place), "in shown rows where no line ran"},
    {"without_location_bytes", NULL, ANSWER_BYTES, OF_PARTS(no_place_bytes), "of these"},
    {"untyped", NULL, ANSWER_WHOLE, OF_PARTS(untyped),
     "in shown rows with a line and without a type"},
    {"untyped_bytes", NULL, ANSWER_BYTES, OF_PARTS(untyped_bytes), "of these"},
};

static const struct answer_column heap_columns[] = {
    {"language", NULL, ANSWER_TEXT, OF_HEAP(language), "`Lua`, `Python`, ..."},
    {"allocations", NULL, ANSWER_WHOLE, OF_HEAP(allocated),
     "blocks, counted independently of the rows"},
    {"bytes", NULL, ANSWER_BYTES, OF_HEAP(clock), "of these"},
    {"live_bytes", NULL, ANSWER_BYTES, OF_HEAP(live_bytes), "at the end"},
    {"peak_bytes", NULL, ANSWER_BYTES, OF_HEAP(peak_bytes), "the most at one time"},
    {"collections", NULL, ANSWER_WHOLE, OF_HEAP(collections),
     "if the interpreter reports them; 0 for Lua and Python"},
    {"before_blocks", NULL, ANSWER_WHOLE, OF_HEAP(before_blocks),
     "allocated before the recording began, if that is known"},
    {"before_bytes", NULL, ANSWER_BYTES, OF_HEAP(before_bytes), "of these"},
    {"unknown_frees", NULL, ANSWER_WHOLE, OF_HEAP(unknown_frees),
     "blocks that ended and were older than the recording; 0 with `--rate` or a trace"},
    {"lost_samples", NULL, ANSWER_BYTES, OF_HEAP(lost_samples),
     "sampled bytes that could not be kept for lack of memory"},
};

static const struct answer_column note_columns[] = {
    {"note", NULL, ANSWER_TEXT, ANSWER_ITSELF(const char *), "a sentence"}};

const struct answer_table memtracer_processes =
                              ANSWER_JSON(ANSWER_ROWS, "processes", process_columns,
                                          "a process that was recorded"),
                          memtracer_accounting = ANSWER_JSON(
                              ANSWER_RECORD, "accounting", accounting_columns,
                              "of a process: the parts of `recorded`, which add up to it"),
                          memtracer_heaps = ANSWER_JSON(ANSWER_ROWS, "heaps", heap_columns,
                                                        "an interpreter of the process"),
                          memtracer_notes = ANSWER_JSON(ANSWER_LIST, "notes", note_columns,
                                                        "a sentence that the user should read");
