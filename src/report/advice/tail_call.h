/* Lines that a tail call has taken from a stack: of `let digits text = ... |> Seq.fold_left ( + ) 0` OCaml's stack has the line
 * where `digits` is applied, and below that what Seq does. */
#ifndef REPORT_ADVICE_TAIL_CALL_H
#define REPORT_ADVICE_TAIL_CALL_H

#include "report/sites/evidence.h"

/* The line at which the text names the library function that the place is said to call, where the place's own text doesn't: within a
 * function that it is given, or that it applies and that the same file defines.  0 where there is none. */
size_t tail_call_line(const struct evidence *evidence, const struct evidence_sources *sources);

#endif
