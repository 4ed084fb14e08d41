/* Where glibc has what of a thread: it tells that to debuggers, by variables (nptl_db) that all programs can find since 2.34. */
#ifndef TAP_RECORD_THREAD_LAYOUT_H
#define TAP_RECORD_THREAD_LAYOUT_H

#include "tap/holders/thread_stacks.h"

/* Zeros where it isn't told.  It may allocate. */
struct thread_layout thread_layout_find(void);

#endif
