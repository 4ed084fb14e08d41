/* Python's classes, by their sources, and what their objects have room for besides attributes. */
#ifndef REPORT_ADVICE_PYTHON_CLASS_H
#define REPORT_ADVICE_PYTHON_CLASS_H

#include "report/sites/evidence.h"

/* Of objects whose attributes lie in them, as since CPython 3.13: the bytes of one beyond what slots would take.  0 where the type of the blocks is
 * no such class of the same file, or its source is not at hand. */
double python_room_beside_slots(const struct evidence *evidence);

#endif
