#include "tap/guest/python/weak_words.h"

#include "tap/guest/python/interpreter.h"

enum {
    TYPE_WEAK_LIST = 208,
    STRING_STATE = 32,
    LINK_BYTES = 8,
    LINK_FLAGS = 3, /* lowest bits of links, which are the collector's */
};

enum { WEAK_TYPES = 3 };

#define TYPE_IS_STRING ((uint64_t)1 << 28)

static struct {
    int (*is_subtype)(const void *type, const void *of);
    const char *types[WEAK_TYPES];
} known;

bool weak_words_find(void)
{
    static const char *const names[WEAK_TYPES] = {"_PyWeakref_RefType", "_PyWeakref_ProxyType",
                                                  "_PyWeakref_CallableProxyType"};
    for (int i = 0; i < WEAK_TYPES; i++)
        if (!python_find_symbol(&known.types[i], names[i]))
            return false;
    return python_find_symbol(&known.is_subtype, "PyType_IsSubtype");
}

/* Does a link of a collector's head lead to another that leads back? */
static bool leads_back(uint64_t head, uint64_t link, uint64_t back)
{
    uint64_t other = python_word((const char *)(uintptr_t)head, link) & ~(uint64_t)LINK_FLAGS;
    const char *at = (const char *)(uintptr_t)other;
    return python_readable(at, COLLECTOR_HEAD) &&
           (python_word(at, back) & ~(uint64_t)LINK_FLAGS) == head;
}

static bool is_listed(uint64_t head)
{
    return leads_back(head, 0, LINK_BYTES) && leads_back(head, LINK_BYTES, 0);
}

bool weak_words_points_aside(uint64_t word, uint64_t block)
{
    for (uint64_t head = block; head <= block + PREHEADER; head += PREHEADER)
        if (is_listed(head))
            return word != head + COLLECTOR_HEAD;
    return false;
}

struct weak_words weak_words_of(const char *type)
{
    struct weak_words words = {.list = (int64_t)python_word(type, TYPE_WEAK_LIST)};
    for (int i = 0; i < WEAK_TYPES; i++)
        if (known.is_subtype(type, known.types[i]))
            words.end = python_word(known.types[i], TYPE_BASIC_SIZE);
    if (python_word(type, TYPE_FLAGS) & TYPE_IS_STRING)
        words.state = STRING_STATE;
    return words;
}
