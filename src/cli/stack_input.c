#include "cli/stack_input.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/trace_frames.h"
#include "cli/trace_open.h"
#include "import/file_format.h"
#include "pprof/read/merge.h"
#include "pprof/symbolize/symbolize.h"

struct pprof *stack_input_read_pprof(struct trace_input *input, struct input *file)
{
    struct heaptap_error error;
    struct pprof *pprof;
    if (file_format_read(&pprof, file, &error) == HEAPTAP_OK) {
        input->lacks_a_part |= pprof_lacks_a_part(pprof);
        return pprof;
    }
    input->exit_status = cli_fail(trace_input_subject(input), &error);
    return NULL;
}

struct pprof *stack_input_read_named(struct trace_input *input, struct input *file)
{
    struct pprof *pprof = stack_input_read_pprof(input, file);
    if (!pprof || symbolize_pprof_quietly(pprof))
        return pprof;
    cli_warn("%s: out of memory", trace_input_subject(input));
    input->exit_status = CLI_FAILED;
    pprof_free(pprof);
    return NULL;
}

/* One of several: without single blocks. */
static struct pprof *read_one(struct trace_input *input, const char *path)
{
    struct heaptap_reader_options how = {.only_allocations = true};
    struct input *file;
    if (!trace_input_open_any(input, path, &how, &file))
        return NULL;
    if (!file) {
        cli_warn(
            "%s: this is a trace; only profiles can be merged: `heaptap pprof` makes them from "
            "traces",
            trace_input_subject(input));
        trace_input_close(input);
        input->exit_status = CLI_USAGE;
        return NULL;
    }
    struct pprof *pprof = stack_input_read_named(input, file);
    input_close(file);
    return pprof;
}

static bool merge_one(struct pprof *pprof, struct trace_input *input, const char *path)
{
    struct trace_input other;
    struct heaptap_error error;
    struct pprof *from = read_one(&other, path);
    bool done = from && pprof_merge(pprof, from, &error) == HEAPTAP_OK;
    input->lacks_a_part |= other.lacks_a_part;
    if (!done)
        input->exit_status =
            from ? cli_fail(trace_input_subject(&other), &error) : other.exit_status;
    pprof_free(from);
    return done;
}

struct pprof *stack_input_read_many(struct trace_input *input, const char *path,
                                    const char *const *more, size_t more_count)
{
    struct pprof *pprof = read_one(input, path);
    for (size_t i = 0; pprof && i < more_count; i++) {
        if (!merge_one(pprof, input, more[i])) {
            pprof_free(pprof);
            pprof = NULL;
        }
    }
    return pprof;
}

/* The index of the sample type that is meant; -1 with a message. */
static long choose_type(struct stack_input *input, const char *name)
{
    const struct pprof *pprof = input->pprof;
    char known[256] = "";
    long found = name ? pprof_find_type(pprof, name) : (long)pprof->default_type;
    if (found >= 0)
        return found;
    for (size_t i = 0, size = 0; i < pprof->type_count && size < sizeof known; i++)
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s", i > 0 ? ", " : "",
                                 pprof->types[i].name);
    cli_warn("%s: there is no sample type '%s'; there are: %s", trace_input_subject(&input->trace),
             name, known);
    input->trace.exit_status = CLI_USAGE;
    return -1;
}

static bool open_pprof(struct stack_input *input, struct input *file, const char *sample_type,
                       bool named)
{
    input->pprof = named ? stack_input_read_named(&input->trace, file)
                         : stack_input_read_pprof(&input->trace, file);
    input_close(file);
    long type = input->pprof ? choose_type(input, sample_type) : -1;
    if (type >= 0 && pprof_stacks(&input->profile, input->pprof, (size_t)type)) {
        input->frames = pprof_frames(input->pprof);
        return true;
    }
    if (type >= 0) {
        cli_warn("%s: out of memory", trace_input_subject(&input->trace));
        input->trace.exit_status = CLI_FAILED;
    }
    pprof_free(input->pprof);
    return false;
}

static bool open_trace(struct stack_input *input, const char *sample_type)
{
    if (sample_type) {
        cli_warn("%s: this is a trace; only pprof profiles have sample types",
                 trace_input_subject(&input->trace));
        input->trace.exit_status = CLI_USAGE;
    } else if (trace_read_stacks(&input->trace, &input->profile)) {
        input->info = heaptap_reader_info(input->trace.reader);
        input->frames = trace_frames(&input->trace);
        return true;
    }
    trace_input_close(&input->trace);
    return false;
}

bool stack_input_open(struct stack_input *input, const char *path, const char *sample_type,
                      bool named)
{
    struct input *other;
    struct heaptap_reader_options how = {.only_allocations = true};
    *input = (struct stack_input){0};
    if (!trace_input_open_any(&input->trace, path, &how, &other))
        return false;
    return other ? open_pprof(input, other, sample_type, named) : open_trace(input, sample_type);
}

void stack_input_close(struct stack_input *input)
{
    stack_profile_release(&input->profile);
    pprof_free(input->pprof);
    trace_input_close(&input->trace);
}
