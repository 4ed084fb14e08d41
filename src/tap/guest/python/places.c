#include "tap/guest/python/places.h"

#include "base/affix.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/watch.h"

#define NO_PLACE UINT32_MAX /* the lower half of PLACE_NONE */

enum { STAMP_BYTES = 512, FILE_BYTES = 4096, FUNCTION_BYTES = 1024 };

/* ---- A location that was not met yet ---------------------------------------------- */

static uint64_t instructions_of(const char *code)
{
    return (uint64_t)(uintptr_t)code + python.layout.code_instructions;
}

static uint64_t instructions_end(const char *code)
{
    return instructions_of(code) + INSTRUCTION * python_word(code, OBJECT_SIZE);
}

/* Whether what the table of offsets makes of the frame can be true. */
static bool is_code(const char *code, uint64_t instruction)
{
    return python_readable(code, python.layout.code_instructions) &&
           python_pointer(code, OBJECT_TYPE) == python.code_type &&
           python_readable(python_pointer(code, CODE_LINES), BYTES_DATA) &&
           python_pointer(python_pointer(code, CODE_LINES), OBJECT_TYPE) == python.bytes_type &&
           instruction + INSTRUCTION >= instructions_of(code) &&
           instruction < instructions_end(code);
}

/* A frame is shown once it has come to its first traceable instruction, as in tracebacks. */
static bool has_begun(const char *code, uint64_t instruction)
{
    int32_t first_traceable;
    memcpy(&first_traceable, code + python.layout.code_first_traceable, sizeof first_traceable);
    return instruction >=
           instructions_of(code) + (uint64_t)(INSTRUCTION * (int64_t)first_traceable);
}

static uint64_t describe(struct heaptap_guest *guest, const char *code, uint64_t instruction)
{
    /* Static, as the host's stack can be short; the interpreter's lock protects them. */
    static char file[FILE_BYTES], function[FUNCTION_BYTES];
    int line = python.line(code, (int)(instruction - instructions_of(code)));
    if (!python_copy_string(python_pointer(code, CODE_FILE), file, sizeof file) ||
        !python_copy_string(python_pointer(code, CODE_FUNCTION), function, sizeof function))
        return HEAPTAP_GUEST_UNKNOWN;
    return heaptap_guest_location(guest, file, function, line > 0 ? (uint32_t)line : 0);
}

static void complain(struct heaptap_guest *guest)
{
    static bool told;
    if (!told)
        heaptap_guest_note(guest,
                           "this Python keeps its frames in a way that heaptap doesn't know: "
                           "lines are missing");
    told = true;
}

static __attribute__((noinline)) uint64_t resolve(struct places *places, const char *frame,
                                                  uint64_t instruction)
{
    const char *code = python_pointer(frame, python.layout.frame_code);
    uint64_t number = PLACE_NONE;
    if (python.minor > 11 && frame[python.layout.frame_owner] == OWNED_BY_C) {
        /* no code of the program's */
    } else if (!is_code(code, instruction)) {
        complain(places->guest);
        number = HEAPTAP_GUEST_UNKNOWN;
    } else {
        if (has_begun(code, instruction))
            number = describe(places->guest, code, instruction);
        if (!watch_add(code, WATCHED_CODE))
            return number;
    }
    address_table_add(&places->numbers, instruction, number);
    return number;
}

/* ---- Code that may have been replaced --------------------------------------------- */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const char *from, uint64_t count)
{
    for (; count >= sizeof hash; count -= sizeof hash, from += sizeof hash)
        hash = mix(hash, python_word(from, 0));
    for (; count; count--)
        hash = mix(hash, (unsigned char)*from++);
    return hash;
}

/* Of a string with characters beyond ASCII, a part counts. */
static uint64_t mix_string(uint64_t hash, const char *string)
{
    if (!string || python_pointer(string, OBJECT_TYPE) != python.string_type)
        return hash;
    uint64_t length = python_word(string, OBJECT_SIZE);
    return mix_bytes(mix(hash, length), string + python.layout.string_bytes, length);
}

/* What is the same of a code object as long as it is the same, and hardly ever of another one: its
 * names, its table of lines, its sizes. */
static uint32_t code_stamp(const char *code)
{
    const char *lines = python_pointer(code, CODE_LINES);
    uint64_t size = python_word(lines, OBJECT_SIZE);
    uint64_t hash = mix(python_word(code, CODE_SIZES), python_word(code, CODE_SIZES + 8));
    hash = mix_string(mix_string(mix(hash, size), python_pointer(code, CODE_FILE)),
                      python_pointer(code, CODE_FUNCTION));
    return (
        uint32_t)(mix_bytes(hash, lines + BYTES_DATA, size < STAMP_BYTES ? size : STAMP_BYTES) >>
                  32);
}

/* resolve, where nobody tells that code ends. */
static uint64_t resolve_checked(struct places *places, const char *frame, uint64_t instruction)
{
    const char *code = python_pointer(frame, python.layout.frame_code);
    if (python.minor > 11 && frame[python.layout.frame_owner] == OWNED_BY_C)
        return PLACE_NONE;
    struct address_entry *entry = address_table_find(&places->numbers, instruction);
    if (!entry && !is_code(code, instruction)) {
        complain(places->guest);
        return HEAPTAP_GUEST_UNKNOWN;
    }
    uint64_t stamp = (uint64_t)code_stamp(code) << 32;
    if (entry && entry->value >> 32 == stamp >> 32)
        return (uint32_t)entry->value == NO_PLACE ? PLACE_NONE : (uint32_t)entry->value;
    uint64_t number =
        has_begun(code, instruction) ? describe(places->guest, code, instruction) : PLACE_NONE;
    uint64_t value = stamp | (uint32_t)number;
    if (entry)
        entry->value = value;
    else
        address_table_add(&places->numbers, instruction, value);
    return number;
}

static inline uint64_t number_of(struct places *places, const char *frame)
{
    uint64_t instruction = python_word(frame, python.layout.frame_instruction);
    if (places->checks_code)
        return resolve_checked(places, frame, instruction);
    struct address_entry *recent =
        &places->recent[(instruction >> 1 ^ instruction >> (1 + PLACES_RECENT_BITS)) &
                        ((1 << PLACES_RECENT_BITS) - 1)];
    if (__builtin_expect(recent->key == instruction, 1))
        return recent->value;
    const struct address_entry *entry = address_table_find(&places->numbers, instruction);
    if (!entry)
        return resolve(places, frame, instruction);
    *recent = *entry;
    return entry->value;
}

uint64_t places_number(struct places *places, const char *frame)
{
    return number_of(places, frame);
}

uint32_t places_now(struct places *places)
{
    for (const char *frame = python_frame(); frame; frame = python_previous(frame)) {
        uint64_t number = number_of(places, frame);
        if (__builtin_expect(number != PLACE_NONE, 1))
            return (uint32_t)number;
    }
    return HEAPTAP_GUEST_UNKNOWN;
}

/* The outermost frame that has code of Python's; NULL for none. */
static const char *outermost_frame(void)
{
    const char *outermost = NULL;
    for (const char *frame = python_frame(); frame; frame = python_previous(frame))
        if (python.minor == 11 || frame[python.layout.frame_owner] != OWNED_BY_C)
            outermost = frame;
    return outermost;
}

/* The importer; and the search for codecs, which C code calls as well.  runpy is frozen, too, and runs what -m names. */
static bool is_of_start(const char *code)
{
    static char file[FILE_BYTES];
    return python_copy_string(python_pointer(code, CODE_FILE), file, sizeof file) &&
           ((begins_with(file, "<frozen ") && strcmp(file, "<frozen runpy>") != 0) ||
            ends_with(file, "/encodings/__init__.py"));
}

bool places_program_runs(void)
{
    static const char *last; /* code that was found to be of the start: it never ends */
    const char *frame = outermost_frame();
    const char *code = frame ? python_pointer(frame, python.layout.frame_code) : last;
    if (code == last)
        return false;
    if (!is_code(code, python_word(frame, python.layout.frame_instruction)))
        return true;
    if (!is_of_start(code))
        return true;
    last = code;
    return false;
}

void places_forget_all(struct places *places)
{
    address_table_clear(&places->numbers);
    memset(places->recent, 0, sizeof places->recent);
    places->checks_code = false;
}

void places_forget_code(struct places *places, const char *code)
{
    uint64_t end = instructions_end(code);
    for (uint64_t at = instructions_of(code) - INSTRUCTION; at < end; at += INSTRUCTION)
        address_table_remove(&places->numbers, at);
    memset(places->recent, 0, sizeof places->recent);
}
