#include "cli/record/known_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/apart.h"
#include "pprof/symbolize/symbolize.h"
#include "pprof/write/encode.h"

/* A copy with strings of `names`. */
static bool copy_lines(struct names *names, struct heaptap_location *to,
                       const struct heaptap_location *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].file = names_intern(names, from[i].file, strlen(from[i].file));
        to[i].function = names_intern(names, from[i].function, strlen(from[i].function));
        if (!to[i].file || !to[i].function)
            return false;
    }
    return true;
}

static void mark_mapping(struct pprof *pprof, uint32_t index)
{
    if (index == PPROF_NONE)
        return;
    struct pprof_mapping *mapping = &pprof->mappings[index];
    mapping->has_functions = mapping->has_files = mapping->has_lines = mapping->has_inlines = true;
}

static bool give(const struct known_lines *known, struct pprof *pprof, size_t at)
{
    const struct known_location *from = &known->locations[at];
    struct pprof_location *location = &pprof->locations[at];
    if (!ARRAY_RESERVE(&pprof->lines, &pprof->line_capacity, pprof->line_count + from->line_count))
        return false;
    location->first_line = (uint32_t)pprof->line_count;
    location->line_count = from->line_count;
    pprof->line_count += from->line_count;
    mark_mapping(pprof, location->mapping);
    return copy_lines(&pprof->names, &pprof->lines[location->first_line],
                      &known->lines[from->first_line], from->line_count);
}

static bool learn(struct known_lines *known, const struct pprof *pprof, size_t at)
{
    const struct pprof_location *from = &pprof->locations[at];
    if (!ARRAY_RESERVE(&known->locations, &known->capacity, at + 1) ||
        !ARRAY_RESERVE(&known->lines, &known->line_capacity, known->line_count + from->line_count))
        return false;
    known->locations[at] =
        (struct known_location){from->address, (uint32_t)known->line_count, from->line_count};
    known->count = at + 1;
    known->line_count += from->line_count;
    return copy_lines(&known->names, &known->lines[known->locations[at].first_line],
                      &pprof->lines[from->first_line], from->line_count);
}

struct looking {
    struct pprof *pprof;
    const struct symbolizer_options *options;
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
    bool done = symbolize_pprof(looking->pprof, symbolizer, &found);
    symbolizer_free(symbolizer);
    if (!done)
        return HEAPTAP_NO_MEMORY;
    return pprof_encode(looking->pprof, heaptap_sink_fd(looking->fd)) == 0 ? HEAPTAP_OK
                                                                           : HEAPTAP_SYSTEM;
}

/* Puts the profile in `fd`, which it takes over, in the place of another. */
static enum heaptap_status read_back(struct pprof **pprof, int fd, struct heaptap_error *error)
{
    struct input *input;
    struct pprof *named;
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
    pprof_free(*pprof);
    *pprof = named;
    return HEAPTAP_OK;
}

static enum heaptap_status look_up_apart(struct pprof **pprof,
                                         const struct symbolizer_options *options, bool *left,
                                         struct heaptap_error *error)
{
    struct looking looking = {*pprof, options, memfd_create("heaptap-names", MFD_CLOEXEC)};
    int status = HEAPTAP_OK;
    if (looking.fd < 0)
        return error_system(error, "cannot make a file in memory");
    *left = !apart_run(look_up, &looking, &status);
    if (!*left && status == HEAPTAP_OK)
        return read_back(pprof, looking.fd, error);
    close(looking.fd);
    if (*left)
        return HEAPTAP_OK;
    return status == HEAPTAP_NO_MEMORY ? error_no_memory(error)
                                       : error_set(error, status, "names cannot be looked up");
}

static bool gives_known(struct known_lines *known, struct pprof *pprof, size_t *at)
{
    while (*at < known->count && *at < pprof->location_count &&
           known->locations[*at].address == pprof->locations[*at].address)
        if (!give(known, pprof, (*at)++))
            return false;
    return true;
}

enum heaptap_status known_lines_give(struct known_lines *known, struct pprof **pprof,
                                     const struct symbolizer_options *options, bool *left,
                                     struct heaptap_error *error)
{
    size_t at = 0;
    *left = false;
    if (!gives_known(known, *pprof, &at))
        return error_no_memory(error);
    known->count = at; /* what is behind is of another process */
    if (at == (*pprof)->location_count)
        return HEAPTAP_OK;
    enum heaptap_status status = look_up_apart(pprof, options, left, error);
    for (; status == HEAPTAP_OK && !*left && at < (*pprof)->location_count; at++)
        if (!learn(known, *pprof, at))
            status = error_no_memory(error);
    return status;
}

void known_lines_release(struct known_lines *known)
{
    free(known->locations);
    free(known->lines);
    names_release(&known->names);
    *known = (struct known_lines){0};
}
