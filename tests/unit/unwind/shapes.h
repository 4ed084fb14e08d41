#ifndef TESTS_UNWIND_SHAPES_H
#define TESTS_UNWIND_SHAPES_H

#include <stdint.h>

/* Called from every shape; takes and checks a stack. */
void visit(void);

struct shapes {
    void (*all)(uint64_t n);           /* all shapes, with arguments and depths that depend on n */
    uint64_t (*recursive)(uint64_t n); /* n frames */
    void (*sorts)(uint64_t n);         /* from a callback of libc's qsort */
};

extern const struct shapes shapes_optimised, shapes_plain, shapes_realigned, shapes_framed;

/* exceptions.cc: visits from destructors while an exception is under way, from a handler, and
 * after. */
void throw_and_catch(int depth);

#endif
