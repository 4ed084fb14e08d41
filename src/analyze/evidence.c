/* The place of an origin is the innermost location of its stack that is not a library's: what lies below are the calls
 * through which it allocates. */
#include "analyze/evidence.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Locations of a stack, from its inner end ------------------------------------------ */

struct walk {
    const struct model *model;
    uint32_t node;
    size_t left; /* locations of the node's frame that are still to come */
};

static struct walk walk_of(const struct model *model, uint32_t stack)
{
    uint32_t node = model->trie.ends[stack];
    size_t left = node == STACK_ROOT ? 0 : model->frames[model->trie.nodes[node].frame].line_count;
    return (struct walk){model, node, left};
}

/* NULL at the outer end, and at a frame of which nothing is known, unless that is one of OCaml's runtime. */
static const struct heaptap_location *walk_next(struct walk *walk)
{
    const struct model *model = walk->model;
    while (walk->node != STACK_ROOT && walk->left == 0) {
        walk->node = model->trie.nodes[walk->node].parent;
        if (walk->node != STACK_ROOT)
            walk->left = model->frames[model->trie.nodes[walk->node].frame].line_count;
        if (walk->left == 0 && model->info.word_bits == 8)
            return NULL;
    }
    if (walk->node == STACK_ROOT)
        return NULL;
    const struct model_frame *frame = &model->frames[model->trie.nodes[walk->node].frame];
    return &model->lines[frame->first_line + --walk->left];
}

/* Strings are interned, so that their addresses tell them apart. */
static uint64_t mixed(uint64_t key, const struct heaptap_location *location)
{
    uint64_t parts[] = {(uint64_t)(uintptr_t)location->function,
                        (uint64_t)(uintptr_t)location->file, location->line, location->start_char,
                        location->end_char};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = (key ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (key >> 29);
    return key;
}

static bool is_library(const struct filter *filter, const struct library_program *program,
                       const struct walk *walk, const struct heaptap_location *location)
{
    return frame_edit_library_kind(filter, walk->model, program,
                                   walk->model->trie.nodes[walk->node].frame,
                                   location) != LIBRARY_NONE;
}

uint64_t origin_key(const struct model *model, const struct filter *filter,
                    const struct library_program *program, uint32_t stack)
{
    struct walk walk = walk_of(model, stack);
    uint64_t key = 1;
    const struct heaptap_location *location, *last = NULL;
    while ((location = walk_next(&walk))) {
        if (!last || location->function != last->function) /* recursion is one call */
            key = mixed(key, location);
        if (!is_library(filter, program, &walk, location))
            break;
        last = location;
    }
    return key;
}

/* ---- What is known of it ---------------------------------------------------------------- */

static enum evidence_language language_of(const char *file)
{
    static const struct {
        const char *end;
        enum evidence_language language;
    } ends[] = {
        {".ml", LANGUAGE_OCAML},  {".c", LANGUAGE_CPP},   {".cc", LANGUAGE_CPP},
        {".cpp", LANGUAGE_CPP},   {".cxx", LANGUAGE_CPP}, {".h", LANGUAGE_CPP},
        {".hh", LANGUAGE_CPP},    {".hpp", LANGUAGE_CPP}, {".C", LANGUAGE_CPP},
        {".py", LANGUAGE_PYTHON}, {".lua", LANGUAGE_LUA},
    };
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i].end) == 0)
            return ends[i].language;
    return LANGUAGE_OTHER;
}

static void add_call(struct evidence *evidence, const char *function)
{
    size_t count = evidence->call_count;
    if (count > 0 && evidence->calls[0] == function)
        return;
    memmove(evidence->calls + 1, evidence->calls,
            (count < EVIDENCE_CALLS ? count : EVIDENCE_CALLS - 1) * sizeof *evidence->calls);
    evidence->calls[0] = function;
    evidence->call_count += count < EVIDENCE_CALLS;
}

static void find_place(struct evidence *evidence, uint32_t stack)
{
    struct walk walk = walk_of(evidence->sites->model, stack);
    const struct heaptap_location *location;
    while ((location = walk_next(&walk)) &&
           is_library(evidence->sites->filter, &evidence->sites->program, &walk, location))
        if (library_is_type(location))
            evidence->type = location->function;
        else
            add_call(evidence, location->function);
    evidence->place = location;
}

static void find_text(struct evidence *evidence, const struct evidence_sources *sources)
{
    const struct heaptap_location *place = evidence->place;
    const char *line = place->line > 0 && *place->file
                           ? sources->line(sources->context, place->file, (uint32_t)place->line)
                           : NULL;
    if (!line)
        return;
    size_t length = strlen(line), start = place->start_char, end = place->end_char;
    evidence->line = line;
    if (end > start && start < length)
        snprintf(evidence->expression, sizeof evidence->expression, "%.*s",
                 (int)((end < length ? end : length) - start < EVIDENCE_TEXT_BYTES
                           ? (end < length ? end : length) - start
                           : EVIDENCE_TEXT_BYTES),
                 line + start);
}

struct evidence evidence_of(const struct sites *sites, const struct origin *origin,
                            const struct evidence_sources *sources)
{
    struct evidence evidence = {
        .sites = sites, .figures = &origin->figures, .type = "", .line = ""};
    find_place(&evidence, origin->stack);
    if (evidence.place) {
        evidence.language = language_of(evidence.place->file);
        if (sources)
            find_text(&evidence, sources);
    }
    return evidence;
}

/* ---- For rules ----------------------------------------------------------------------- */

bool evidence_has_call(const struct evidence *evidence, const char *part)
{
    for (size_t i = 0; i < evidence->call_count; i++)
        if (strstr(evidence->calls[i], part))
            return true;
    return false;
}

bool evidence_has_call_of(const struct evidence *evidence, const char *const *parts)
{
    while (*parts && !evidence_has_call(evidence, *parts))
        parts++;
    return *parts;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if (!(at > text && is_letter(at[-1]) && is_letter(word[0])) &&
            !(is_letter(word[length - 1]) && is_letter(at[length])))
            return true;
    return false;
}

bool evidence_names(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (has_word(text, *words))
            return true;
    return false;
}

double evidence_young(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    double young = figures->quick_bytes, ended = figures->bytes;
    if (evidence->sites->model->info.word_bits >
        8) { /* OCaml: what is alive in its minor heap may still die there */
        young = figures->young_bytes;
        ended = young + figures->promoted_bytes;
    }
    return young > 0 ? young / ended : 0;
}

double evidence_alike(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return figures->objects > 0 ? figures->common_objects / figures->objects : 0;
}

double evidence_replaced(const struct evidence *evidence)
{
    return evidence->figures->replaced_bytes;
}

double evidence_block_bytes(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    return figures->objects > 0 ? figures->bytes / figures->objects : 0;
}

bool evidence_grows(const struct evidence *evidence)
{
    static const double least = 1.5;
    return (double)evidence->figures->largest_bytes >= least * evidence_block_bytes(evidence);
}
