/* A program's own wrappers of allocators, known by their shape rather than by their names: nearly all of what comes through
 * such a function goes straight on to an allocator, from one or two places in it, for many callers and in blocks of many
 * sizes.  xmalloc, a string's append and an array's grow are such functions; a constructor, whose blocks are of one size or of
 * a few, is none, and neither is a parser, which allocates in many places.
 *
 * The numbers, chosen on programs whose wrappers are known (docs/recording.md):
 *
 *   direct     90 % of the blocks that come through the function (a collector may run within ruby's xmalloc)
 *   places     2 lines (addresses where no lines are known) at most
 *   callers    8 functions at least
 *   sizes      6 classes, a quarter of a power of two wide, at least, of which the largest is 16 times the smallest
 *
 * A wrapper that is found is an allocator for the others, so that wrappers of wrappers are found, too.  Only native code is
 * looked at: what a guest language or a garbage collector's allocates has no allocator in its stacks. */
#ifndef PROFILE_WRAPPERS_H
#define PROFILE_WRAPPERS_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"
#include "profile/wrapper_set.h"

/* What comes by a stack. */
struct wrapper_use {
    double blocks; /* how many, in any unit; 0 where it isn't known */
    double size;   /* of a block, in any unit; the mean where they differ */
};

/* Finds the wrappers among the functions of a trie, by what comes by each of its stacks.  The set is empty before.  False when
 * there is no memory; release it in either case. */
bool wrappers_find(struct wrappers *wrappers, const struct stack_trie *trie,
                   const struct wrapper_use *uses, const struct frame_source *source);

#endif
