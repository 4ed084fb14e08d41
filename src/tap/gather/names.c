/* Names are asked for once a frame, when it is first met, and without the lock: the callback may do
 * what it likes.  Two threads that meet a frame at once both ask, and the second answer is dropped.
 */
#include "base/hex.h"
#include "tap/gather/profile.h"

#include <string.h>

#include "tap/inside/kernel.h"

enum { FIRST_SLOTS = 1024, CODE_TEXT_BYTES = 20 };

static void lock(struct names *names)
{
    while (atomic_flag_test_and_set_explicit(&names->lock, memory_order_acquire))
        kernel_yield();
}

static void unlock(struct names *names)
{
    atomic_flag_clear_explicit(&names->lock, memory_order_release);
}

/* ---- Strings ------------------------------------------------------------------------ */

static uint64_t hash_of_bytes(const char *bytes, size_t size)
{
    uint64_t hash = size, word;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = hash_mix(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, size);
    return hash_mix(hash, word);
}

static uint64_t hash_of_string(void *context, uint32_t number)
{
    struct names *names = context;
    return ((struct string *)store_at(names->strings, number, sizeof(struct string)))->hash;
}

/* Room for `size` bytes, which is in one chunk: the first unit of it in `*first`. */
static char *take_text(struct names *names, size_t size, uint32_t *first)
{
    size_t units = (size + sizeof(struct text_unit) - 1) / sizeof(struct text_unit);
    uint64_t begin = names->kept->text_count;
    uint32_t within, ignored;
    for (;;) {
        if (begin + units > UINT32_MAX / 2)
            return NULL;
        unsigned chunk = store_chunk_of((uint32_t)begin, &within);
        if (store_chunk_of((uint32_t)(begin + units - 1), &ignored) == chunk)
            break;
        begin += (UINT64_C(1) << (chunk + STORE_FIRST_BITS)) - within;
    }
    char *taken = store_reach(names->text, (uint32_t)begin, sizeof(struct text_unit));
    if (taken)
        names->kept->text_count = (uint32_t)(begin + units);
    *first = (uint32_t)begin;
    return taken;
}

/* The slot of `table` has no memory to grow: then it fills up, as long as one slot stays free. */
static bool make_room(struct table **table, uint64_t (*hash_of)(void *, uint32_t), void *context)
{
    if (!table_is_full(*table))
        return true;
    struct table *grown = table_grown(*table, hash_of, context);
    if (!grown)
        return (*table)->used < (*table)->mask;
    *table = grown;
    return true;
}

static uint32_t add_string(struct names *names, const char *text, size_t size, uint64_t hash)
{
    uint32_t number = names->kept->string_count, first;
    struct string *string = store_reach(names->strings, number, sizeof *string);
    char *bytes =
        string && size <= UINT32_MAX / 2 && make_room(&names->string_table, hash_of_string, names)
            ? take_text(names, size, &first)
            : NULL;
    if (!bytes)
        return 0;
    memcpy(bytes, text, size);
    *string = (struct string){first, (uint32_t)size, hash};
    atomic_store_explicit(&names->kept->string_count, number + 1, memory_order_release);
    table_put(names->string_table, hash, number);
    return number;
}

/* The same with the lock held. */
static uint32_t string_number(struct names *names, const char *text)
{
    if (!text || !*text)
        return 0;
    size_t size = strlen(text);
    uint64_t hash = hash_of_bytes(text, size);
    const struct table *table = names->string_table;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        uint32_t number = table->slots[i];
        if (!number)
            return add_string(names, text, size, hash);
        const struct string *string = store_at(names->strings, number, sizeof *string);
        if (string->hash == hash && string->size == size &&
            memcmp(names_text(names, string), text, size) == 0)
            return number;
    }
}

uint32_t names_string(struct names *names, const char *text)
{
    lock(names);
    uint32_t number = string_number(names, text);
    unlock(names);
    return number;
}

/* ---- Functions ---------------------------------------------------------------------- */

static uint64_t hash_of_function(void *context, uint32_t number)
{
    struct names *names = context;
    const struct function *function = store_at(names->functions, number, sizeof *function);
    return hash_mix(function->name, function->file);
}

static uint32_t function_number(struct names *names, const char *name, const char *file)
{
    struct function wanted = {string_number(names, name), string_number(names, file)};
    const struct table *table = names->function_table;
    size_t i = hash_mix(wanted.name, wanted.file) & table->mask;
    for (; table->slots[i]; i = (i + 1) & table->mask) {
        const struct function *function =
            store_at(names->functions, table->slots[i], sizeof *function);
        if (function->name == wanted.name && function->file == wanted.file)
            return table->slots[i];
    }
    uint32_t number = names->kept->function_count + 1;
    struct function *function = store_reach(names->functions, number, sizeof *function);
    if (!function || !make_room(&names->function_table, hash_of_function, names))
        return 0;
    *function = wanted;
    atomic_store_explicit(&names->kept->function_count, number, memory_order_release);
    table_put(names->function_table, hash_mix(wanted.name, wanted.file), number);
    return number;
}

/* ---- Frames ------------------------------------------------------------------------- */

static uint64_t hash_of_frame(void *context, uint32_t number)
{
    struct names *names = context;
    return hash_mix(0,
                    ((struct frame *)store_at(names->frames, number, sizeof(struct frame)))->code);
}

static uint32_t find_frame(struct names *names, uint64_t code)
{
    struct table *table = atomic_load_explicit(&names->frame_table, memory_order_acquire);
    for (size_t i = hash_mix(0, code) & table->mask;; i = (i + 1) & table->mask) {
        uint32_t number = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (!number)
            return 0;
        const struct frame *frame = store_at(names->frames, number, sizeof *frame);
        if (frame->code == code)
            return number;
    }
}

static void code_text(char text[CODE_TEXT_BYTES], uint64_t code)
{
    char *at = text;
    int shift = 60;
    while (shift > 0 && code >> shift == 0)
        shift -= 4;
    *at++ = '0';
    *at++ = 'x';
    for (; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[code >> shift & 15];
    *at = 0;
}

static bool add_line(struct names *names, struct frame *frame,
                     const struct heaptap_location *location)
{
    struct line *line = store_reach(names->lines, names->kept->line_count, sizeof *line);
    uint32_t function = line ? function_number(names, location->function, location->file) : 0;
    if (!function)
        return false;
    *line = (struct line){function, location->line};
    names->kept->line_count++;
    frame->line_count++;
    return true;
}

/* Adds a frame that no other thread has added yet; the lock is held. */
static uint32_t add_frame(struct names *names, const struct frame *described,
                          const struct heaptap_location *locations, size_t count)
{
    uint32_t number = names->kept->frame_count + 1;
    struct frame *frame = store_reach(names->frames, number, sizeof *frame);
    struct table *table = atomic_load_explicit(&names->frame_table, memory_order_relaxed);
    if (!frame || !make_room(&table, hash_of_frame, names))
        return 0;
    atomic_store_explicit(&names->frame_table, table, memory_order_release);
    *frame = *described;
    frame->first_line = names->kept->line_count;
    for (size_t i = 0; i < count; i++)
        if (!add_line(names, frame, &locations[i]))
            return 0;
    if (frame->module && count == 0)
        ((struct module *)store_at(names->modules, frame->module, sizeof(struct module)))->bare =
            true;
    atomic_store_explicit(&names->kept->frame_count, number, memory_order_release);
    table_put(table, hash_mix(0, frame->code), number);
    return number;
}

uint32_t names_frame(struct heaptap_pprof *profile, uint64_t code,
                     struct heaptap_location *locations)
{
    struct names *names = &profile->names;
    struct frame frame = {.code = code};
    char text[CODE_TEXT_BYTES];
    size_t count = 0;
    uint32_t number = find_frame(names, code);
    if (number)
        return number;
    if (code == HEAPTAP_CODE_TRUNCATED) {
        locations[count++] =
            (struct heaptap_location){.file = "<unknown>", .function = "<truncated>"};
    } else {
        if (profile->locate)
            frame.module = profile->locate(profile->describe_context, code, &frame.address);
        if (profile->describe)
            count = profile->describe(profile->describe_context, code, locations,
                                      HEAPTAP_LOCATIONS_MAX);
    }
    if (!frame.module && count == 0) {
        code_text(text, code);
        locations[count++] = (struct heaptap_location){.function = text};
    }
    lock(names);
    number = find_frame(names, code);
    if (!number)
        number = add_frame(names, &frame, locations, count);
    unlock(names);
    return number;
}

/* ---- Modules ------------------------------------------------------------------------ */

static void build_id_text(char *text, const struct heaptap_metadata *module)
{
    unsigned size = module->build_id_size <= HEAPTAP_BUILD_ID_MAX ? module->build_id_size : 0;
    hex_put(text, module->build_id, size);
}

static bool is_same_module(const struct module *a, const struct module *b)
{
    return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
           a->file == b->file && a->build_id == b->build_id;
}

static uint32_t module_number(struct heaptap_pprof *profile, const struct module *wanted)
{
    struct names *names = &profile->names;
    uint32_t count = names->kept->module_count;
    for (uint32_t i = 1; i <= count; i++)
        if (is_same_module(store_at(names->modules, i, sizeof *wanted), wanted))
            return i;
    struct module *module = store_reach(names->modules, count + 1, sizeof *module);
    if (!module)
        return 0;
    module->start = wanted->start;
    module->limit = wanted->limit;
    module->offset = wanted->offset;
    module->file = wanted->file;
    module->build_id = wanted->build_id;
    if (!profile->kept->program && module->file && module->file == profile->kept->executable)
        profile->kept->program = count + 1;
    atomic_store_explicit(&names->kept->module_count, count + 1, memory_order_release);
    return count + 1;
}

uint32_t heaptap_pprof_add_module(struct heaptap_pprof *profile,
                                  const struct heaptap_metadata *module)
{
    if (!profile || !module)
        return 0;
    char build_id[2 * HEAPTAP_BUILD_ID_MAX + 1];
    build_id_text(build_id, module);
    lock(&profile->names);
    struct module wanted = {.start = module->address,
                            .limit = module->address + module->size_bytes,
                            .offset = module->file_offset,
                            .file = string_number(&profile->names, module->name),
                            .build_id = string_number(&profile->names, build_id)};
    uint32_t number = module_number(profile, &wanted);
    unlock(&profile->names);
    return number;
}

/* ---- Beginning and end -------------------------------------------------------------- */

void names_find(struct heaptap_pprof *profile)
{
    struct names *names = &profile->names;
    names->kept = profile->kept;
    names->frames = &profile->stores[KEPT_FRAMES];
    names->lines = &profile->stores[KEPT_LINES];
    names->functions = &profile->stores[KEPT_FUNCTIONS];
    names->strings = &profile->stores[KEPT_STRINGS];
    names->text = &profile->stores[KEPT_TEXT];
    names->modules = &profile->stores[KEPT_MODULES];
}

bool names_begin(struct heaptap_pprof *profile)
{
    struct names *names = &profile->names;
    const struct heaptap_location unknown = {.function = "<unknown>"};
    names_find(profile);
    names->frame_table = table_new(FIRST_SLOTS);
    names->function_table = table_new(FIRST_SLOTS);
    names->string_table = table_new(FIRST_SLOTS);
    if (!store_reach(names->strings, 0, sizeof(struct string)) ||
        !store_reach(names->text, 0, sizeof(struct text_unit)) || !names->frame_table ||
        !names->function_table || !names->string_table)
        return false;
    names->kept->string_count = 1; /* "" */
    for (unsigned i = 0; i < PPROF_VALUES; i++)
        string_number(names, pprof_value_names[i]);
    string_number(names, "count");
    string_number(names, "bytes");
    string_number(names, "space");
    for (unsigned i = 0; i < PPROF_TIME_UNITS; i++)
        string_number(names, pprof_time_units[i].name);
    if (names->kept->string_count != STRING_TIME_UNITS + PPROF_TIME_UNITS)
        return false;
    /* Its code is in no user's address space. */
    return add_frame(names, &(struct frame){.code = UINT64_MAX}, &unknown, 1) == FRAME_UNKNOWN;
}

void names_end(struct names *names)
{
    table_free(names->frame_table);
    table_free(names->function_table);
    table_free(names->string_table);
}
