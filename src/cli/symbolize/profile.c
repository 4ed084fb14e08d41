#include <string.h>

#include "cli/cli.h"
#include "cli/pprof_output.h"
#include "cli/symbolize/parts.h"
#include "cli/symbolize/pprof.h"
#include "import/any_profile.h"
#include "import/jemalloc.h"
#include "import/pprof_encode.h"

static int encode(const void *pprof, struct heaptap_sink sink)
{
    return pprof_encode(pprof, sink);
}

/* A profile in which nothing was found is not replaced. */
static int write_profile(const struct source *source, const struct symbolize_options *options,
                         const struct pprof *pprof, size_t found)
{
    const char *output = symbolize_output(options, source);
    if (!output && !source_is_file(source))
        return CLI_USAGE;
    if (!output && found == 0 && !options->only_rewrite)
        return CLI_DONE;
    return pprof_output_write(output ? output : source->path, OUTPUT_GZIP_QUICK, encode, pprof);
}

/* Whether it is one that has no place for names: they can only go into another file. */
static bool is_jemalloc(struct input *input)
{
    uint8_t bytes[INPUT_PEEK_BYTES];
    size_t got;
    return input_peek(input, bytes, &got, NULL) == HEAPTAP_OK &&
           jemalloc_looks_like_one(bytes, got);
}

int symbolize_profile(const struct source *source, const struct symbolize_options *options,
                      struct symbolizer *symbolizer, struct input *input)
{
    struct heaptap_error error;
    struct pprof *pprof;
    size_t found = 0;
    int status = CLI_FAILED;
    if (!options->output && is_jemalloc(input)) {
        input_close(input);
        cli_warn("%s: this is jemalloc's profile, which has no place for names: name a pprof "
                 "profile to be written with -o",
                 source->path);
        return CLI_USAGE;
    }
    enum heaptap_status read = any_profile_read(&pprof, input, &error);
    input_close(input);
    if (read != HEAPTAP_OK)
        return cli_fail(source_name(source), &error);
    if (!options->only_rewrite && !symbolize_pprof(pprof, symbolizer, &found))
        cli_warn("%s: out of memory", source->path);
    else
        status = write_profile(source, options, pprof, found);
    pprof_free(pprof);
    return status;
}
