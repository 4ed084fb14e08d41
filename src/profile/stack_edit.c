#include "profile/stack_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/filter_words.h"

/* The clauses that matter to what is left of stacks; malloc'ed.  NULL when there is no memory. */
static char *clauses_of(const struct filter *filter)
{
    struct text text = {0};
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        if (!(filter_word_info(clause->word)->stage & (STAGE_EDITS | STAGE_ENDS)))
            continue;
        text_put(&text, filter->text + clause->offset, clause->length);
        text_put_char(&text, ' ');
    }
    return text_take(&text);
}

/* Makes stacks of the trie of the nodes at which they end. */
static bool number_ends(struct stack_edit *edit, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (edit->moved[i] == STACK_NONE)
            continue;
        edit->moved[i] = stack_trie_stack(&edit->trie, edit->moved[i]);
        if (edit->moved[i] == STACK_NONE)
            return false;
    }
    return true;
}

/* The same of a trie of the model's nodes. */
static bool borrow_nodes(struct stack_edit *edit, const struct stack_trie *model)
{
    struct stack_trie *trie = &edit->trie;
    uint32_t *stack_at = malloc(model->count * sizeof *stack_at); /* by node */
    uint32_t *ends = malloc((model->stack_count + 1) * sizeof *ends);
    stack_trie_release(trie);
    *trie = (struct stack_trie){.nodes = model->nodes,
                                .count = model->count,
                                .capacity = model->count,
                                .ends = ends,
                                .stack_capacity = model->stack_count + 1};
    edit->borrows_nodes = true;
    if (stack_at)
        memset(stack_at, 0xff, model->count * sizeof *stack_at);
    for (size_t i = 0; stack_at && ends && i < model->stack_count; i++) {
        uint32_t *stack = &stack_at[edit->moved[i]];
        if (*stack == STACK_NONE) {
            *stack = (uint32_t)trie->stack_count++;
            ends[*stack] = edit->moved[i];
        }
        edit->moved[i] = *stack;
    }
    bool done = stack_at && ends;
    free(stack_at);
    return done;
}

/* Takes the clauses, also when it fails. */
static struct stack_edit *make(const struct model *model, const struct filter *filter,
                               char *clauses)
{
    struct stack_edit *edit = calloc(1, sizeof *edit);
    size_t count = model->trie.stack_count;
    if (!edit || !stack_trie_init(&edit->trie)) {
        free(edit);
        free(clauses);
        return NULL;
    }
    edit->users = 1;
    edit->clauses = clauses;
    edit->hides_libraries = filter->hides_libraries;
    edit->moved = malloc((count + 1) * sizeof *edit->moved);
    if (edit->moved && frame_edit_init(&edit->edit, model, filter, &edit->trie, edit->moved) &&
        (edit->edit.keeps_nodes ? borrow_nodes(edit, &model->trie) : number_ends(edit, count))) {
        if (!edit->borrows_nodes)
            stack_trie_finish(&edit->trie);
        return edit;
    }
    stack_edit_release(edit);
    return NULL;
}

struct stack_edit *stack_edit_share(struct stack_edit *edit)
{
    edit->users++;
    return edit;
}

void stack_edit_release(struct stack_edit *edit)
{
    if (!edit || --edit->users > 0)
        return;
    frame_edit_release(&edit->edit);
    if (edit->borrows_nodes)
        edit->trie.nodes = NULL;
    stack_trie_release(&edit->trie);
    free(edit->moved);
    free(edit->clauses);
    free(edit);
}

/* ---- Those kept ---------------------------------------------------------------------- */

static bool is_of(const struct stack_edit *edit, const struct filter *filter, const char *clauses)
{
    return edit && edit->hides_libraries == filter->hides_libraries &&
           strcmp(edit->clauses, clauses) == 0;
}

/* Makes the item of the number the first. */
static void move_to_front(struct stack_edits *kept, size_t number)
{
    struct stack_edit *edit = kept->items[number];
    memmove(kept->items + 1, kept->items, number * sizeof *kept->items);
    kept->items[0] = edit;
}

/* In the place of that not asked for the longest. */
static void keep(struct stack_edits *kept, struct stack_edit *edit)
{
    stack_edit_release(kept->items[STACK_EDITS_KEPT - 1]);
    kept->items[STACK_EDITS_KEPT - 1] = stack_edit_share(edit);
    move_to_front(kept, STACK_EDITS_KEPT - 1);
}

struct stack_edit *stack_edit_of(struct stack_edits *kept, const struct model *model,
                                 const struct filter *filter)
{
    char *clauses = clauses_of(filter);
    for (size_t i = 0; kept && clauses && i < STACK_EDITS_KEPT; i++)
        if (is_of(kept->items[i], filter, clauses)) {
            free(clauses);
            move_to_front(kept, i);
            return stack_edit_share(kept->items[0]);
        }
    struct stack_edit *edit = clauses ? make(model, filter, clauses) : NULL;
    if (kept && edit)
        keep(kept, edit);
    return edit;
}

void stack_edits_release(struct stack_edits *kept)
{
    for (size_t i = 0; i < STACK_EDITS_KEPT; i++)
        stack_edit_release(kept->items[i]);
    *kept = (struct stack_edits){0};
}
