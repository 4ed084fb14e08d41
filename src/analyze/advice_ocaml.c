/* OCaml, where each boxed value is a block, and most blocks have a few words.  Its compiler says from which characters of
 * the source a block comes, so that the text tells a closure from a tuple; without the text, names of functions of Stdlib
 * and sizes remain. */
#include <ctype.h>
#include <string.h>

#include "analyze/advice.h"
#include "analyze/advice_cause.h"

/* ---- Words, sizes, text ------------------------------------------------------------------ */

static const double young_part = 0.8, alike_part = 0.9;

/* Words of a block without its header, where nearly all have the same; 0 where they don't. */
static unsigned words_of(const struct evidence *evidence)
{
    double word = evidence->sites->model->estimate.word_bytes;
    return evidence_alike(evidence) >= alike_part
               ? (unsigned)((double)evidence->figures->common_bytes / word)
               : 0;
}

static bool is_young(const struct evidence *evidence)
{
    return evidence_young(evidence) >= young_part;
}

/* Is the call that the program itself makes one of these? */
static bool begins_with_call(const struct evidence *evidence, const char *const *parts)
{
    for (; evidence->call_count > 0 && *parts; parts++) {
        const char *found = strstr(evidence->calls[0], *parts);
        if (found && strcspn(found, " ") == strlen(*parts))
            return true;
    }
    return false;
}

/* The expression without the parentheses and spaces in front. */
static const char *inner(const struct evidence *evidence)
{
    const char *text = evidence->expression;
    return text + strspn(text, "( ");
}

static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]) &&
           text[length] != '_' && text[length] != '\'';
}

/* Commas between the parts of a tuple: outside all brackets but a pair around the whole. */
static unsigned count_commas(const char *text)
{
    unsigned commas = 0;
    bool has_pair = *text == '(';
    int depth = 0;
    for (text += has_pair; *text && depth >= 0; text++) {
        depth += strchr("([{", *text) != NULL;
        depth -= strchr(")]}", *text) != NULL;
        commas += *text == ',' && depth == 0;
    }
    return commas;
}

/* ---- Rules ------------------------------------------------------------------------------- */

static bool is_format(const struct evidence *evidence)
{
    static const char *const parts[] = {"CamlinternalFormat.", "Stdlib__Printf.", "Stdlib.Printf.",
                                        "Stdlib__Format.",     "Stdlib.Format.",  NULL};
    return evidence_has_call_of(evidence, parts);
}

static bool is_string_append(const struct evidence *evidence)
{
    static const char *const parts[] = {"Stdlib.(^)", "Stdlib.^", NULL};
    return evidence_has_call_of(evidence, parts);
}

static bool is_list_append(const struct evidence *evidence)
{
    static const char *const parts[] = {"Stdlib.(@)", "Stdlib.@", "Stdlib__List.append",
                                        "Stdlib.List.append", NULL};
    return evidence_has_call_of(evidence, parts);
}

static bool is_buffer_growth(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "Buffer.resize");
}

static bool is_copy(const struct evidence *evidence)
{
    static const char *const parts[] = {"String.sub",      "Bytes.sub",       "Bytes.sub_string",
                                        "Bytes.copy",      "Bytes.to_string", "Bytes.of_string",
                                        "String.to_bytes", "Bytes.extend",    NULL};
    static const char *const words[] = {"Array.sub", "Array.copy", NULL};
    return is_young(evidence) &&
           (begins_with_call(evidence, parts) || evidence_names(evidence->expression, words));
}

/* A step of a chain: a line that begins with `|> List.`, or names two of its functions. */
static bool is_chain(const char *line)
{
    const char *first = strstr(line, "List.");
    line += strspn(line, " \t");
    return first && (strstr(first + 1, "List.") || strncmp(line, "|> List.", 8) == 0);
}

static bool is_list_chain(const struct evidence *evidence)
{
    static const char *const makers[] = {"List.map",    "List.filter",  "List.find_all",
                                         "List.concat", "List.flatten", "List.rev",
                                         "List.init",   "List.combine", NULL};
    static const char *const libraries[] = {"Stdlib__List", "Stdlib.List", NULL};
    return is_young(evidence) && is_chain(evidence->line) &&
           evidence_has_call_of(evidence, libraries) && !evidence_has_call(evidence, "sort") &&
           evidence_names(evidence->line, makers);
}

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
    const char *file = evidence->call_count > 0 ? "" : evidence->place->file;
    unsigned words = words_of(evidence);
    if (words == 0 || words > 3)
        return false;
    return names_integer(innermost) || names_integer(file) ||
           (words == 2 && evidence_names(evidence->expression, texts) &&
            count_commas(evidence->expression) == 0 && !strstr(evidence->expression, "::"));
}

static bool has_float(const char *text)
{
    static const char *const words[] = {
        "+.",   "-.",  "*.",  "/.",  "**",  "float_of_int",    "Float.",
        "sqrt", "exp", "log", "sin", "cos", "float_of_string", NULL};
    return evidence_names(text, words);
}

static bool is_some(const struct evidence *evidence)
{
    return begins(inner(evidence), "Some");
}

static bool is_function(const struct evidence *evidence)
{
    return begins(inner(evidence), "fun") || begins(inner(evidence), "function");
}

static bool is_compared_float(const struct evidence *evidence)
{
    static const char *const words[] = {"compare", "max", "min", NULL};
    return words_of(evidence) == 1 && !is_some(evidence) && has_float(evidence->expression) &&
           evidence_names(evidence->line, words) && !strstr(evidence->line, "Float.");
}

static bool is_boxed_float(const struct evidence *evidence)
{
    return words_of(evidence) == 1 && !is_some(evidence) && has_float(evidence->expression);
}

static bool is_option(const struct evidence *evidence)
{
    return words_of(evidence) == 1 && is_some(evidence) && is_young(evidence);
}

static bool is_tuple(const struct evidence *evidence)
{
    unsigned commas = count_commas(evidence->expression);
    return commas > 0 && words_of(evidence) == commas + 1 && is_young(evidence) &&
           !is_some(evidence) && !is_function(evidence);
}

static bool is_closure(const struct evidence *evidence)
{
    return words_of(evidence) >= 3 && is_function(evidence) && is_young(evidence);
}

/* An application of a function of the program's to some of its arguments: a closure of them. */
static bool is_partial(const struct evidence *evidence)
{
    static const char *const others[] = {
        "Unix.",   "Gc.",       "Sys.", "Obj.", "Marshal.", "Digest.", "Str.", "Array.", "Bytes.",
        "String.", "Bigarray.", "ref",  "lazy", "if",       "match",   "let",  "begin",  NULL};
    const char *text = inner(evidence);
    size_t name = strcspn(text, " ");
    return words_of(evidence) >= 4 && words_of(evidence) <= 16 && evidence->call_count == 0 &&
           is_young(evidence) && isalpha((unsigned char)*text) && text[name] == ' ' &&
           text[name + 1] && !strchr("-+*/=<>|&^@:;,", text[name + 1]) &&
           !evidence_names(text, others) && !is_function(evidence) &&
           count_commas(evidence->expression) == 0 && !strchr(text, '{') && !strstr(text, "::");
}

const struct advice_cause advice_ocaml[] = {
    {"formats", "Formats in a loop", "OCaml: blocks come from Printf or Format", is_format, NULL,
     "A format is walked for each call, with closures, a buffer and a text for each part. Put texts together with `^` or "
     "`String.concat`, or add them to one Buffer.",
     "Printf.sprintf \"%d:%d\" a b", "String.concat \":\" [ string_of_int a; string_of_int b ]",
     advice_verify, false},
    {"string-append", "Strings appended one to the other", "OCaml: blocks come from `^`",
     is_string_append, NULL,
     "Each `a ^ b` copies both: n steps copy n * n / 2 of them. Add to a Buffer, or collect the parts and concatenate them once.",
     "text := !text ^ part", "Buffer.add_string buffer part", advice_verify, false},
    {"list-append", "Lists appended at their end", "OCaml: blocks come from `@` or List.append",
     is_list_append, NULL,
     "Each `all @ more` copies all of `all`: n steps copy n * n / 2 of them. Put new elements in front, and reverse once at the end.",
     "all := !all @ [ x ]", "all := x :: !all (* and List.rev !all, once *)", advice_verify, false},
    {"buffer-growth", "A buffer that grows by doubling", "OCaml: blocks come from Buffer's growth",
     is_buffer_growth, evidence_replaced,
     "Create the buffer with the size that it will have, or keep one and clear it.",
     "let buffer = Buffer.create 16 in",
     "let buffer = Buffer.create 65536 in (* or Buffer.clear buffer *)", advice_verify, false},
    {"copies", "Copies of parts that die at once",
     "OCaml: blocks come from String.sub, Bytes.sub, Array.sub and the like, and 80 % of their bytes die without being promoted",
     is_copy, NULL, "Look at the original at an offset, or pass the offset and the length on.",
     "let part = String.sub line from size in part.[0]", "line.[from]", advice_verify, false},
    {"list-chain", "Lists between the steps of a chain",
     "OCaml: blocks come from functions of List, but for sorting, on a line with two of them or one that begins with `|>`, and 80 % of their bytes die without "
     "being promoted",
     is_list_chain, NULL,
     "Each step makes a list for the next. Do all steps in one fold or one List.filter_map, or use Seq, which makes no list.",
     "List.fold_left ( + ) 0 (List.map f all)", "List.fold_left (fun sum x -> sum + f x) 0 all",
     advice_verify, false},
    {"boxed-integers", "Boxed integers",
     "OCaml: blocks of up to 3 words, made by a function or file that is called after int32, int64 or nativeint, or blocks of "
     "two words from an expression that names one",
     is_boxed_integer, NULL,
     "Use int where 63 bits are enough, and convert where the number is read, so that no function returns an int32 or int64 and "
     "no record, list or option holds one; local to one function they stay unboxed. `Bytes.get_uint16_le b i` is an int.",
     "let get b i = Bytes.get_int32_be b i", "let get b i = Int32.to_int (Bytes.get_int32_be b i)",
     advice_verify, false},
    {"polymorphic-comparison", "Floats boxed to be compared",
     "OCaml: blocks of one word, from an expression of floats on a line with compare, max or min",
     is_compared_float, NULL,
     "A comparison of any type takes blocks. Use Float.compare, Float.max or Float.min, or give the arguments the type float "
     "and compare them with `<`.",
     "best := max !best (a *. b)", "let x = a *. b in if x > !best then best := x", advice_verify,
     false},
    {"boxed-floats", "Boxed floats", "OCaml: blocks of one word, from an expression of floats",
     is_boxed_float, NULL,
     "A float is stored without a block in a local reference, in a record that has floats alone, in `float array` and in "
     "`floatarray`; in any other record, in a list or an option it is a block. Split the record, or use one of these.",
     "type mean = { mutable count : int; mutable sum : float }",
     "type sum = { mutable sum : float } type mean = { mutable count : int; sum : sum }",
     advice_verify, false},
    {"options", "Options that are taken apart at once",
     "OCaml: blocks of one word from an expression that begins with Some, and 80 % of their bytes die without being promoted",
     is_option, NULL,
     "Return a value that cannot occur otherwise, -1 for an index, or raise Not_found, or take what to do as an argument; or "
     "let the function be inlined: [@inline].",
     "match find i with Some x -> use x | None -> ()", "let x = find i in if x >= 0 then use x",
     advice_verify, false},
    {"tuples", "Tuples that are taken apart at once",
     "OCaml: blocks from an expression with as many parts, between commas, as they have words, and 80 % of their bytes die without being "
     "promoted",
     is_tuple, NULL,
     "Return one of the values and compute the other where it is wanted, or let the function be inlined, so that no tuple is "
     "made: [@inline].",
     "let divide a b = (a / b, a mod b)", "let[@inline] divide a b = (a / b, a mod b)",
     advice_verify, false},
    {"closures", "Functions made again and again",
     "OCaml: blocks of at least 3 words from an expression that begins with fun or function, and 80 % of their bytes die without "
     "being promoted",
     is_closure, NULL,
     "A function that uses variables from around it is a block. Lift it out of the loop, or write the loop itself: a `for`, or "
     "`let rec` with what it uses as arguments.",
     "Array.iter (fun x -> total := !total + x * scale) row",
     "for i = 0 to Array.length row - 1 do total := !total + row.(i) * scale done", advice_verify,
     false},
    {"partial-application", "Functions given some of their arguments",
     "OCaml: blocks of 4 to 16 words from an application of a function of the program's, and 80 % of their bytes die without being promoted",
     is_partial, NULL,
     "Given fewer arguments than it takes, a function becomes a block that holds them. Give all at once, or do it once, "
     "outside the loop.",
     "let limit = clamp low high in apply limit x", "clamp low high x", advice_verify, false},
    {0},
};

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
