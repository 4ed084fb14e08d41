/* The codes under which the native recorder writes addresses.
 *
 * A code is the address itself, except in modules that were loaded after others had been unloaded:
 * their addresses may have been those of other code before, so bits 48 to 62 hold how many modules
 * were gone when the module came: its epoch. */
#ifndef BASE_CODE_H
#define BASE_CODE_H

#include <stddef.h>
#include <stdint.h>

enum { CODE_EPOCH_SHIFT = 48, CODE_EPOCH_MOST = 0x7fff };

static inline uint64_t code_address(uint64_t code)
{
    return code & ((UINT64_C(1) << CODE_EPOCH_SHIFT) - 1);
}

static inline uint64_t code_epoch(uint64_t code)
{
    return code >> CODE_EPOCH_SHIFT;
}

/* Whether a code is in a module.  Traces of earlier recorders have 0 for every module's epoch. */
enum code_fit { CODE_OUTSIDE, CODE_OTHER_EPOCH, CODE_INSIDE };

static inline enum code_fit code_fit(uint64_t code, uint64_t start, uint64_t size, uint64_t epoch)
{
    if (code_address(code) - start >= size)
        return CODE_OUTSIDE;
    return code_epoch(code) == epoch ? CODE_INSIDE : CODE_OTHER_EPOCH;
}

/* Of `count` modules, the index of that which holds a code best by `fit`, an expression of the index `at`; where that cannot be
 * told of several, the last.  `count` for none. */
#define CODE_MODULE(at, count, fit)                                                                \
    __extension__({                                                                                \
        size_t code_found = (count);                                                               \
        enum code_fit code_best = CODE_OUTSIDE;                                                    \
        for (size_t at = (count); at-- > 0 && code_best != CODE_INSIDE;) {                         \
            enum code_fit code_this = (fit);                                                       \
            code_found = code_this > code_best ? at : code_found;                                  \
            code_best = code_this > code_best ? code_this : code_best;                             \
        }                                                                                          \
        code_found;                                                                                \
    })

#endif
