/* What heaptap adds to profiles in the JSON of other tools, which have no word for it and pass over it: without it, a file
 * that is read back would say less than it was made of, or something else.
 *
 *     "heaptap": {"sample": "alloc_space", "unit": "bytes", "complete": false} */
#ifndef SPEC_OWN_MEMBER_H
#define SPEC_OWN_MEMBER_H

#define OWN_MEMBER "heaptap"
#define OWN_MEMBER_SAMPLE                                                                          \
    "sample"                   /* what the values are, where the format has one for each stack */
#define OWN_MEMBER_UNIT "unit" /* theirs */
#define OWN_MEMBER_COMPLETE "complete" /* does it have all that the program did? */

#endif
