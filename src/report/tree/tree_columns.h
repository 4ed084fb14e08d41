/* A call tree as a page draws it: its calls and its symbols, column by column. */
#ifndef REPORT_TREE_TREE_COLUMNS_H
#define REPORT_TREE_TREE_COLUMNS_H

#include "report/tree/branches.h"
#include "answer/answer.h"

extern const struct answer_table tree_calls_table; /* is it told?  Then the next says it */

/* Says "symbols", whose rows are functions as the tree has them, and "calls", in preorder without the root, each with the number of its
 * symbol.  `source` is that of the branches.  False when there is no memory. */
bool tree_put_columns(struct answer *answer, struct branches *branches,
                      const struct frame_source *source, bool no_inlines, bool has_base);

#endif
