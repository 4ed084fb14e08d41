/* hide, show and show-from, as pprof does them, libraries and own: a frame loses the locations that a
 * clause is against, wherever it stands, and itself goes when none is left.  A frame that nothing
 * is known of has no location to lose: it goes by its module alone, and is not shown by `show`.
 *
 * Libraries go from the inner ends of stacks: first their locations from the inner ends of frames,
 * where others are left of the frame, then whole frames from the ends of stacks.  A stack of nothing
 * else stays.  What is a library's is for library.h to say, unless a clause of `own` says what is not. */
#include "profile/frame_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/clause_match.h"
#include "profile/filter_words.h"

static const struct filter_clause *find(const struct filter *filter, enum filter_word word)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == word)
            return &filter->clauses[i];
    return NULL;
}

static bool names_own(const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == FILTER_OWN && !filter->clauses[i].is_negated)
            return true;
    return false;
}

bool frame_edit_is_needed(const struct filter *filter)
{
    return filter_stages(filter) & STAGE_EDITS || filter->hides_libraries;
}

/* ---- Frames -------------------------------------------------------------------------- */

/* Does some clause of this word match the frame's module, or the location where there is one? */
static bool any_matches(const struct filter *filter, enum filter_word word,
                        const struct model *model, uint32_t frame,
                        const struct heaptap_location *location)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == word &&
            (location ? clause_matches_location(&filter->clauses[i], location)
                      : clause_matches_module(&filter->clauses[i], model, frame)))
            return true;
    return false;
}

/* What clauses make of one frame. */
struct frame_view {
    bool keeps_all; /* show: its module matches */
    bool is_hidden; /* hide: its module matches */
    bool has_show;
};

static bool keeps_line(const struct frame_view *view, const struct filter *filter,
                       const struct model *model, uint32_t frame,
                       const struct heaptap_location *line)
{
    return !any_matches(filter, FILTER_HIDE, model, frame, line) &&
           (!view->has_show || view->keeps_all ||
            any_matches(filter, FILTER_SHOW, model, frame, line));
}

/* The lines that are left of a frame go behind those that are there. */
static bool edit_frame(struct frame_edit *edit, const struct filter *filter, uint32_t frame)
{
    const struct model *model = edit->model;
    const struct model_frame *at = &model->frames[frame];
    struct frame_view view = {
        .keeps_all = any_matches(filter, FILTER_SHOW, model, frame, NULL),
        .is_hidden = any_matches(filter, FILTER_HIDE, model, frame, NULL),
        .has_show = find(filter, FILTER_SHOW),
    };
    edit->first[frame] = (uint32_t)edit->line_count;
    if (!ARRAY_RESERVE(&edit->lines, &edit->line_capacity, edit->line_count + at->line_count + 1))
        return false;
    for (uint32_t i = 0; !view.is_hidden && i < at->line_count; i++) {
        const struct heaptap_location *line = &model->lines[at->first_line + i];
        if (keeps_line(&view, filter, model, frame, line))
            edit->lines[edit->line_count++] = *line;
    }
    uint32_t count = (uint32_t)edit->line_count - edit->first[frame];
    bool is_bare = at->line_count == 0 && !view.is_hidden && (!view.has_show || view.keeps_all);
    edit->count[frame] = count > 0 || is_bare ? count : MODEL_NONE;
    return true;
}

/* Is the frame one from which stacks are shown?  Then it loses what is outside the match. */
static bool shows_from(struct frame_edit *edit, const struct filter_clause *clause, uint32_t frame)
{
    if (edit->count[frame] == MODEL_NONE)
        return false;
    if (clause_matches_module(clause, edit->model, frame))
        return true;
    for (uint32_t i = 0; i < edit->count[frame]; i++)
        if (clause_matches_location(clause, &edit->lines[edit->first[frame] + i])) {
            edit->first[frame] += i;
            edit->count[frame] -= i;
            return true;
        }
    return false;
}

/* ---- Libraries ----------------------------------------------------------------------- */

enum library_kind frame_edit_library_kind(const struct filter *filter, const struct model *model,
                                          const struct library_program *program, uint32_t frame,
                                          const struct heaptap_location *location)
{
    bool names_own = false, is_own = false;
    uint32_t module = model->frames[frame].module;
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        bool matches =
            clause->word == FILTER_OWN && (clause_matches_module(clause, model, frame) ||
                                           (location && clause_matches_location(clause, location)));
        if (matches && clause->is_negated)
            return LIBRARY_CODE;
        is_own |= matches;
        names_own |= clause->word == FILTER_OWN && !clause->is_negated;
    }
    if (names_own && !(location && library_is_type(location)))
        return is_own ? LIBRARY_NONE : LIBRARY_CODE;
    return library_kind_of(program, module == MODEL_NONE ? NULL : model->modules[module].path,
                           location);
}

/* Takes what is a library's off the inner end of a frame; one of nothing else keeps all.  That, or a
 * hidden frame, goes from the ends of stacks. */
static void trim(struct frame_edit *edit, const struct filter *filter, uint32_t frame)
{
    const struct heaptap_location *lines = edit->lines + edit->first[frame];
    uint32_t count = edit->count[frame], left = count;
    enum library_kind kind = LIBRARY_CODE, least = LIBRARY_CODE;
    if (count == MODEL_NONE) {
        edit->library.ends[frame] = LIBRARY_END_TYPE;
        return;
    }
    for (; left > 0 && kind != LIBRARY_NONE; left -= kind != LIBRARY_NONE) {
        kind =
            frame_edit_library_kind(filter, edit->model, &edit->program, frame, &lines[left - 1]);
        least = kind < least ? kind : least;
    }
    if (count == 0)
        least = frame_edit_library_kind(filter, edit->model, &edit->program, frame, NULL);
    bool is_type = count == 1 && library_is_type(lines);
    edit->library.inner[frame] = is_type ? 0 : count - left;
    edit->library.ends[frame] =
        is_type ? LIBRARY_END_TYPE : library_end_of(&edit->program, lines, count, least);
    if (left > 0)
        edit->count[frame] = left;
}

/* ---- Stacks -------------------------------------------------------------------------- */

/* Does every node stay what it is, and every stack, but for what libraries have of it? */
static bool keeps_nodes(const struct frame_edit *edit, const struct filter *filter)
{
    uint32_t frame = 0;
    while (frame < edit->model->frame_count && edit->count[frame] != MODEL_NONE)
        frame++;
    return frame == edit->model->frame_count && !find(filter, FILTER_SHOW_FROM) &&
           !find(filter, FILTER_SHOW);
}

/* Builds the trie of what is left.  `from`, by frame, NULL where stacks are shown from their
 * beginning. */
static bool edit_trie(const struct frame_edit *edit, const bool *from, struct stack_trie *trie,
                      uint32_t *of_node, bool *has_begun)
{
    const struct stack_trie *old = &edit->model->trie;
    of_node[STACK_ROOT] = STACK_ROOT;
    has_begun[STACK_ROOT] = !from;
    for (uint32_t node = 1; node < old->count; node++) {
        uint32_t frame = old->nodes[node].frame, parent = old->nodes[node].parent;
        has_begun[node] = has_begun[parent] || from[frame];
        bool is_left = has_begun[node] && edit->count[frame] != MODEL_NONE;
        of_node[node] = is_left ? stack_trie_child(trie, of_node[parent], frame) : of_node[parent];
        if (of_node[node] == STACK_NONE)
            return false;
    }
    return true;
}

/* Where each stack ends without libraries.  False when there is no memory. */
static bool find_outer_ends(struct frame_edit *edit)
{
    const struct stack_trie *old = &edit->model->trie;
    uint32_t *outer = malloc((old->stack_count + 1) * sizeof *outer);
    for (size_t i = 0; outer && i < old->stack_count; i++)
        outer[i] = library_outer_end(&edit->library, old, old->ends[i]);
    edit->library.outer = outer;
    return outer;
}

/* Where stacks end, of which all nodes stay. */
static void keep_stacks(const struct frame_edit *edit, uint32_t *ends)
{
    const struct stack_trie *old = &edit->model->trie;
    const uint32_t *ends_before = edit->library.outer ? edit->library.outer : old->ends;
    for (size_t i = 0; i < old->stack_count; i++)
        ends[i] = ends_before[i] == STACK_ROOT ? old->ends[i] : ends_before[i];
}

static bool edit_stacks(const struct frame_edit *edit, const struct filter *filter,
                        const bool *from, struct stack_trie *trie, uint32_t *ends)
{
    const struct stack_trie *old = &edit->model->trie;
    const uint32_t *outer = edit->library.outer;
    bool drops_empty = from || find(filter, FILTER_SHOW);
    uint32_t *of_node = malloc(old->count * sizeof *of_node);
    bool *has_begun = malloc(old->count);
    bool done = of_node && has_begun && edit_trie(edit, from, trie, of_node, has_begun);
    for (size_t i = 0; done && i < old->stack_count; i++) {
        uint32_t end = old->ends[i];
        uint32_t to = of_node[outer ? outer[i] : end];
        if (to == STACK_ROOT) /* what show-from leaves is a library's alone */
            to = of_node[end];
        bool is_gone = to == STACK_ROOT && (drops_empty || old->ends[i] != STACK_ROOT);
        ends[i] = is_gone ? STACK_NONE : to;
    }
    free(of_node);
    free(has_begun);
    return done;
}

bool frame_edit_init(struct frame_edit *edit, const struct model *model,
                     const struct filter *filter, struct stack_trie *trie, uint32_t *ends)
{
    const struct filter_clause *clause = find(filter, FILTER_SHOW_FROM);
    size_t frames = model->frame_count + 1;
    struct frame_source source = model_frames(model);
    *edit = (struct frame_edit){.model = model,
                                .program = library_program_of(&source),
                                .names_own = names_own(filter),
                                .first = malloc(frames * sizeof *edit->first),
                                .count = malloc(frames * sizeof *edit->count)};
    bool *from = clause ? calloc(frames, 1) : NULL;
    bool done = edit->first && edit->count && (from || !clause) &&
                (!filter->hides_libraries || library_ends_init(&edit->library, frames));
    for (uint32_t frame = 0; done && frame < model->frame_count; frame++)
        done = edit_frame(edit, filter, frame);
    for (uint32_t frame = 0; done && clause && frame < model->frame_count; frame++)
        from[frame] = shows_from(edit, clause, frame);
    for (uint32_t frame = 0; done && filter->hides_libraries && frame < model->frame_count; frame++)
        trim(edit, filter, frame);
    done = done && (!filter->hides_libraries || find_outer_ends(edit));
    edit->keeps_nodes = done && keeps_nodes(edit, filter);
    if (edit->keeps_nodes)
        keep_stacks(edit, ends);
    else
        done = done && edit_stacks(edit, filter, from, trie, ends);
    free(from);
    return done;
}

void frame_edit_release(struct frame_edit *edit)
{
    free(edit->first);
    free(edit->count);
    free(edit->lines);
    library_ends_release(&edit->library);
    *edit = (struct frame_edit){0};
}

/* ---- As reports ask for them --------------------------------------------------------- */

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    const struct frame_edit *edit = context;
    *count = edit->count[frame] == MODEL_NONE ? 0 : edit->count[frame];
    return *count > 0 ? edit->lines + edit->first[frame] : NULL;
}

/* With what a library has of them. */
static const struct heaptap_location *all_locations_of(void *context, uint32_t frame, size_t *count)
{
    const struct frame_edit *edit = context;
    const struct heaptap_location *locations = locations_of(context, frame, count);
    if (*count > 0 && edit->library.ends[frame] < LIBRARY_END_SHARED)
        *count += edit->library.inner[frame];
    return locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    const struct frame_edit *edit = context;
    return edit->model->frames[frame].code;
}

static const char *module_of(void *context, uint32_t frame)
{
    const struct frame_edit *edit = context;
    uint32_t module = edit->model->frames[frame].module;
    return module == MODEL_NONE ? NULL : edit->model->modules[module].path;
}

static const char *program_of(void *context, size_t number)
{
    const struct frame_edit *edit = context;
    return edit->model ? model_program_of(edit->model, number) : NULL;
}

const struct wrappers *frame_edit_wrappers(const struct frame_edit *edit)
{
    return edit->library.ends && !edit->names_own ? edit->program.wrappers : NULL;
}

struct frame_source frame_edit_frames(const struct frame_edit *edit)
{
    return (struct frame_source){.locations = locations_of,
                                 .code = code_of,
                                 .frame_count =
                                     edit->model ? (uint32_t)edit->model->frame_count : 0,
                                 .context = (void *)edit,
                                 .module = module_of,
                                 .program = edit->model ? model_program_path(edit->model) : NULL,
                                 .program_of = program_of,
                                 .tells_codes = edit->model && model_tells_codes(edit->model),
                                 .wrappers = edit->program.wrappers};
}

struct frame_source frame_edit_all_frames(const struct frame_edit *edit)
{
    struct frame_source frames = frame_edit_frames(edit);
    frames.locations = all_locations_of;
    return frames;
}
