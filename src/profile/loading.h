/* Which blocks a program has since it loads code: made by the machinery of Python's imports and of the dynamic linker, and by what they
 * run in modules and libraries.  A module is loaded once, so that such blocks stay, come one after the other as long as modules are
 * imported, and yet are no leak.
 *
 * A stack loads code if a frame of a loader is in it and no function of the program's own below that: a class or a
 * cache that a module fills by calling its own functions may be one. */
#ifndef PROFILE_LOADING_H
#define PROFILE_LOADING_H

#include "profile/library_program.h"
#include "profile/stack_trie.h"

/* By node of a trie; NULL in *nodes where no frame is a loader's.  The caller frees it.  False when there is no memory. */
bool loading_nodes(bool **nodes, const struct frame_source *source, const struct stack_trie *trie);

#endif
