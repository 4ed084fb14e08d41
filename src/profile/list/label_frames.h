/* Labels of a profile's samples as frames of their stacks: pprof's -tagroot and -tagleaf. */
#ifndef PROFILE_LIST_LABEL_FRAMES_H
#define PROFILE_LIST_LABEL_FRAMES_H

#include "profile/profile_file.h"

/* Which; NULL for none.  Keys are separated by commas. */
struct profile_label_frames {
    const char *roots;  /* the first becomes the outermost caller */
    const char *leaves; /* the last becomes the innermost function */
    const char *unit;   /* of numbers; NULL for the largest in which each is 1 at least */
};

/* Adds a frame per key to every sample, whose function is called as its label's value (values, with commas), in a "file" called as
 * the key; of a sample without that label the function has no name.  `*is_met` becomes whether some sample has one of the labels.
 * False when there is no memory; the profile is then only fit to be freed. */
bool profile_add_label_frames(struct model *model, const struct profile_label_frames *which,
                              bool *is_met);

#endif
