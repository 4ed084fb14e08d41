/* A profile that is open: a file, which is read when its model is asked for (cli/pprof_input.h), or what was chosen of a store. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "profile/model.h"
#include "trace/input.h"

struct profile_input {
    struct input *file;  /* NULL: a store, or nothing */
    struct model *model; /* of a store, until it is asked for */
};

static inline bool profile_input_is_open(const struct profile_input *profile)
{
    return profile->file || profile->model;
}

static inline void profile_input_close(struct profile_input *profile)
{
    input_close(profile->file);
    model_free(profile->model);
    *profile = (struct profile_input){0};
}

#endif
