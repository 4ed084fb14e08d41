/* What usually helps in OCaml, where blocks cost no allocator's header and need no pool, but every boxed value is one. */
#include "analyze/advice.h"

const char *const advice_of_ocaml[ADVICE_RULES] = {
    [ADVICE_SHORT_LIVED] =
        "Let the compiler see that the value goes no further: no closure, tuple, option or list that is taken apart at "
        "once. In a loop, `let rec go i acc = ...` allocates nothing where `List.iter (fun x -> ...)` makes a closure.",
    [ADVICE_DOUBLING] =
        "Reserve the final size at once: `Buffer.create 65536`, `Hashtbl.create 1000`.",
    [ADVICE_SMALL_STEPS] =
        "Each `a ^ b`, `a @ b` or `Array.append a b` copies what is there: collect in a Buffer, or in a list that is "
        "reversed at the end.",
    [ADVICE_MANY_SMALL] =
        "Each block is its fields and a header of one word: put what belongs together into one record, use constant "
        "constructors or an int in place of a tuple or option, or an array, `floatarray` or Bytes in place of a list.",
    [ADVICE_PROMOTED_DEAD] =
        "A larger minor heap lets them die before they are promoted: try `OCAMLRUNPARAM=s=1M`, and record again. Or "
        "drop them earlier.",
    [ADVICE_BOXED_INTEGERS] =
        "Use int where 63 bits are enough: `Bytes.get_uint16_le b i` is no block, `Bytes.get_int32_le b i` may be one. "
        "Keep int32 and int64 out of records, lists and options, and local to one function, where they stay unboxed.",
};
