#include "cli/filtered_groups.h"

#include "cli/cli.h"
#include "cli/model_input.h"
#include "cli/filtering.h"

static bool fail_memory(const struct trace_input *input, int *status)
{
    cli_warn("%s: out of memory", trace_input_subject(input));
    *status = CLI_FAILED;
    return false;
}

static bool choose(struct filtered_groups *filtered, const struct matcher *matcher,
                   const struct filter *filter)
{
    struct selection_options options = {.quantity = SELECT_ALLOCATED};
    if (!selection_init(&filtered->selection, matcher, filter, &options, NULL))
        return false;
    filtered->frames = filtered->selection.frames;
    if (block_choice(&filtered->groups, matcher, &filtered->selection))
        return true;
    block_groups_release(&filtered->groups);
    selection_release(&filtered->selection);
    return false;
}

bool filtered_groups_read(struct filtered_groups *filtered, struct trace_input *input,
                          const struct filter *filter, int *status)
{
    struct matcher matcher;
    const struct folded_question question = {.filters = &filter, .count = 1};
    *filtered = (struct filtered_groups){0};
    filtered->model = model_input_read(input, &question);
    if (!filtered->model) {
        *status = input->exit_status;
        return false;
    }
    bool done = filtering_match(&matcher, filtered->model, filter, status);
    if (done) {
        done = choose(filtered, &matcher, filter) || fail_memory(input, status);
        matcher_release(&matcher);
    }
    if (!done)
        model_free(filtered->model);
    else if (filtered->groups.count == 0 && filtered->model->objects.count > 0)
        filtering_note_empty(trace_input_subject(input));
    return done;
}

void filtered_groups_release(struct filtered_groups *filtered)
{
    block_groups_release(&filtered->groups);
    selection_release(&filtered->selection);
    model_free(filtered->model);
    *filtered = (struct filtered_groups){0};
}
