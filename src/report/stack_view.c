#include "report/stack_view.h"

#include <stdlib.h>

/* Takes the edited stacks, of which NULL is none for want of memory. */
static bool init_edited(struct stack_view *view, size_t count, struct stack_edit *edit)
{
    uint32_t *ends = edit ? malloc((count + 1) * sizeof *ends) : NULL;
    if (!ends) {
        stack_edit_release(edit);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        ends[i] = edit->moved[i] == STACK_NONE ? STACK_NONE : edit->trie.ends[edit->moved[i]];
    *view = (struct stack_view){.trie = &edit->trie,
                                .ends = ends,
                                .frames = frame_edit_frames(&edit->edit),
                                .own_ends = ends,
                                .edit = edit};
    return true;
}

bool stack_view_init(struct stack_view *view, const struct model *model,
                     const struct filter *filter, struct stack_edits *edits)
{
    if (frame_edit_is_needed(filter))
        return init_edited(view, model->trie.stack_count, stack_edit_of(edits, model, filter));
    *view = (struct stack_view){
        .trie = &model->trie, .ends = model->trie.ends, .frames = model_frames(model)};
    return true;
}

bool stack_view_of(struct stack_view *view, const struct report *report)
{
    const struct selection *selection = &report->selection;
    return selection->edit
               ? init_edited(view, selection->stack_count, stack_edit_share(selection->edit))
               : stack_view_init(view, report->input.model, &report->filter, report->edits);
}

void stack_view_release(struct stack_view *view)
{
    stack_edit_release(view->edit);
    free(view->own_ends);
    *view = (struct stack_view){0};
}
