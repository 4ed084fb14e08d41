#include "cli/model_input.h"

#include "cli/cli.h"
#include "cli/stack_input.h"
#include "import/pprof_model.h"
#include "profile/model_trace.h"

static bool fail_memory(struct trace_input *input)
{
    cli_warn("%s: out of memory", trace_input_subject(input));
    input->exit_status = CLI_FAILED;
    return false;
}

static bool make_model(struct model_input *input, struct pprof *pprof)
{
    if (!pprof)
        return false;
    input->model = pprof_model(pprof);
    pprof_free(pprof);
    return input->model || fail_memory(&input->trace);
}

static bool open_pprof(struct model_input *input, struct input *file)
{
    struct pprof *pprof = stack_input_read_named(&input->trace, file);
    input_close(file);
    return make_model(input, pprof);
}

static bool open_trace(struct model_input *input, const struct model_watch *watch)
{
    enum heaptap_status status =
        model_read_watched(&input->model, input->trace.reader, watch, &input->trace.error);
    input->trace.quiet = watch && watch->is_quiet;
    if (status != HEAPTAP_OK && input->trace.quiet)
        input->trace.exit_status = CLI_BAD_INPUT;
    else if (status != HEAPTAP_OK)
        trace_input_end(&input->trace, status);
    trace_input_close(&input->trace);
    return input->model;
}

bool model_input_open(struct model_input *input, const char *path)
{
    return model_input_open_watched(input, path, NULL);
}

bool model_input_open_many(struct model_input *input, const char *path, const char *const *more,
                           size_t more_count)
{
    if (more_count == 0)
        return model_input_open(input, path);
    *input = (struct model_input){0};
    return make_model(input, stack_input_read_many(&input->trace, path, more, more_count));
}

bool model_input_open_watched(struct model_input *input, const char *path,
                              const struct model_watch *watch)
{
    struct input *other;
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    *input = (struct model_input){0};
    if (!trace_input_open_any(&input->trace, path, &how, &other))
        return false;
    return other ? open_pprof(input, other) : open_trace(input, watch);
}

bool model_input_open_other(struct model_input *input, const struct trace_input *trace,
                            struct input *file)
{
    *input = (struct model_input){.trace = *trace};
    return open_pprof(input, file);
}

void model_input_close(struct model_input *input)
{
    model_free(input->model);
    input->model = NULL;
}
