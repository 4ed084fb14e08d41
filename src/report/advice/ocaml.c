/* OCaml, where each boxed value is a block, and most blocks have a few words.  Its compiler says from which characters of
 * the source a block comes, so that the text tells a closure from a tuple; without the text, names of functions of Stdlib
 * and sizes remain.
 *
 * Remedies are those that help without flambda, as the compilers of Debian and opam are built: there [@inline] spares the box of a
 * float that is returned, and no tuple, option or closure. */
#include "report/advice/rules.h"

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
};
