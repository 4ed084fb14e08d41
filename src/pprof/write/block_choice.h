/* Block groups of what a filter leaves of a model. */
#ifndef PPROF_WRITE_BLOCK_CHOICE_H
#define PPROF_WRITE_BLOCK_CHOICE_H

#include "pprof/write/block_groups.h"
#include "profile/selection.h"

/* Fills `groups` with the objects that pass, on the stacks that they have in the selection, with
 * what counts of their lives.  Their trie is the selection's, borrowed.  False when there is no
 * memory; release the groups in either case. */
bool block_choice(struct block_groups *groups, const struct matcher *matcher,
                  const struct selection *selection);

#endif
