/* One process has a table, and sentences around it that add up; in JSON each process is an object, and has everything. */
#include "report/guest/memtracer.h"

#include "report/guest/guest_tree.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/guest/memtracer_columns.h"
#include "report/guest/memtracer_process.h"

const struct answer_table *const memtracer_tables[] = {&memtracer_processes,
                                                       &memtracer_accounting,
                                                       &memtracer_heaps,
                                                       &memtracer_lines,
                                                       &memtracer_stacks,
                                                       &memtracer_stack_callers,
                                                       &memtracer_functions,
                                                       &memtracer_types,
                                                       &memtracer_calls,
                                                       &memtracer_notes,
                                                       NULL};

/* ---- Sentences --------------------------------------------------------------------- */

static void say_accounting(struct answer *answer, const struct guest_accounting *it)
{
    char text[UNITS_TEXT_BYTES];
    if (it->hidden_rows)
        answer_say(answer, "hidden: %zu row%s, %.0f allocation%s, %s", it->hidden_rows,
                   it->hidden_rows == 1 ? "" : "s", it->hidden, it->hidden == 1 ? "" : "s",
                   units_size(text, it->hidden_bytes));
    if (it->hidden_rows || it->no_place > 0 || it->untyped > 0)
        answer_say(answer,
                   "accounted: %.0f shown + %.0f hidden + %.0f without location + %.0f untyped = "
                   "%.0f",
                   it->shown, it->hidden, it->no_place, it->untyped, it->recorded);
}

/* After an estimate of so many samples. */
static const char *bounds(char text[RANGE_TEXT_BYTES], const struct guest_profile *profile,
                          double samples)
{
    struct heaptap_trace_info info = {.sample_rate = memtracer_rate(profile), .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    struct estimate_sum sum = estimate_bytes_sum(&estimate, samples);
    struct estimate_range range = estimate_range(&sum, estimate.sample_rate);
    return range_text(text, &range, units_size);
}

static void say_sums(struct answer *answer, const struct guest_profile *profile,
                     const struct guest_tally *sum)
{
    char bytes[UNITS_TEXT_BYTES], live[UNITS_TEXT_BYTES], peak[UNITS_TEXT_BYTES];
    char ranges[2][RANGE_TEXT_BYTES];
    double before = 0, lost = 0, peak_bytes = 0;
    for (size_t i = 0; i < profile->heap_count; i++) {
        before += profile->heaps[i].before_bytes;
        lost += profile->heaps[i].lost_samples;
        peak_bytes += profile->heaps[i].peak_bytes;
    }
    answer_say(answer, "allocated: %s%s; retained at the end: %s%s in %.0f; peak: %s",
               units_size(bytes, sum->of[GUEST_BYTES]),
               bounds(ranges[0], profile, sum->of[GUEST_SAMPLES]),
               units_size(live, sum->of[GUEST_LIVE_BYTES]),
               bounds(ranges[1], profile, sum->of[GUEST_LIVE_BYTES] * memtracer_rate(profile)),
               sum->of[GUEST_LIVE], units_size(peak, peak_bytes));
    if (sum->of[GUEST_START_COUNT] > 0)
        answer_say(answer, "of these, by the start of %s: %.0f allocations, %s",
                   plain(profile->heaps[0].language), sum->of[GUEST_START_COUNT],
                   units_size(bytes, sum->of[GUEST_START_BYTES]));
    if (before > 0)
        answer_say(answer, "before the recording began: %s", units_size(bytes, before));
    if (lost > 0)
        answer_say(answer, "dropped for lack of memory: %s of samples", units_size(bytes, lost));
}

static void say_head(struct answer *answer, const struct memtracer_process *process, bool is_first,
                     double recorded)
{
    const struct guest_profile *profile = process->profile;
    if (!is_first) {
        answer_say(answer, "%s", "");
        answer_say(answer, "Process %llu, %s %llu%s", (unsigned long long)profile->pid,
                   profile->forked ? "forked from" : "started by",
                   (unsigned long long)profile->parent_pid,
                   process->is_running ? ", still running" : "");
    }
    answer_say(answer, "Memory Tracer. Recorded %.0f allocations.", recorded);
    answer_say(answer, "%s", "");
}

static void say_foot(struct answer *answer, const struct memtracer_told *told)
{
    const struct guest_profile *profile = told->profile;
    answer_say(answer, "%s", "");
    say_accounting(answer, &told->table.accounting);
    say_sums(answer, profile, &told->table.sum);
    if (memtracer_is_sampled(profile))
        answer_say(answer,
                   "estimated from %.0f samples, %g per word of 8 bytes; peaks are the highest "
                   "points of estimates, and tend to be too high",
                   told->table.sum.of[GUEST_SAMPLES], 8 * memtracer_rate(profile));
    for (size_t i = 0; i < profile->note_count; i++)
        answer_say(answer, "note: %s", plain(profile->notes[i]));
}

/* ---- Rows -------------------------------------------------------------------------- */

/* The calls of a stack, the innermost first, without its line. */
static void put_stack(struct answer *answer, const struct memtracer_told *told, uint32_t number)
{
    const struct guest_profile *profile = told->profile;
    struct guest_profile_row row = guest_profile_row(profile, number);
    uint32_t node = row.node;
    size_t limit = (size_t)told->question->stack_limit;
    answer_row(answer, &(struct memtracer_row){.profile = profile, .self = &row.tally});
    answer_begin(answer, &(struct answer_section){.table = &memtracer_stack_callers});
    for (size_t depth = 0;
         (node = guest_profile_caller(profile, node)) && (!limit || depth < limit); depth++) {
        uint32_t site = guest_profile_site_at(profile, node);
        answer_row(answer, &(struct memtracer_row){.profile = profile, .site = site});
    }
    answer_end(answer);
}

static void put_stacks(struct answer *answer, const struct memtracer_told *told,
                       const struct guest_table_row *wanted)
{
    answer_begin(answer, &(struct answer_section){.table = &memtracer_stacks});
    for (uint32_t row = wanted->first; row != MODEL_NONE; row = told->table.next[row])
        put_stack(answer, told, row);
    answer_end(answer);
}

static void put_tree(struct answer *answer, const struct guest_tree *tree)
{
    for (uint32_t at = STACK_ROOT; (at = guest_tree_next(tree, at)) != STACK_ROOT;)
        answer_row(answer, &(struct memtracer_row){.profile = tree->profile,
                                                   .site = tree->trie.nodes[at].frame,
                                                   .self = tree->outward ? &tree->total[at]
                                                                         : &tree->self[at],
                                                   .total = &tree->total[at],
                                                   .depth = tree->depth[at] - 1,
                                                   .is_caller = tree->outward});
}

static bool put_callers(struct answer *answer, const struct memtracer_told *told,
                        const struct guest_table_row *wanted, unsigned has)
{
    struct guest_tree tree;
    bool done = guest_tree_init(&tree, told->profile, true, (size_t)told->question->stack_limit);
    for (uint32_t row = wanted->first; done && row != MODEL_NONE; row = told->table.next[row])
        done = guest_tree_add(&tree, row);
    done = done && guest_tree_finish(&tree);
    answer_begin(answer, &(struct answer_section){.table = &memtracer_callers, .has = has});
    if (done)
        put_tree(answer, &tree);
    answer_end(answer);
    guest_tree_release(&tree);
    return done;
}

static bool put_table(struct answer *answer, const struct memtracer_told *told, unsigned has)
{
    bool has_stacks = told->question->rows == MEMTRACER_LINES && told->question->stacks &&
                      told->profile->stacks,
         done = true;
    for (size_t i = 0; i < told->table.count && done; i++) {
        const struct guest_table_row *row = &told->table.rows[i];
        answer_row(answer, &(struct memtracer_row){.profile = told->profile,
                                                   .site = row->site,
                                                   .type = row->type,
                                                   .self = &row->self,
                                                   .total = &row->total});
        if (has_stacks && answer_tells(answer, &memtracer_stacks))
            put_stacks(answer, told, row);
        else if (has_stacks && answer_tells(answer, &memtracer_callers))
            done = put_callers(answer, told, row, has);
    }
    return done;
}

static bool put_calls(struct answer *answer, const struct memtracer_told *told)
{
    struct guest_tree tree;
    bool done = guest_tree_init(&tree, told->profile, false, (size_t)told->question->stack_limit);
    for (size_t row = 0; done && row < guest_profile_rows(told->profile); row++)
        if (matcher_sample(&told->profile->matcher, row))
            done = guest_tree_add(&tree, row);
    if (done && guest_tree_finish(&tree))
        put_tree(answer, &tree);
    else
        done = false;
    guest_tree_release(&tree);
    return done;
}

static bool put_rows(struct answer *answer, const struct memtracer_told *told, unsigned has)
{
    return told->question->rows == MEMTRACER_CALLS ? put_calls(answer, told)
                                                   : put_table(answer, told, has);
}

/* ---- All of it --------------------------------------------------------------------- */

static bool told_init(struct memtracer_told *told, const struct memtracer_question *question,
                      const struct guest_profile *profile)
{
    static const enum guest_grouping groupings[] = {[MEMTRACER_LINES] = GUEST_BY_LINE,
                                                    [MEMTRACER_FUNCTIONS] = GUEST_BY_FUNCTION,
                                                    [MEMTRACER_TYPES] = GUEST_BY_TYPE,
                                                    [MEMTRACER_CALLS] = GUEST_BY_LINE};
    *told = (struct memtracer_told){.profile = profile, .question = question};
    return guest_table_make(&told->table, profile, groupings[question->rows], &question->limits);
}

static struct answer_section section_of(const struct answer *answer,
                                        const struct memtracer_question *question,
                                        const struct guest_profile *profile)
{
    static const struct answer_table *const tables[] = {[MEMTRACER_LINES] = &memtracer_lines,
                                                        [MEMTRACER_FUNCTIONS] =
                                                            &memtracer_functions,
                                                        [MEMTRACER_TYPES] = &memtracer_types,
                                                        [MEMTRACER_CALLS] = &memtracer_calls};
    bool is_wide = question->is_wide || !answer_is_read(answer);
    return (struct answer_section){.table = tables[question->rows],
                                   .has =
                                       (memtracer_is_sampled(profile) ? MEMTRACER_IS_SAMPLED : 0) |
                                       (is_wide ? MEMTRACER_IS_WIDE : 0)};
}

static bool put_process_rows(struct answer *answer, const struct memtracer_told *told)
{
    struct answer_section section = section_of(answer, told->question, told->profile);
    answer_begin(answer, &section);
    bool done = put_rows(answer, told, section.has);
    answer_end(answer);
    return done;
}

/* An object in the array that is open. */
static bool put_object(struct answer *answer, const struct memtracer_told *told)
{
    const struct guest_profile *profile = told->profile;
    answer_row(answer, told);
    answer_record(answer, &(struct answer_section){.table = &memtracer_accounting}, told);
    ANSWER_ITEMS(answer, &(struct answer_section){.table = &memtracer_heaps}, profile->heaps,
                 profile->heap_count);
    bool done = put_process_rows(answer, told);
    ANSWER_ITEMS(answer, &(struct answer_section){.table = &memtracer_notes}, profile->notes,
                 profile->note_count);
    return done;
}

static bool put_process(struct answer *answer, const struct memtracer_question *question,
                        const struct memtracer_process *process, bool is_first)
{
    struct memtracer_told told;
    bool done = told_init(&told, question, process->profile);
    if (done && answer_is_read(answer)) {
        say_head(answer, process, is_first, told.table.accounting.recorded);
        done = put_process_rows(answer, &told);
        say_foot(answer, &told);
    } else if (done && answer_tells(answer, &memtracer_processes)) {
        done = put_object(answer, &told);
    } else if (done) {
        done = put_rows(answer, &told, 0);
    }
    guest_table_release(&told.table);
    return done;
}

bool memtracer_put(struct answer *answer, const struct memtracer_question *question,
                   const struct memtracer_process *processes, size_t count)
{
    /* Of CSV, all processes are one table. */
    struct answer_section rows = section_of(answer, question, processes[0].profile);
    struct answer_section all = {.table = &memtracer_processes};
    bool is_read = answer_is_read(answer), done = true;
    if (!is_read)
        answer_begin(answer, answer_tells(answer, &memtracer_processes) ? &all : &rows);
    for (size_t i = 0; i < count && done; i++)
        done = put_process(answer, question, &processes[i], i == 0);
    if (!is_read)
        answer_end(answer);
    return done;
}
