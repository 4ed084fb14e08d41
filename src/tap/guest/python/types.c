#include "tap/guest/python/types.h"

#include "tap/guest/address_table.h"
#include "tap/guest/python/watch.h"

enum { NAME_MAX_BYTES = 512 };

/* By type object: its number, and where in a block the type of its objects stands. */
static struct address_table known;

/* In front of it: the types met last. */
enum { RECENT_BITS = 8 };

static struct recent {
    uint64_t type;
    uint32_t number, at;
} recent[1 << RECENT_BITS];

static struct recent *recent_slot(uint64_t type)
{
    return &recent[(type >> 4 ^ type >> 12) & ((1 << RECENT_BITS) - 1)];
}

/* ---- A type that was not met yet -------------------------------------------------- */

static bool has_name(const char *name)
{
    for (size_t i = 0; i < NAME_MAX_BYTES; i++) {
        if ((i == 0 || ((uintptr_t)(name + i) & 7) == 0) && !python_readable(name + i, 1))
            return false;
        if (!name[i])
            return i > 0;
    }
    return false;
}

/* Whether what may be any word is a type. */
static bool is_type(const char *type)
{
    if (!python_readable(type, TYPE_END))
        return false;
    const char *its_type = python_pointer(type, OBJECT_TYPE);
    if (its_type != python.type_type) {
        if ((uintptr_t)its_type & 7 || !python_readable(its_type, TYPE_END) ||
            !(python_word(its_type, TYPE_FLAGS) & TYPE_OF_TYPES) ||
            !(python_word(its_type, TYPE_FLAGS) & TYPE_IS_READY))
            return false;
    }
    uint64_t size = python_word(type, TYPE_BASIC_SIZE);
    return python_word(type, TYPE_FLAGS) & TYPE_IS_READY && size >= 16 && size < 1 << 20 &&
           has_name(python_pointer(type, TYPE_NAME));
}

/* Where in a block the type of this type's objects stands. */
static uint32_t place_in_block(const char *type)
{
    uint64_t flags = python_word(type, TYPE_FLAGS);
    if (!(flags & TYPE_HAS_COLLECTOR))
        return PLAIN_TYPE_AT;
    return flags & python.layout.preheader ? MANAGED_TYPE_AT : COLLECTED_TYPE_AT;
}

static void remember(uint64_t type, uint32_t number, uint32_t at)
{
    *recent_slot(type) = (struct recent){type, number, at};
}

/* A type's number, where a word at `at` of a block may be one; HEAPTAP_GUEST_UNKNOWN if not. */
static __attribute__((noinline)) uint32_t look_up(struct heaptap_guest *guest, uint64_t word,
                                                  uint32_t at)
{
    const char *type = (const char *)(uintptr_t)word;
    const struct address_entry *entry = address_table_find(&known, word);
    uint32_t number, its_at;
    if (entry) {
        number = (uint32_t)entry->value;
        its_at = (uint32_t)(entry->value >> 32);
    } else {
        if (!is_type(type))
            return HEAPTAP_GUEST_UNKNOWN;
        its_at = place_in_block(type);
        number = heaptap_guest_type(guest, python_pointer(type, TYPE_NAME));
        if ((python_word(type, TYPE_FLAGS) & TYPE_IS_HEAP_TYPE && !watch_add(type, WATCHED_TYPE)) ||
            !address_table_add(&known, word, (uint64_t)its_at << 32 | number))
            return its_at == at ? number : HEAPTAP_GUEST_UNKNOWN;
    }
    remember(word, number, its_at);
    return its_at == at ? number : HEAPTAP_GUEST_UNKNOWN;
}

/* ---- Blocks ----------------------------------------------------------------------- */

static inline bool can_be_pointer(uint64_t word)
{
    return word >= 65536 && word >> 47 == 0 && (word & 7) == 0;
}

static inline uint32_t recent_number(uint64_t word, uint32_t at)
{
    const struct recent *slot = recent_slot(word);
    return slot->type == word && slot->at == at ? slot->number : HEAPTAP_GUEST_UNKNOWN;
}

/* Whether the word before the type can be a count of references. */
static inline bool is_count(uint64_t word)
{
    return word - 1 < UINT32_MAX;
}

static uint32_t search(struct heaptap_guest *guest, const char *block, size_t bytes)
{
    static const uint32_t places[] = {COLLECTED_TYPE_AT, PLAIN_TYPE_AT, MANAGED_TYPE_AT};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint32_t at = places[i];
        if (bytes < at + 8)
            continue;
        uint64_t word = python_word(block, at);
        if (!can_be_pointer(word) || !is_count(python_word(block, at - OBJECT_TYPE)))
            continue;
        uint32_t number = look_up(guest, word, at);
        if (number != HEAPTAP_GUEST_UNKNOWN)
            return number;
    }
    return types_internal(guest);
}

uint32_t types_of(struct heaptap_guest *guest, const char *block, size_t bytes)
{
    uint32_t number = HEAPTAP_GUEST_UNKNOWN;
    if (bytes >= COLLECTED_TYPE_AT + 8)
        number = recent_number(python_word(block, COLLECTED_TYPE_AT), COLLECTED_TYPE_AT);
    if (number == HEAPTAP_GUEST_UNKNOWN && bytes >= PLAIN_TYPE_AT + 8)
        number = recent_number(python_word(block, PLAIN_TYPE_AT), PLAIN_TYPE_AT);
    if (number == HEAPTAP_GUEST_UNKNOWN && bytes >= MANAGED_TYPE_AT + 8)
        number = recent_number(python_word(block, MANAGED_TYPE_AT), MANAGED_TYPE_AT);
    return number != HEAPTAP_GUEST_UNKNOWN ? number : search(guest, block, bytes);
}

static uint32_t internal;

uint32_t types_internal(struct heaptap_guest *guest)
{
    if (!internal)
        internal = heaptap_guest_type(guest, "(internal)");
    return internal;
}

void types_forget_all(void)
{
    address_table_clear(&known);
    memset(recent, 0, sizeof recent);
    internal = 0;
}

void types_forget(const char *type)
{
    uint64_t key = (uint64_t)(uintptr_t)type;
    address_table_remove(&known, key);
    *recent_slot(key) = (struct recent){0};
}
