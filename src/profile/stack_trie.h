/* Call stacks as a trie: each node is a frame and the node of its caller, so that stacks share
 * their outer parts.  Nodes and stacks are numbered densely, in the order in which they were first
 * met; a caller's number is below its callees'.  A stack's number is what the rest of a profile
 * keeps of it: values by stack are plain arrays (profile/stack_profile.h), which a filter can fill
 * anew. */
#ifndef PROFILE_STACK_TRIE_H
#define PROFILE_STACK_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"

#define STACK_NONE UINT32_MAX

enum { STACK_ROOT = 0 }; /* the node of the empty stack */

struct stack_node {
    uint32_t parent; /* node of the caller; of the root, itself */
    uint32_t frame;  /* its number, as events give it; of the root, STACK_NONE */
};

/* What a node is found by, and what ends at it. */
struct stack_link {
    uint32_t frame;   /* of the node, once more: whoever looks for a child reads links alone */
    uint32_t child;   /* first of the chain of its children; 0 for none */
    uint32_t sibling; /* the next child of its parent in its chain; 0 for none */
    uint32_t stack;   /* number of the stack that ends here, or STACK_NONE */
};

struct stack_trie {
    struct stack_node *nodes;
    struct stack_link
        *links; /* by node; NULL where nothing is looked up: a trie that is only appended
                                 to, or finished */
    size_t count, capacity;
    uint32_t *ends; /* by stack number: the node at which it ends */
    size_t stack_count, stack_capacity;
    uint32_t *slots; /* a hash table, by parent and frame, of the children that their parent's chain
                        has no room for: mask + 1 of them, 0 for empty */
    size_t mask, slots_used;
    bool is_in_order; /* its nodes are numbered depth first, and its stacks by their nodes */
};

/* False when there is no memory; then there is nothing to release. */
bool stack_trie_init(struct stack_trie *trie);
void stack_trie_release(struct stack_trie *trie);

/* Nothing will be looked up or added any more: frees what only that needs, two thirds of a trie. */
void stack_trie_finish(struct stack_trie *trie);

/* The same for a trie that takes stacks in order, as sorting leaves them: whoever fills it knows
 * which nodes are there already, so that none is ever looked for, and a node takes 8 bytes instead
 * of 24.  Only stack_trie_append and stack_trie_append_stack may add to it.  It has to come out as
 * is_in_order says. */
bool stack_trie_init_appended(struct stack_trie *trie);

/* Gives a trie without links a new node, which must not be there yet; STACK_NONE when there is no
 * memory. */
uint32_t stack_trie_append(struct stack_trie *trie, uint32_t parent, uint32_t frame);

/* Gives `node` of such a trie, where no stack has ended yet, the next stack number; STACK_NONE when
 * there is no memory. */
uint32_t stack_trie_append_stack(struct stack_trie *trie, uint32_t node);

/* The slow path of stack_trie_child: the child is not the first of its chain. */
uint32_t stack_trie_find_or_add(struct stack_trie *trie, uint32_t parent, uint32_t frame);

/* The child of `parent` for `frame`, made if it is new; STACK_NONE when there is no memory. */
static inline uint32_t stack_trie_child(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
    uint32_t first = trie->links[parent].child; /* 0 for none: the root, whose frame is none */
    return trie->links[first].frame == frame ? first : stack_trie_find_or_add(trie, parent, frame);
}

/* A child that is known to be new, for which nothing is looked up: of a copy of a trie, whose nodes are not looked for later.
 * STACK_NONE when there is no memory. */
uint32_t stack_trie_add(struct stack_trie *trie, uint32_t parent, uint32_t frame);

/* The child of `parent` for `frame`; STACK_NONE where there is none. */
uint32_t stack_trie_find(const struct stack_trie *trie, uint32_t parent, uint32_t frame);

/* Gives `node`, where no stack has ended yet, the next stack number; STACK_NONE when there is no
 * memory. */
uint32_t stack_trie_add_stack(struct stack_trie *trie, uint32_t node);

/* The number of the stack that ends at `node`, given if it is new; STACK_NONE when there is no
 * memory. */
static inline uint32_t stack_trie_stack(struct stack_trie *trie, uint32_t node)
{
    uint32_t stack = trie->links[node].stack;
    return stack != STACK_NONE ? stack : stack_trie_add_stack(trie, node);
}

/* Where each domain stands in the trie: events tell how much of a domain's previous stack is kept,
 * so that an event costs no more than its new frames. */
struct stack_path {
    uint32_t *nodes; /* [i]: the node of the first i frames of the last stack */
    size_t capacity;
    uint32_t valid; /* frames of it that are still those of the last stack */
};

/* Zeroed, no domain stands anywhere. */
struct stack_paths {
    struct stack_path *domains; /* by number */
    size_t count;
    size_t capacity;
};

void stack_paths_release(struct stack_paths *paths);

/* The node at which the stack of an allocation ends; STACK_NONE when there is no memory.  To be
 * called for each allocation of a reader, in order. */
uint32_t stack_paths_follow(struct stack_paths *paths, struct stack_trie *trie,
                            const struct heaptap_event *event);

#endif
