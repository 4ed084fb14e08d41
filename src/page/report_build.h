/* The tree of a report's stacks while it is built: selections are added one by one, then what is light is left out. */
#ifndef PAGE_REPORT_BUILD_H
#define PAGE_REPORT_BUILD_H

#include "page/report_stacks.h"
#include "profile/library_symbols.h"

/* What ends at a node. */
struct report_answer {
    uint32_t node;
    double samples; /* or the value, of a profile */
    double density;
};

struct report_side {
    struct report_answer *entries;
    size_t count, capacity;
    struct estimate estimate;
};

struct report_weighing {
    struct report_side now, before;
    double shortened;
};

struct report_build {
    const struct viewer_state *state;
    const struct report_choice *choices;
    size_t count;
    bool has_objects;
    struct names names; /* of both files, so that equal texts are one pointer */
    struct symbols symbols;
    struct stack_trie tree;
    struct report_weighing *weighings;
    uint32_t left_out_symbol;
    const char **modules; /* by symbol: of code of which no more is known than that; else NULL */
    size_t module_count, module_capacity;
    struct library_symbols libraries;  /* by symbol */
    const struct frame_source *source; /* of the selection at hand */
    struct heaptap_location *locations;
    size_t location_capacity;
    uint64_t left_out;
};

/* Everything is borrowed.  False when there is no memory, as with those below; release it in either case. */
bool report_build_init(struct report_build *build, const struct viewer_state *state,
                       const struct report_choice *choices, size_t count);
void report_build_release(struct report_build *build);

/* What selection `number` of the choices weighs. */
bool report_build_add(struct report_build *build, size_t number);

/* Leaves `nodes` of the tree, the heaviest. */
bool report_build_finish(struct report_build *build, uint32_t nodes);

#endif
