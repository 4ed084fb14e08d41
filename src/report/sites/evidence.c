/* The place of an origin is the innermost location of its stack that is not a library's: what lies below are the calls
 * through which it allocates. */
#include "report/sites/evidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "report/sites/name_letter.h"

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

/* C++'s constructors, "Row::Row" and "Row<int>::Row", and functions called clone. */
static bool is_maker(const char *function)
{
    size_t length = strcspn(function, "(");
    const char *name = function + length;
    while (name > function && is_name_letter(name[-1]))
        name--;
    size_t size = (size_t)(function + length - name);
    if (name - function < 2 || name[-1] != ':' || name[-2] != ':')
        return size == 5 && memcmp(name, "clone", 5) == 0;
    const char *type = name - 2;
    int depth = 0;
    for (; type > function && (depth > 0 || type[-1] == '>'); type--)
        depth += (type[-1] == '>') - (type[-1] == '<');
    bool is_constructor = (size_t)(type - function) >= size &&
                          memcmp(type - size, name, size) == 0 &&
                          (type - size == function || type[-(ptrdiff_t)size - 1] == ':');
    return is_constructor || (size == 5 && memcmp(name, "clone", 5) == 0);
}

/* The same of a line that is met often, where `kinds` are kept: each is of one frame. */
static bool is_known_library(const struct origin_lines *lines, const struct walk *walk,
                             const struct heaptap_location *location)
{
    if (!lines->kinds)
        return is_library(lines->filter, lines->program, walk, location);
    uint8_t *kind = &lines->kinds[location - lines->model->lines];
    if (*kind == 0)
        *kind = 1 + is_library(lines->filter, lines->program, walk, location);
    return *kind > 1;
}

/* Whom a constructor or clone() that the walk is at makes an object for: the next that is neither one nor a library's; NULL for none. */
static const struct heaptap_location *behind_makers(const struct origin_lines *lines,
                                                    struct walk *walk)
{
    const struct heaptap_location *location;
    do
        location = walk_next(walk);
    while (location && (is_maker(location->function) || is_known_library(lines, walk, location)));
    return location;
}

uint64_t origin_key(const struct origin_lines *lines, uint32_t stack)
{
    struct walk walk = walk_of(lines->model, stack);
    uint64_t key = 1;
    const struct heaptap_location *location, *last = NULL;
    while ((location = walk_next(&walk))) {
        if (!last || location->function != last->function) /* recursion is one call */
            key = mixed(key, location);
        if (!is_known_library(lines, &walk, location))
            break;
        last = location;
    }
    if (location && is_maker(location->function)) {
        location = behind_makers(lines, &walk);
        key = location ? mixed(key, location) : key;
    }
    return key;
}

/* ---- What is known of it ---------------------------------------------------------------- */

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
    const struct sites *sites = evidence->sites;
    const struct origin_lines lines = {sites->model, sites->filter, &sites->program, NULL};
    struct walk walk = walk_of(sites->model, stack);
    const struct heaptap_location *location;
    while ((location = walk_next(&walk)) && is_known_library(&lines, &walk, location))
        if (library_is_type(location))
            evidence->type = location->function;
        else
            add_call(evidence, location->function);
    evidence->place = location;
    evidence->is_maker = location && is_maker(location->function);
    evidence->caller = !location            ? NULL
                       : evidence->is_maker ? behind_makers(&lines, &walk)
                                            : walk_next(&walk);
}

/* Copies the end of `length` bytes as far as it fits, on one line. */
static void copy_end(char *out, size_t size, const char *text, size_t length)
{
    size_t skipped = length >= size ? length - size + 1 : 0;
    size_t count = length - skipped;
    memcpy(out, text + skipped, count);
    out[count] = 0;
    for (char *at = out; (at = strchr(at, '\n'));)
        *at = ' ';
}

/* The beginning of them. */
static void copy_start(char *out, size_t size, const char *text, size_t length)
{
    copy_end(out, size, text, length < size ? length : size - 1);
}

enum { LINES_BEFORE = 6, LINES_AFTER = 30, WINDOW_BYTES = 8192 };

/* The characters of a place in a text; its line, where they are not known. */
struct cut {
    size_t line, line_end, start, end;
    bool has_columns;
};

static struct cut cut_of(const struct heaptap_location *place, const char *text, size_t line)
{
    size_t length = strlen(text);
    struct cut cut = {.line = line, .line_end = line + strcspn(text + line, "\n")};
    cut.has_columns = place->end_char > place->start_char && line + place->start_char < length;
    cut.start = cut.has_columns ? line + place->start_char : line;
    cut.end = cut.has_columns ? line + place->end_char : cut.line_end;
    cut.end = cut.end < length ? cut.end : length;
    return cut;
}

/* The code around a location's line, which begins at `*line`; false where it is not at hand. */
static bool read_code(const struct heaptap_location *place, const struct evidence_sources *sources,
                      char *text, size_t *line)
{
    struct source_file file;
    size_t number = place->line > 0 ? (size_t)place->line : 0;
    if (number == 0 || !*place->file || !sources->file(sources->context, place->file, &file) ||
        number > file.count)
        return false;
    *line = source_code(text, WINDOW_BYTES, &file, source_language_of(place->file),
                        number > LINES_BEFORE ? number - LINES_BEFORE : 1, number,
                        number + LINES_AFTER);
    return true;
}

static void note_breaks(struct evidence *evidence, const char *text, size_t length)
{
    for (size_t i = 0; i < length && evidence->break_count < EVIDENCE_BREAKS; i++)
        if (text[i] == '\n')
            evidence->breaks[evidence->break_count++] = (uint16_t)i;
}

size_t evidence_line_at(const struct evidence *evidence, const char *at)
{
    size_t line = (size_t)evidence->place->line, offset = (size_t)(at - evidence->expression);
    for (size_t i = 0; i < evidence->break_count && evidence->breaks[i] < offset; i++)
        line++;
    return line;
}

/* Where what follows begins; OCaml's attributes of what ends here, `[@@inline never]`, belong to it. */
static size_t next_of(const char *text, size_t end)
{
    size_t next = end + strspn(text + end, " \n)");
    if (strncmp(text + next, "[@@", 3) != 0)
        return next;
    next += strcspn(text + next, "]");
    return next + strspn(text + next, "] \n");
}

static void cut_text(struct evidence *evidence, const char *text, const struct cut *cut)
{
    size_t length = strlen(text), next = next_of(text, cut->end);
    copy_start(evidence->code, sizeof evidence->code, text + cut->line, cut->line_end - cut->line);
    copy_end(evidence->before, sizeof evidence->before, text, cut->start);
    copy_start(evidence->after, sizeof evidence->after, text + cut->end, length - cut->end);
    if (cut->has_columns) {
        copy_start(evidence->expression, sizeof evidence->expression, text + cut->start,
                   cut->end - cut->start);
        note_breaks(evidence, text + cut->start, cut->end - cut->start);
    }
    evidence->ends_item = next >= length || (next > 0 && text[next - 1] == '\n');
}

const char *evidence_line(const struct evidence_sources *sources, const char *file, size_t number)
{
    struct source_file source;
    return sources && number > 0 && sources->file(sources->context, file, &source) &&
                   number <= source.count
               ? source.lines[number - 1]
               : "";
}

static void find_text(struct evidence *evidence, const struct evidence_sources *sources)
{
    char text[WINDOW_BYTES];
    size_t line;
    const struct heaptap_location *place = evidence->place, *caller = evidence->caller;
    if (!read_code(place, sources, text, &line))
        return;
    struct cut cut = cut_of(place, text, line);
    evidence->line = evidence_line(sources, place->file, (size_t)place->line);
    cut_text(evidence, text, &cut);
    if (caller && read_code(caller, sources, text, &line)) {
        cut = cut_of(caller, text, line);
        copy_start(evidence->caller_expression, sizeof evidence->caller_expression,
                   text + cut.start, cut.end - cut.start);
    }
}

struct evidence evidence_of(const struct sites *sites, const struct origin *origin,
                            const struct evidence_sources *sources)
{
    struct evidence evidence = {.sites = sites,
                                .figures = &origin->figures,
                                .sources = sources,
                                .stack = origin->stack,
                                .type = "",
                                .line = ""};
    find_place(&evidence, origin->stack);
    if (evidence.place) {
        evidence.language = source_language_of(evidence.place->file);
        if (sources)
            find_text(&evidence, sources);
    }
    return evidence;
}

/* ---- For rules ----------------------------------------------------------------------- */

size_t evidence_callers(const struct evidence *evidence, const struct heaptap_location **callers,
                        size_t most)
{
    struct walk walk = walk_of(evidence->sites->model, evidence->stack);
    const struct heaptap_location *location;
    size_t count = 0;
    while (count < most && (location = walk_next(&walk)))
        if (count > 0 || location == evidence->place)
            callers[count++] = location;
    return count;
}

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

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if (!(at > text && is_name_letter(at[-1]) && is_name_letter(word[0])) &&
            !(is_name_letter(word[length - 1]) && is_name_letter(at[length])))
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

bool evidence_is_type(const struct evidence *evidence, const char *const *types)
{
    while (*types && strcmp(evidence->type, *types) != 0)
        types++;
    return *types;
}

bool evidence_replaces(const struct evidence *evidence)
{
    static const uint64_t least = 8;
    static const double part = 0.5;
    const struct site *figures = evidence->figures;
    return figures->small_steps + figures->doublings >= least &&
           figures->stepped_bytes + figures->doubled_bytes >= part * figures->bytes;
}

/* Do the first characters of a text name what makes a block larger, `realloc(` or `GROW(`? */
static bool names_resizing(const char *text, size_t length)
{
    static const char *const words[] = {"realloc", "grow", "resize", "expand", "extend"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (strncasecmp(text + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

static bool calls_resizing(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->call_count; i++)
        if (names_resizing(evidence->calls[i], strlen(evidence->calls[i])))
            return true;
    return false;
}

bool evidence_is_resized(const struct evidence *evidence)
{
    static const double part = 0.5;
    const struct site *figures = evidence->figures;
    return figures->overlapped_bytes >= part * (figures->doubled_bytes + figures->stepped_bytes) ||
           calls_resizing(evidence) || names_resizing(evidence->code, strlen(evidence->code)) ||
           (*evidence->code && !strchr(evidence->code, ';') &&
            names_resizing(evidence->after, strcspn(evidence->after, ";"))) ||
           (evidence->place &&
            names_resizing(evidence->place->function, strlen(evidence->place->function)));
}

bool evidence_may_be_resized(const struct evidence *evidence)
{
    return evidence->language != LANGUAGE_CPP || !*evidence->code || evidence_is_resized(evidence);
}

/* Lua makes a piece, such as a number's text, between the steps of a string, which then seem to replace pieces: bytes that are kept all the same,
 * the last string and the pieces.  0 where pairs are of steps; blocks of two sizes in turn are no steps. */
static double kept_with_pieces(const struct site *figures)
{
    static const double piece = 0.125, largest_least = 1.5;
    double grown = figures->doubled_bytes + figures->stepped_bytes;
    double largest = (double)figures->largest_bytes;
    double pieces = (double)figures->common_bytes * figures->common_objects;
    double others = figures->objects - figures->common_objects;
    bool is_piece = figures->replaced_bytes < piece * grown &&
                    (double)figures->common_bytes < piece * largest && others > 0;
    return is_piece && largest * others >= largest_least * (figures->bytes - pieces)
               ? largest + pieces
               : 0;
}

double evidence_unreplaced(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    double grown = figures->doubled_bytes + figures->stepped_bytes;
    double kept = evidence->language == LANGUAGE_LUA ? kept_with_pieces(figures) : 0;
    if (kept > 0)
        return kept;
    double most = grown > 0 ? figures->replaced_bytes / grown * figures->bytes : 0;
    return figures->bytes - fmin(figures->weighed_bytes, most);
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
