#include "cli/copy_blocks.h"

#include "base/id_table.h"

/* A block that is kept, in the new trace. */
struct kept_block {
    uint64_t id;
    uint16_t domain; /* that allocated it */
};

/* Promotion or end of a block.  Readers that take packets as they come refuse it before the block's birth, which may wait
 * in another domain's packet. */
static void follow(struct trace_output *output, const struct kept_block *block,
                   const struct heaptap_event *event)
{
    if (block->domain != event->domain)
        trace_output_flush(output, block->domain);
    if (event->kind == HEAPTAP_PROMOTE)
        trace_output_promote(output, event->domain, block->id, event->time_us);
    else
        trace_output_collect(output, event->domain, block->id, event->time_us);
}

/* False when there is no memory. */
static bool copy_block(struct trace_output *output, struct id_table *kept,
                       const struct heaptap_event *event)
{
    bool fresh;
    struct kept_block *block = id_table_put(kept, event->id, &fresh);
    if (!block)
        return false;
    *block = (struct kept_block){
        trace_output_alloc(output, event->domain, TRACE_OUTPUT_NEXT_ID, event, true),
        event->domain};
    return true;
}

/* False when there is no memory. */
static bool copy_events(struct trace_input *input, struct trace_output *output,
                        const struct copy_choice *choice)
{
    struct id_table kept; /* id -> struct kept_block */
    struct heaptap_event event;
    bool enough = true;
    id_table_init(&kept, sizeof(struct kept_block));
    while (enough && trace_input_next(input, &event)) {
        trace_output_see(output, &event);
        if (event.kind == HEAPTAP_ALLOC) {
            if (choice)
                event.samples = choice->samples_left(choice->context, &event);
            enough = event.samples == 0 || copy_block(output, &kept, &event);
            continue;
        }
        const struct kept_block *block = id_table_find(&kept, event.id);
        if (block)
            follow(output, block, &event);
        if (block && event.kind == HEAPTAP_COLLECT)
            id_table_remove(&kept, event.id);
    }
    id_table_release(&kept);
    return enough;
}

void copy_blocks(struct trace_input *input, const struct trace_output_options *where,
                 const struct copy_choice *choice)
{
    struct trace_output *output;
    if (!trace_output_open(&output, where, input, &input->exit_status))
        return;
    if (!copy_events(input, output, choice))
        trace_output_out_of_memory(output);
    trace_output_copy_metadata(output, input->reader);
    if (choice)
        choice->tell(choice->context, output, input->reader);
    trace_output_close(output, &input->exit_status);
}
