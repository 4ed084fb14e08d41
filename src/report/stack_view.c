#include "report/stack_view.h"

#include <stdlib.h>

static bool init_edited(struct stack_view *view, const struct model *model,
                        const struct filter *filter)
{
    view->own_ends = malloc((model->trie.stack_count + 1) * sizeof *view->own_ends);
    if (!view->own_ends || !stack_trie_init(&view->own_trie)) {
        free(view->own_ends);
        return false;
    }
    bool done = frame_edit_init(&view->edit, model, filter, &view->own_trie, view->own_ends);
    view->trie = &view->own_trie;
    view->ends = view->own_ends;
    view->frames = frame_edit_frames(&view->edit);
    if (!done)
        stack_view_release(view);
    return done;
}

bool stack_view_init(struct stack_view *view, const struct model *model,
                     const struct filter *filter)
{
    *view = (struct stack_view){0};
    if (frame_edit_is_needed(filter))
        return init_edited(view, model, filter);
    view->trie = &model->trie;
    view->ends = model->trie.ends;
    view->frames = model_frames(model);
    return true;
}

void stack_view_release(struct stack_view *view)
{
    if (view->own_ends) {
        frame_edit_release(&view->edit);
        stack_trie_release(&view->own_trie);
        free(view->own_ends);
    }
    *view = (struct stack_view){0};
}
