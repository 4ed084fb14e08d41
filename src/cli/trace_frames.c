#include "cli/trace_frames.h"

#include "cli/cli.h"

static const struct heaptap_location *locations_of(void *reader, uint32_t frame, size_t *count)
{
    return heaptap_reader_frame_locations(reader, frame, count);
}

static uint64_t code_of(void *reader, uint32_t frame)
{
    return heaptap_reader_frame_code(reader, frame);
}

struct frame_source trace_frames(const struct trace_input *input)
{
    return (struct frame_source){locations_of, code_of, heaptap_reader_frame_count(input->reader),
                                 input->reader};
}

bool trace_read_stacks(struct trace_input *input, struct stack_profile *profile)
{
    struct heaptap_event event;
    bool done = stack_profile_init(profile, heaptap_reader_info(input->reader));
    while (done && trace_input_next(input, &event))
        done = event.kind != HEAPTAP_ALLOC || stack_profile_add(profile, &event);
    if (!done) {
        cli_warn("%s: out of memory", trace_input_subject(input));
        input->exit_status = CLI_FAILED;
        stack_profile_release(profile);
        return false;
    }
    stack_profile_finish(profile);
    return true;
}
