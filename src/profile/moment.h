/* A part of an instance's time, in a profile that a store has made of many: its samples have labels that say which.
 *
 * Such a profile has the values that it would have without: a level, such as inuse_space, is averaged over all profiles of the
 * instance's set of labels.  The average of a part is what its samples add up to, times `scale`. */
#ifndef PROFILE_MOMENT_H
#define PROFILE_MOMENT_H

#include "profile/model.h"

enum { MOMENT_PARTS = 16, MOMENT_LABELS = 7 };

struct moment {
    const char *instance; /* its labels, as a store writes them: version="1.4",host="a" */
    const char *version;  /* the label of that name; "" for none */
    int64_t run;          /* of that instance: 0, 1, ...; a restart, or a gap, begins another */
    int64_t part;         /* 0 to MOMENT_PARTS - 1 */
    int64_t part_us;      /* how long it is */
    int64_t profiles, profiles_of_part;
};

/* Its labels, of which no text is empty, and how many there are; texts are borrowed. */
int moment_labels(const struct moment *moment, struct model_label labels[MOMENT_LABELS]);

/* The moment of a set of labels; false where it has none.  Texts are the model's. */
bool moment_of(struct moment *moment, const struct model *model, uint32_t label_set);

#endif
