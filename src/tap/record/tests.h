/* Tests that the program says it runs (heaptap/test.h): each becomes a record in the trace. */
#ifndef TAP_RECORD_TESTS_H
#define TAP_RECORD_TESTS_H

/* In a fork's child: the test is its parent's. */
void tests_forked(void);

#endif
