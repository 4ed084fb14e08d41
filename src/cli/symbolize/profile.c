#include <string.h>

#include "cli/cli.h"
#include "cli/pprof_output.h"
#include "cli/symbolize/parts.h"
#include "format/import/file_format.h"
#include "pprof/symbolize/symbolize.h"
#include "pprof/write/encode.h"

static int encode(const void *model, struct heaptap_sink sink)
{
    return pprof_encode(model, sink);
}

/* A profile in which nothing was found is not replaced. */
static int write_profile(const struct source *source, const struct symbolize_options *options,
                         const struct model *model, size_t found)
{
    const char *output = source_output(source, options->output);
    if (!output && !source_is_file(source))
        return CLI_USAGE;
    if (!output && found == 0 && !options->only_rewrite)
        return CLI_DONE;
    return pprof_output_replace(output ? output : source->path, OUTPUT_GZIP_QUICK, encode, model);
}

int symbolize_profile(const struct source *source, const struct symbolize_options *options,
                      struct input *input)
{
    struct heaptap_error error;
    const struct file_format *format;
    struct model *model;
    size_t found = 0;
    int status = CLI_FAILED;
    enum heaptap_status read = file_format_find(&format, input, &error);
    if (read == HEAPTAP_OK && !options->output && format && format->lacks_names) {
        input_close(input);
        cli_warn("%s: a %s profile has no place for names: name a pprof profile to be written "
                 "with -o",
                 source->path, format->name);
        return CLI_USAGE;
    }
    if (read == HEAPTAP_OK)
        read = file_format_read(&model, input, &error);
    input_close(input);
    if (read != HEAPTAP_OK)
        return cli_fail(source_name(source), &error);
    if (!options->only_rewrite &&
        !symbolize_pprof(model, options->symbolizer, symbolize_pprof_time(model), &found))
        cli_warn("%s: out of memory", source->path);
    else
        status = write_profile(source, options, model, found);
    model_free(model);
    return status;
}
