/* The file, field by field, in an order in which nothing need be looked ahead for: samples refer to
 * locations by the numbers of their frames, these to functions, all of them to strings.  Other
 * threads may add to each meanwhile, so each is counted after what refers to it has been written.
 */
#include "tap/inside/pages.h"
#include "tap/gather/profile.h"

#include <errno.h>
#include <string.h>

#include "base/coin.h"
#include "spec/pprof_fields.h"
#include "spec/protobuf_wire.h"
#include "tap/gather/gzip.h"
#include "tap/gather/small.h"

struct writing {
    struct heaptap_pprof *profile;
    int64_t now_us;
    uint32_t halvings;
    double rate; /* after these */
    unsigned time_unit;
    double carry[PPROF_VALUES];
    struct gzip gzip;
    struct merged merged;
    uint32_t ids[]; /* the stack being written, the innermost first; max_frames of them */
};

/* ---- Numbers ------------------------------------------------------------------------ */

static void put(struct writing *writing, uint64_t value)
{
    uint8_t bytes[WIRE_VARINT_MAX];
    gzip_put(&writing->gzip, bytes, (size_t)(wire_encode(bytes, value) - bytes));
}

static void put_begin(struct writing *writing, unsigned field, size_t size)
{
    put(writing, field << 3 | WIRE_BYTES);
    put(writing, size);
}

static void put_small(struct writing *writing, unsigned field, const struct small *small)
{
    put_begin(writing, field, small->size);
    gzip_put(&writing->gzip, small->bytes, small->size);
}

static void put_number(struct writing *writing, unsigned field, uint64_t value)
{
    struct small small = {0};
    small_number(&small, field, value);
    gzip_put(&writing->gzip, small.bytes, small.size);
}

/* ---- Types -------------------------------------------------------------------------- */

static void put_type(struct writing *writing, unsigned field, unsigned name, unsigned unit)
{
    struct small type = {0};
    small_number(&type, TYPE_NAME, name);
    small_number(&type, TYPE_UNIT, unit);
    put_small(writing, field, &type);
}

/* Those of an interval are the first ones. */
static unsigned value_count(const struct heaptap_pprof *profile)
{
    return profile->kept->intervals ? PPROF_INUSE_SPACE + 1 : PPROF_VALUES;
}

static void put_types(struct writing *writing)
{
    for (unsigned i = 0; i < value_count(writing->profile); i++)
        put_type(writing, PROFILE_SAMPLE_TYPE, STRING_TYPES + i,
                 i == PPROF_LIFETIME      ? STRING_TIME_UNITS + writing->time_unit
                 : pprof_is_bytes((int)i) ? STRING_BYTES
                                          : STRING_COUNT);
}

/* ---- Samples ------------------------------------------------------------------------ */

static double objects_of(const struct writing *writing, const struct group *group, double samples)
{
    double words = (double)group->length + writing->profile->kept->header_words;
    return samples / (words > 0 ? words : 1) / writing->rate;
}

static struct small values_of(struct writing *writing, const struct group *group,
                              const struct sums *sums)
{
    double bytes = writing->profile->kept->word_bytes / writing->rate;
    const uint64_t samples[PPROF_COUNTED] = {sums->allocated, sums->live, sums->promoted};
    double estimates[PPROF_VALUES];
    struct small values = {0};
    for (int i = 0; i < PPROF_COUNTED; i++) {
        estimates[pprof_counted[i]] = objects_of(writing, group, (double)samples[i]);
        estimates[pprof_counted[i] + 1] = (double)samples[i] * bytes;
    }
    estimates[PPROF_LIFETIME] = objects_of(writing, group, sums_lives_us(sums)) *
                                pprof_time_units[writing->time_unit].per_us;
    for (unsigned i = 0; i < value_count(writing->profile); i++)
        small_item(&values, pprof_round(estimates[i], &writing->carry[i]));
    return values;
}

/* Lists the stack that ends at `node`; returns how many frames it has. */
static uint32_t list_stack(struct writing *writing, uint32_t number, size_t *bytes)
{
    const struct store *nodes = &writing->profile->stores[KEPT_NODES];
    uint32_t count = 0;
    *bytes = 0;
    if (number == 0)
        writing->ids[count++] = FRAME_UNKNOWN;
    while (number) {
        const struct node *node = store_at(nodes, number, sizeof *node);
        writing->ids[count++] = node->frame;
        number = node->parent;
    }
    for (uint32_t i = 0; i < count; i++)
        *bytes += wire_encoded_size(writing->ids[i]);
    return count;
}

/* What was sampled at a lower rate than the file's came since the file was begun, and is in the next one. */
static bool is_later(const struct writing *writing, uint32_t number)
{
    return store_group(writing->profile, number)->halvings > writing->halvings;
}

static void add_sums(struct writing *writing, struct sums *to, uint32_t number)
{
    struct said *said = NULL;
    if (is_later(writing, number))
        return;
    if (writing->profile->kept->intervals) {
        said = store_reach(&writing->profile->stores[KEPT_SAID], number, sizeof *said);
        if (!said)
            return; /* without memory: it is in the next one */
    }
    struct sums sums = sums_of(writing->profile, number, writing->halvings, writing->now_us, said);
    to->allocated += sums.allocated;
    to->live += sums.live;
    to->promoted += sums.promoted;
    to->all += sums.all;
    to->lives_us += sums.lives_us;
}

/* The sums of all groups of this one's stack and size; false where they are in a sample already. */
static bool sum_up(struct writing *writing, struct sums *sums, uint32_t number)
{
    const uint32_t said = UINT32_MAX;
    struct merged *merged = &writing->merged;
    *sums = (struct sums){0};
    if (number >= merged->groups || merged->next[number] == 0) {
        add_sums(writing, sums, number);
        return true;
    }
    if (merged->next[number] == said)
        return false;
    while (merged->next[number] != said) {
        uint32_t next = merged->next[number];
        add_sums(writing, sums, number);
        merged->next[number] = said;
        number = next;
    }
    return true;
}

static void put_sample(struct writing *writing, uint32_t number, const struct group *group,
                       uint32_t node)
{
    struct sums sums;
    if (!sum_up(writing, &sums, number))
        return;
    struct small tail = {0}, label = {0}, values;
    size_t stack_bytes;
    if (sums.allocated == 0 && sums.live == 0)
        return;
    values = values_of(writing, group, &sums);
    uint32_t count = list_stack(writing, node, &stack_bytes);
    small_number(&label, LABEL_KEY, STRING_BYTES);
    small_number(&label, LABEL_NUMBER, group->length * writing->profile->kept->word_bytes);
    small_number(&label, LABEL_UNIT, STRING_BYTES);
    small_message(&tail, SAMPLE_VALUE, &values);
    small_message(&tail, SAMPLE_LABEL, &label);
    put_begin(writing, PROFILE_SAMPLE,
              1 + wire_encoded_size(stack_bytes) + stack_bytes + tail.size);
    put_begin(writing, SAMPLE_LOCATION, stack_bytes);
    for (uint32_t i = 0; i < count; i++)
        put(writing, writing->ids[i]);
    gzip_put(&writing->gzip, tail.bytes, tail.size);
}

/* Calls `visit` for each group in use. */
static void each_group(struct writing *writing, void (*visit)(struct writing *, uint32_t number,
                                                              const struct group *, uint32_t node))
{
    struct heaptap_pprof *profile = writing->profile;
    uint32_t end = atomic_load_explicit(&profile->kept->group_numbers, memory_order_acquire);
    for (uint32_t i = 1; i < end; i++) {
        const struct group *group =
            store_peek(&profile->stores[KEPT_GROUPS], i, sizeof(struct group));
        uint32_t node = group ? atomic_load_explicit(&group->node, memory_order_acquire) : 0;
        if (node)
            visit(writing, i, group, node - 1);
    }
}

static void add_lifetime(struct writing *writing, uint32_t number, const struct group *group,
                         uint32_t node)
{
    struct sums sums = {0};
    (void)node;
    if (!is_later(writing, number))
        sums = sums_of(writing->profile, number, writing->halvings, writing->now_us, NULL);
    writing->carry[PPROF_LIFETIME] += objects_of(writing, group, sums.lives_us);
}

/* The carry serves as the sum, as nothing has been rounded yet. */
static void choose_time_unit(struct writing *writing)
{
    if (writing->profile->kept->intervals)
        return;
    each_group(writing, add_lifetime);
    while (writing->time_unit < PPROF_TIME_UNITS - 1 &&
           !(writing->carry[PPROF_LIFETIME] * pprof_time_units[writing->time_unit].per_us <
             PPROF_VALUE_MAX))
        writing->time_unit++;
    writing->carry[PPROF_LIFETIME] = 0;
}

/* ---- Mappings, locations, functions ------------------------------------------------- */

/* Mapping 1 is the program: the module that is it, or one without addresses. */
static uint32_t mapping_id(const struct heaptap_pprof *profile, uint32_t module)
{
    if (module == 0 || module == profile->kept->program)
        return 1;
    return module < profile->kept->program || profile->kept->program == 0 ? module + 1 : module;
}

static void put_mapping(struct writing *writing, uint32_t number)
{
    const struct heaptap_pprof *profile = writing->profile;
    const struct module *module =
        number ? store_at(profile->names.modules, number, sizeof *module) : NULL;
    struct small mapping = {0};
    small_number(&mapping, MAPPING_ID, mapping_id(profile, number));
    if (module) {
        small_number(&mapping, MAPPING_START, module->start);
        small_number(&mapping, MAPPING_LIMIT, module->limit);
        small_number(&mapping, MAPPING_OFFSET, module->offset);
        small_number(&mapping, MAPPING_BUILD_ID, module->build_id);
    }
    small_number(&mapping, MAPPING_FILE, module ? module->file : profile->kept->executable);
    for (unsigned field = MAPPING_HAS_FUNCTIONS;
         field <= MAPPING_HAS_INLINES && !(module && module->bare); field++)
        small_number(&mapping, field, true);
    put_small(writing, PROFILE_MAPPING, &mapping);
}

static void put_mappings(struct writing *writing)
{
    const struct heaptap_pprof *profile = writing->profile;
    uint32_t count = atomic_load_explicit(&profile->kept->module_count, memory_order_acquire);
    put_mapping(writing, profile->kept->program);
    for (uint32_t i = 1; i <= count; i++)
        if (i != profile->kept->program)
            put_mapping(writing, i);
}

static struct small line_message(const struct line *line)
{
    struct small message = {0};
    small_number(&message, LINE_FUNCTION, line->function);
    small_number(&message, LINE_LINE, line->line);
    return message;
}

static const struct line *line_at(const struct writing *writing, uint32_t number)
{
    return store_at(writing->profile->names.lines, number, sizeof(struct line));
}

static void put_location(struct writing *writing, uint32_t id, const struct frame *frame)
{
    struct small head = {0};
    size_t size = 0;
    small_number(&head, LOCATION_ID, id);
    small_number(&head, LOCATION_MAPPING, mapping_id(writing->profile, frame->module));
    small_number(&head, LOCATION_ADDRESS, frame->module ? frame->address : 0);
    for (uint32_t i = 0; i < frame->line_count; i++)
        size += 2 + line_message(line_at(writing, frame->first_line + i)).size;
    put_begin(writing, PROFILE_LOCATION, head.size + size);
    gzip_put(&writing->gzip, head.bytes, head.size);
    for (uint32_t i = frame->line_count; i-- > 0;) { /* pprof wants the innermost first */
        struct small line = line_message(line_at(writing, frame->first_line + i));
        put_small(writing, LOCATION_LINE, &line);
    }
}

static void put_locations(struct writing *writing)
{
    const struct names *names = &writing->profile->names;
    uint32_t count = atomic_load_explicit(&names->kept->frame_count, memory_order_acquire);
    for (uint32_t i = 1; i <= count; i++)
        put_location(writing, i, store_at(names->frames, i, sizeof(struct frame)));
}

static void put_functions(struct writing *writing)
{
    const struct names *names = &writing->profile->names;
    uint32_t count = atomic_load_explicit(&names->kept->function_count, memory_order_acquire);
    for (uint32_t i = 1; i <= count; i++) {
        const struct function *function = store_at(names->functions, i, sizeof *function);
        struct small message = {0};
        small_number(&message, FUNCTION_ID, i);
        small_number(&message, FUNCTION_NAME, function->name);
        small_number(&message, FUNCTION_FILE, function->file);
        put_small(writing, PROFILE_FUNCTION, &message);
    }
}

/* ---- The rest ----------------------------------------------------------------------- */

static void put_strings(struct writing *writing, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct string *string = store_at(writing->profile->names.strings, i, sizeof *string);
        put_begin(writing, PROFILE_STRING, string->size);
        gzip_put(&writing->gzip, names_text(&writing->profile->names, string), string->size);
    }
}

static uint64_t duration_ns(const struct writing *writing)
{
    int64_t ns;
    if (__builtin_mul_overflow(writing->now_us - writing->profile->kept->said_us, 1000, &ns) ||
        ns < 0)
        return 0;
    return (uint64_t)ns;
}

static void put_head(struct writing *writing)
{
    const struct heaptap_pprof *profile = writing->profile;
    double period = profile->kept->word_bytes / writing->rate, carry = 0;
    int64_t start_ns;
    if (!__builtin_mul_overflow(profile->kept->said_us, 1000, &start_ns) && start_ns > 0)
        put_number(writing, PROFILE_TIME, (uint64_t)start_ns);
    put_number(writing, PROFILE_DURATION, duration_ns(writing));
    put_type(writing, PROFILE_PERIOD_TYPE, STRING_SPACE, STRING_BYTES);
    put_number(writing, PROFILE_PERIOD, pprof_round(period, &carry));
    put_number(writing, PROFILE_DEFAULT_TYPE, STRING_TYPES + PPROF_ALLOC_SPACE);
}

static size_t decimal(char text[20], uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < count; i++)
        text[i] = digits[count - 1 - i];
    return count;
}

/* A comment of two parts is the next string. */
static void put_comment(struct writing *writing, uint32_t *next, const char *what, const char *text,
                        size_t size)
{
    put_number(writing, PROFILE_COMMENT, (*next)++);
    put_begin(writing, PROFILE_STRING, strlen(what) + size);
    gzip_put(&writing->gzip, what, strlen(what));
    gzip_put(&writing->gzip, text, size);
}

static void put_comments(struct writing *writing, uint32_t next)
{
    struct heaptap_pprof *profile = writing->profile;
    const struct store *strings = profile->names.strings;
    const struct string *context = store_at(strings, profile->kept->context, sizeof *context);
    const struct string *program = store_at(strings, profile->kept->executable, sizeof *program);
    uint64_t dropped = atomic_load_explicit(&profile->kept->dropped, memory_order_relaxed);
    uint32_t stopped = atomic_load_explicit(&profile->kept->stopped_size, memory_order_acquire);
    char number[20], pid[20];
    profile->kept->saying_dropped = dropped;
    if (profile->kept->intervals)
        dropped -= profile->kept->said_dropped;
    if (context->size > 0)
        put_comment(writing, &next, "context: ", names_text(&profile->names, context),
                    context->size);
    if (program->size > 0)
        put_comment(writing, &next, "command: ", names_text(&profile->names, program),
                    program->size);
    if (profile->kept->pid > 0)
        put_comment(writing, &next, PPROF_PID, pid, decimal(pid, profile->kept->pid));
    if (profile->kept->recording > 0)
        put_comment(writing, &next, PPROF_RECORDING, pid, decimal(pid, profile->kept->recording));
    if (dropped > 0)
        put_comment(writing, &next, PPROF_DROPPED, number, decimal(number, dropped));
    if (stopped)
        put_comment(writing, &next, PPROF_ENDED_EARLY, profile->kept->stopped, stopped);
    else if (profile->goes_on)
        put_comment(writing, &next, PPROF_UNFINISHED, "", 0);
}

static void put_all(struct writing *writing)
{
    merged_begin(&writing->merged, writing->profile, writing->ids);
    choose_time_unit(writing);
    put_types(writing);
    put_head(writing);
    each_group(writing, put_sample);
    merged_end(&writing->merged);
    put_mappings(writing);
    put_locations(writing);
    put_functions(writing);
    uint32_t strings =
        atomic_load_explicit(&writing->profile->kept->string_count, memory_order_acquire);
    put_strings(writing, strings);
    put_comments(writing, strings);
}

/* ---- Writing ------------------------------------------------------------------------ */

int pprof_write_to(struct heaptap_pprof *profile, int64_t time_us, struct heaptap_sink sink)
{
    size_t bytes = sizeof(struct writing) + ((size_t)profile->max_frames + 1) * sizeof(uint32_t);
    struct writing *writing = pages_map(bytes);
    if (!writing)
        return ENOMEM;
    writing->profile = profile;
    writing->now_us = time_us;
    writing->halvings = atomic_load_explicit(&profile->kept->halvings, memory_order_acquire);
    writing->rate = coin_rate(profile->kept->rate, writing->halvings);
    gzip_begin(&writing->gzip, sink);
    put_all(writing);
    int code = gzip_end(&writing->gzip);
    pages_unmap(writing, bytes);
    return code;
}

int heaptap_pprof_write(struct heaptap_pprof *profile, int64_t time_us, struct heaptap_sink sink)
{
    if (!profile || !sink.write)
        return EINVAL;
    int code = pprof_write_to(profile, time_us, sink);
    if (code == 0) {
        pprof_saying(profile, time_us);
        pprof_said(profile);
    }
    return code;
}
