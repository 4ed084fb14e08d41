#include "cli/record/known_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/apart.h"
#include "pprof/read/profile.h"
#include "pprof/symbolize/symbolize.h"
#include "pprof/write/encode.h"

struct looking {
    struct model *model;
    const struct symbolizer_options *options;
    int64_t since_us;
    int fd; /* where the profile goes, with its names */
};

/* Of the process that it is done in: an enum heaptap_status. */
static int look_up(void *context)
{
    const struct looking *looking = context;
    struct symbolizer *symbolizer;
    size_t found;
    enum heaptap_status status = symbolizer_new(&symbolizer, looking->options, NULL);
    if (status != HEAPTAP_OK)
        return (int)status;
    bool done = symbolize_pprof(looking->model, symbolizer, looking->since_us, &found);
    symbolizer_free(symbolizer);
    if (!done)
        return HEAPTAP_NO_MEMORY;
    return pprof_encode(looking->model, heaptap_sink_fd(looking->fd)) == 0 ? HEAPTAP_OK
                                                                           : HEAPTAP_SYSTEM;
}

/* Puts the profile in `fd`, which it takes over, in the place of another. */
static enum heaptap_status read_back(struct model **model, int fd, struct heaptap_error *error)
{
    struct input *input;
    struct model *named;
    if (lseek(fd, 0, SEEK_SET) != 0) {
        close(fd);
        return error_system(error, "cannot read a profile again");
    }
    enum heaptap_status status = input_open_fd(&input, fd, error);
    if (status != HEAPTAP_OK)
        return status;
    status = pprof_read(&named, input, error);
    input_close(input);
    if (status != HEAPTAP_OK)
        return status;
    model_free(*model);
    *model = named;
    return HEAPTAP_OK;
}

static enum heaptap_status look_up_apart(struct model **model,
                                         const struct symbolizer_options *options, int64_t since_us,
                                         bool *left, struct heaptap_error *error)
{
    struct looking looking = {*model, options, since_us,
                              memfd_create("heaptap-names", MFD_CLOEXEC)};
    int status = HEAPTAP_OK;
    if (looking.fd < 0)
        return error_system(error, "cannot make a file in memory");
    *left = !apart_run(look_up, &looking, &status);
    if (!*left && status == HEAPTAP_OK)
        return read_back(model, looking.fd, error);
    close(looking.fd);
    if (*left)
        return HEAPTAP_OK;
    return status == HEAPTAP_NO_MEMORY ? error_no_memory(error)
                                       : error_set(error, status, "names cannot be looked up");
}

enum heaptap_status known_lines_give(struct known_lines *known, struct model **model,
                                     const struct symbolizer_options *options, bool *left,
                                     struct heaptap_error *error)
{
    size_t count;
    uint64_t *keys = known_places_keys(*model, false, &count);
    bool done = keys && known_places_give(&known->places, *model, keys, INT64_MAX, &count);
    if (known->since_us == 0)
        known->since_us = symbolize_pprof_time(*model);
    *left = false;
    enum heaptap_status status = !done ? HEAPTAP_NO_MEMORY
                                 : count > 0
                                     ? look_up_apart(model, options, known->since_us, left, error)
                                     : HEAPTAP_OK;
    if (status == HEAPTAP_OK && !*left)
        done = known_places_learn(&known->places, *model, keys);
    free(keys);
    return done ? status : error_no_memory(error);
}
