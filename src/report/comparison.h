/* Two selections side by side: one set of stacks, with what each selection has of them.  Reports
 * that read a profile are made twice, of `now` and of `before`; as both have the same stacks, a
 * call tree made of either has the same nodes with the same numbers.
 *
 * The selections may be of different models: texts are matched, not numbers. */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "base/names.h"
#include "profile/selection.h"
#include "report/source_twins.h"

struct comparison {
    struct stack_profile now;    /* stacks of both, tallies of the newer */
    struct stack_profile before; /* the same stacks, tallies of the base; its trie is now's */
    struct frame_source frames;  /* valid while the comparison stays where it is */

    /* For `frames`: those of `now` come first, then the base's. */
    const struct frame_source *sources[2];
    uint32_t split;                 /* number of the base's first frame */
    struct module_twins modules[2]; /* of both, as `sources` */
    struct source_twins files[2];   /* the same */
    struct names names;             /* of both, so that equal texts are one pointer */
    struct heaptap_location *locations;
    size_t location_capacity;
};

/* Both selections are borrowed.  False when there is no memory; then there is nothing to release.
 */
bool comparison_init(struct comparison *comparison, const struct selection *now,
                     const struct selection *before);
void comparison_release(struct comparison *comparison);

#endif
