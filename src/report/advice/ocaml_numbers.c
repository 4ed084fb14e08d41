/* OCaml: numbers in boxes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "report/advice/cause.h"
#include "report/advice/ocaml_text.h"
#include "report/sites/name_letter.h"

/* Is a function or file called after a boxed integer? */
static bool names_integer(const char *text)
{
    static const char *const words[] = {"int32", "int64", "nativeint"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

/* A box has a pointer to its operations and the number. */
static bool is_boxed_integer(const struct evidence *evidence)
{
    static const char *const texts[] = {
        "Int32.",       "Int64.",       "Nativeint.",   "int32",     "int64", "get_int32_be",
        "get_int32_le", "get_int64_be", "get_int64_le", "nativeint", NULL};
    const char *innermost = evidence->call_count > 0 ? evidence->calls[evidence->call_count - 1]
                                                     : evidence->place->function;
    const char *file = evidence->call_count > 0 ? "" : evidence->place->file, *last;
    if (names_integer(innermost) || names_integer(file))
        return true;
    return ocaml_words(evidence) == 2 && evidence_names(evidence->expression, texts) &&
           ocaml_commas(evidence->expression) == 0 &&
           ocaml_count_outside(evidence->expression, "::", &last) == 0;
}

static bool has_float(const char *text)
{
    static const char *const words[] = {
        "+.",   "-.",  "*.",  "/.",  "**",  "float_of_int", "Float.",          "float",
        "sqrt", "exp", "log", "sin", "cos", "atan2",        "float_of_string", NULL};
    return evidence_names(text, words);
}

/* An element, a field or what a reference holds: a block of one word from that is a float's box. */
static bool is_read(const char *text)
{
    size_t length = strspn(text, "!" NAME_LETTERS "'.");
    return islower((unsigned char)text[*text == '!']) && (!text[length] || text[length] == '(') &&
           (text[length] != '(' || text[length - 1] == '.') &&
           (*text == '!' || memchr(text, '.', length));
}

static bool is_float(const struct evidence *evidence)
{
    static const char *const others[] = {"ref", "lazy", "fun", "function", NULL};
    const char *text = ocaml_inner(evidence);
    return !ocaml_is_constructor(evidence) && !ocaml_begins_with(evidence, others) &&
           !strchr("[{", *text) && (has_float(text) || is_read(text));
}

/* Does the text compare by a function for any type? */
static bool compares(const char *text)
{
    static const char *const words[] = {"compare", "max", "min", NULL};
    static const char *const typed[] = {"Float.compare", "Float.max", "Float.min", NULL};
    return evidence_names(text, words) && !evidence_names(text, typed);
}

static bool is_compared_float(const struct evidence *evidence)
{
    bool is_kept =
        ocaml_is_bound(evidence) || ocaml_follows(evidence, ":=") || ocaml_follows(evidence, "<-");
    return is_float(evidence) && compares(evidence->code) && !is_kept;
}

/* ---- Arrays of any type ---------------------------------------------------------------- */

enum { NAME_BYTES = 64, LINE_BYTES = 400, DEFINITION_LINES = 60 };

enum binding {
    BINDING_NONE,
    BINDING_OTHER,    /* bound to a value, or of a type that is told */
    BINDING_PARAMETER /* of a function, and of any type as far as its head says */
};

static bool has_name(const char *text, const char *name)
{
    return evidence_names(text, (const char *const[]){name, NULL});
}

/* What the head of a function or binding, up to its end, says of a name. */
static enum binding binding_in(const char *head, bool is_fun, const char *name)
{
    size_t first = strspn(head, " ");
    first += is_fun ? 0 : strcspn(head + first, " ");
    if (!has_name(head, name))
        return BINDING_NONE;
    return strchr(head, ':') || !has_name(head + first, name) ? BINDING_OTHER : BINDING_PARAMETER;
}

/* What the last on the line does: `let swap a i j =`, `fun a ->`, `let a = ...`, `(a : float array)`. */
static enum binding binding_of(const char *line, const char *name)
{
    static const char *const starts[] = {"let", "and", "method", "fun"};
    enum binding found = BINDING_NONE;
    for (const char *at = line; *at; at++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            if ((at > line && ocaml_is_part(at[-1])) || !ocaml_begins(at, starts[i]))
                continue;
            char head[LINE_BYTES];
            bool is_fun = begins_with(starts[i], "fun");
            snprintf(head, sizeof head, "%s", at + strlen(starts[i]));
            char *end = strstr(head, is_fun ? "->" : "=");
            head[end ? end - head : (ptrdiff_t)strlen(head)] = 0;
            enum binding says = binding_in(head, is_fun, name);
            found = says != BINDING_NONE ? says : found;
        }
    return found;
}

/* Is the array whose element the text reads a parameter that any line of the function could not take for an array of floats? */
static bool is_of_any_type(const struct evidence *evidence, const char *text)
{
    char name[NAME_BYTES], element[NAME_BYTES + 2], line[LINE_BYTES];
    struct source_file file;
    size_t length = strcspn(text, ".");
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), text);
    snprintf(element, sizeof element, "%s.(", name);
    if (!evidence->sources->file(evidence->sources->context, evidence->place->file, &file))
        return false;
    size_t place = (size_t)evidence->place->line;
    for (size_t i = 0; i < DEFINITION_LINES && i < place; i++) {
        source_code(line, sizeof line, &file, LANGUAGE_OCAML, place - i, place - i, place - i);
        enum binding found = binding_of(line, name);
        if (found != BINDING_NONE)
            return found == BINDING_PARAMETER;
        if (has_name(line, element) && has_float(line))
            return false;
    }
    return false;
}

static bool is_polymorphic_read(const struct evidence *evidence)
{
    const char *text = ocaml_inner(evidence), *element = strstr(text, ".(");
    return evidence->call_count == 0 && element && is_read(text) && is_of_any_type(evidence, text);
}

/* ---- Folds and what functions return ----------------------------------------------------- */

/* In a function that a fold or iteration is given, or in the fold, which reads an array of floats. */
static bool is_float_fold(const struct evidence *evidence)
{
    static const char *const folds[] = {"Array.fold_left", "Array.fold_right", "List.fold_left",
                                        "List.fold_right", "Array.iter",       "Array.map",
                                        "Hashtbl.fold",    "Seq.fold_left",    NULL};
    if (evidence->call_count > 0)
        return evidence_names(evidence->calls[0], (const char *const[]){"fold_left", "fold_right",
                                                                        "iter", "map", NULL}) &&
               ocaml_applies(evidence, folds);
    return is_float(evidence) && ocaml_follows(evidence, "->") &&
           evidence_names(evidence->before, folds) && strstr(evidence->before, "fun ");
}

/* What a function of its own ends with, or a branch of it. */
static bool is_returned_float(const struct evidence *evidence)
{
    static const char *const starts[] = {"=", "->", "then", "else", "in", ";", "begin", NULL};
    const char *const *start = starts;
    const char *before = evidence->before;
    bool is_inside = *before && before[strlen(before) - 1] == '(';
    while (*start && !ocaml_follows(evidence, *start))
        start++;
    return is_float(evidence) && *start && !is_inside && !ocaml_follows(evidence, ":=") &&
           (evidence->ends_item || ocaml_is_before(evidence, "else") ||
            ocaml_is_before(evidence, "|")) &&
           !strstr(evidence->place->function, "(fun)");
}

const struct advice_cause advice_ocaml_numbers[] = {
    {.name = "boxed-integers",
     .title = "Boxed integers",
     .condition =
         "OCaml: blocks of up to 3 words, made by a function or file that is called after int32, int64 or nativeint, or blocks of "
         "two words from an expression that names one",
     .needs = {.words_least = 1, .words_most = 3},
     .applies = is_boxed_integer,
     .remedy =
         "Use int where 63 bits are enough, and convert where the number is read, so that no function returns an int32 or int64 and "
         "no record, list or option holds one; local to one function they stay unboxed. `Bytes.get_uint16_le b i` is an int.",
     .before = "let get b i = Bytes.get_int32_be b i",
     .after = "let get b i = Int32.to_int (Bytes.get_int32_be b i)"},
    {.name = "float-folds",
     .title = "Floats boxed by a fold or iteration",
     .condition =
         "OCaml: blocks of one word, made by a fold, iteration or map of Stdlib, or by an expression of floats in a function that "
         "one is given",
     .needs = {.words_least = 1, .words_most = 1},
     .applies = is_float_fold,
     .remedy =
         "A function that takes any type is given floats in boxes, and returns them so. Write the loop: in it a local reference to a "
         "float needs no block.",
     .before = "Array.fold_left (fun sum x -> sum +. f x) 0. all",
     .after =
         "let sum = ref 0. in for i = 0 to Array.length all - 1 do sum := !sum +. f all.(i) done; !sum"},
    {.name = "polymorphic-comparison",
     .title = "Floats boxed to be compared",
     .condition =
         "OCaml: blocks of one word, from an expression of floats on a line with compare, max or min",
     .needs = {.words_least = 1, .words_most = 1},
     .applies = is_compared_float,
     .remedy =
         "A comparison of any type takes blocks. Use Float.compare, or give the arguments the type float and compare them with `<`.",
     .before = "best := max !best (a *. b)",
     .after = "let x = a *. b in if x > !best then best := x"},
    {.name = "polymorphic-arrays",
     .title = "Floats boxed by a function for arrays of any type",
     .condition =
         "OCaml: blocks of one word, from the element of an array that is a parameter without a type, and that no line before takes for "
         "one of floats",
     .needs = {.words_least = 1, .words_most = 1},
     .applies = is_polymorphic_read,
     .remedy =
         "A function for arrays of any type boxes each float that it reads. Say that the array is of floats; where the float is kept "
         "or passed on, let the function do that itself.",
     .before = "let swap a i j = let x = a.(i) in ...",
     .after = "let swap (a : float array) i j = let x = a.(i) in ..."},
    {.name = "float-returned",
     .title = "A float returned in a box",
     .condition =
         "OCaml: blocks of one word, from an expression of floats with which a function ends",
     .needs = {.words_least = 1, .words_most = 1},
     .applies = is_returned_float,
     .remedy =
         "A function returns a float in a block. Let it be inlined: [@inline], which takes a function that has no function of its own "
         "and isn't recursive. Or let it store the result into a float array.",
     .before = "let area w h = w *. h",
     .after = "let[@inline] area w h = w *. h"},
    {.name = "boxed-floats",
     .title = "Boxed floats",
     .condition = "OCaml: blocks of one word, from an expression of floats",
     .needs = {.words_least = 1, .words_most = 1},
     .applies = is_float,
     .remedy =
         "A float is stored without a block in a local reference, in a record that has floats alone, in `float array` and in "
         "`floatarray`; in any other record, in a list or an option, in a reference that a closure shares, or passed to a function that "
         "isn't inlined, it is a block. Split the record, let the function be inlined, or use one of these.",
     .before = "type mean = { mutable count : int; mutable sum : float }",
     .after = "type sum = { mutable sum : float } type mean = { mutable count : int; sum : sum }"},
    {0},
};
