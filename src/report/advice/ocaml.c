/* OCaml, where each boxed value is a block, and most blocks have a few words.  Its compiler says from which characters of
 * the source a block comes, so that the text tells a closure from a tuple; without the text, names of functions of Stdlib
 * and sizes remain.
 *
 * Remedies are those that help without flambda, as the compilers of Debian and opam are built: there [@inline] spares the box of a
 * float that is returned, and no tuple, option or closure. */
#include <ctype.h>
#include <string.h>

#include "report/advice/rules.h"
#include "report/advice/cause.h"

/* ---- Words, sizes ------------------------------------------------------------------------ */

static const double growth_part = 0.5;
static const uint64_t growth_blocks = 8;
static const double scratch_words = 16;

static double word_bytes(const struct evidence *evidence)
{
    return evidence->sites->model->estimate.word_bytes;
}

/* Words of a block without its header, where nearly all have the same; 0 where they don't. */
static unsigned words_of(const struct evidence *evidence)
{
    static const double alike_part = 0.9;
    return evidence_alike(evidence) >= alike_part
               ? (unsigned)((double)evidence->figures->common_bytes / word_bytes(evidence))
               : 0;
}

/* Does each replace one that is a little smaller?  Of large blocks the death may not be known by the end: then that their sizes differ
 * must do. */
static bool grows(const struct evidence *evidence)
{
    static const double differing_words = 16, differing_part = 0.1;
    const struct site *figures = evidence->figures;
    bool replaces = figures->small_steps + figures->doublings >= growth_blocks &&
                    figures->stepped_bytes + figures->doubled_bytes >= growth_part * figures->bytes;
    bool differs = evidence_block_bytes(evidence) >= differing_words * word_bytes(evidence) &&
                   evidence_alike(evidence) < differing_part &&
                   figures->objects >= (double)growth_blocks;
    return evidence_grows(evidence) && (replaces || differs);
}

/* ---- Text -------------------------------------------------------------------------------- */

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'';
}

static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           !(is_part(text[length]) && is_part(word[length - 1]));
}

/* The expression without the parentheses and spaces in front. */
static const char *inner(const struct evidence *evidence)
{
    return evidence->expression + strspn(evidence->expression, "( ");
}

static bool begins_with(const struct evidence *evidence, const char *const *words)
{
    while (*words && !begins(inner(evidence), *words))
        words++;
    return *words;
}

/* Is the last word in front of the expression this? */
static bool follows(const struct evidence *evidence, const char *word)
{
    const char *before = evidence->before;
    size_t length = strlen(word), end = strlen(before);
    while (end > 0 && strchr(" (", before[end - 1]))
        end--;
    return end >= length && strncmp(before + end - length, word, length) == 0 &&
           !(end > length && is_part(before[end - length - 1]) && is_part(*word));
}

static bool is_before(const struct evidence *evidence, const char *word)
{
    return begins(evidence->after + strspn(evidence->after, " )"), word);
}

/* How often the text occurs outside all brackets but a pair around the whole; `*last` is behind the last of them. */
static unsigned count_outside(const char *text, const char *wanted, const char **last)
{
    unsigned count = 0;
    bool has_pair = *text == '(';
    int depth = 0;
    for (text += has_pair; *text && depth >= 0; text++) {
        depth += strchr("([{", *text) != NULL;
        depth -= strchr(")]}", *text) != NULL;
        if (depth == 0 && strncmp(text, wanted, strlen(wanted)) == 0) {
            *last = text + strlen(wanted);
            count++;
        }
    }
    return count;
}

/* Commas between the parts of a tuple. */
static unsigned count_commas(const char *text)
{
    const char *last;
    return count_outside(text, ",", &last);
}

/* The function that the expression applies as it is written: that behind the last |>, or the first word. */
static const char *applied(const struct evidence *evidence)
{
    const char *function = evidence->expression;
    count_outside(evidence->expression, "|>", &function);
    return function + strspn(function, "( ");
}

/* Is one of Stdlib's functions called: by its name, "List.map", in the stack, or in the text? */
static bool calls(const struct evidence *evidence, const char *const *names)
{
    const char *call = evidence->call_count > 0 ? evidence->calls[0] : "";
    call += strncmp(call, "Stdlib", 6) == 0 ? 6 : 0;
    call += strspn(call, "_.");
    const char *text = applied(evidence);
    for (; *names; names++)
        if (begins(call, *names) || begins(text, *names))
            return true;
    return false;
}

/* Where the statement begins that the text ends within: behind the last `=`, `;`, arrow or `in` outside of what has been closed. */
static const char *statement(const char *text)
{
    const char *at = text + strlen(text);
    for (int depth = 0; at > text; at--) {
        depth += strchr(")]}", at[-1]) != NULL;
        depth -= strchr("([{", at[-1]) != NULL && depth > 0;
        bool is_end =
            at[-1] == ';' || (at[-1] == '=' && *at == ' ') ||
            (at - text >= 2 && (strncmp(at - 2, "->", 2) == 0 || strncmp(at - 2, "<-", 2) == 0)) ||
            (at - text >= 4 && strncmp(at - 4, " in ", 4) == 0);
        if (depth == 0 && is_end)
            break;
    }
    return at;
}

/* Is the result an argument of another function of a library, as written? */
static bool is_consumed(const struct evidence *evidence)
{
    static const char *const modules[] = {"List.", "Array.",  "String.concat", "Seq.", "Buffer.",
                                          "Str.",  "Option.", "Hashtbl.",      NULL};
    const char *before = evidence->before;
    bool has_pair = *evidence->expression == '(' || (*before && before[strlen(before) - 1] == '(');
    return is_before(evidence, "|>") ||
           ((has_pair || follows(evidence, "@@")) && evidence_names(statement(before), modules));
}

static bool is_bound(const struct evidence *evidence)
{
    return is_before(evidence, "in") && follows(evidence, "=");
}

/* ---- Rules: library functions -------------------------------------------------------------- */

static const char *const formats[] = {"CamlinternalFormat.", "Stdlib__Printf.", "Stdlib.Printf.",
                                      "Stdlib__Format.",     "Stdlib.Format.",  NULL};
static const char *const scans[] = {"Stdlib__Scanf.", "Stdlib.Scanf.", NULL};

/* An element in front of a list is no list appended. */
static bool is_list_append(const struct evidence *evidence)
{
    static const char *const names[] = {"(@)", "@", "List.append", NULL};
    return calls(evidence, names) && *inner(evidence) != '[';
}

static bool is_string_append(const struct evidence *evidence)
{
    static const char *const names[] = {"(^)", "^", "String.concat", "Bytes.cat", NULL};
    return calls(evidence, names) && grows(evidence);
}

static bool is_array_append(const struct evidence *evidence)
{
    static const char *const names[] = {"Array.append", "Array.concat", NULL};
    return calls(evidence, names) && grows(evidence);
}

static bool is_buffer_growth(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "Buffer.resize");
}

static bool is_hashtbl_growth(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "Hashtbl.resize") ||
           evidence_has_call(evidence, "insert_all_buckets");
}

static bool is_copy(const struct evidence *evidence)
{
    static const char *const names[] = {"String.sub",
                                        "String.trim",
                                        "String.lowercase_ascii",
                                        "String.uppercase_ascii",
                                        "String.map",
                                        "String.to_bytes",
                                        "String.capitalize_ascii",
                                        "Bytes.sub",
                                        "Bytes.sub_string",
                                        "Bytes.copy",
                                        "Bytes.to_string",
                                        "Bytes.of_string",
                                        "Bytes.extend",
                                        "Bytes.trim",
                                        "Bytes.map",
                                        "Bytes.lowercase_ascii",
                                        "Array.sub",
                                        "Array.copy",
                                        NULL};
    return calls(evidence, names);
}

static bool is_split(const struct evidence *evidence)
{
    static const char *const names[] = {"String.split_on_char", "Str.", NULL};
    return calls(evidence, names);
}

static bool is_sequence(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "Stdlib__Seq.") ||
           evidence_has_call(evidence, "Stdlib.Seq.") || evidence_has_call(evidence, ".to_seq");
}

static bool is_conversion(const struct evidence *evidence)
{
    static const char *const names[] = {"Array.to_list",
                                        "Array.of_list",
                                        "Array.of_seq",
                                        "List.of_seq",
                                        "String.to_bytes",
                                        "List.to_seq",
                                        NULL};
    return calls(evidence, names);
}

static bool is_list_maker(const struct evidence *evidence)
{
    static const char *const names[] = {"List.map",        "List.mapi",       "List.map2",
                                        "List.rev",        "List.rev_map",    "List.filter",
                                        "List.filteri",    "List.filter_map", "List.find_all",
                                        "List.concat_map", "List.concat",     "List.flatten",
                                        "List.init",       "List.combine",    "List.split",
                                        "List.partition",  "List.rev_append", NULL};
    return calls(evidence, names) && !evidence_has_call(evidence, "sort");
}

/* Most is not there at the end, or no collection has looked.  How young it dies says less: where a list is made by a recursion, which
 * takes a frame for each element, recording makes minor collections come sooner. */
static bool is_temporary(const struct evidence *evidence)
{
    static const double left_part = 0.2;
    const struct site *figures = evidence->figures;
    return figures->live_bytes <= left_part * figures->bytes ||
           figures->young_bytes + figures->promoted_bytes == 0;
}

static bool is_list_chain(const struct evidence *evidence)
{
    return is_list_maker(evidence) && is_consumed(evidence) && is_temporary(evidence);
}

static bool is_list_temporary(const struct evidence *evidence)
{
    static const double young_part = 0.2;
    return is_list_maker(evidence) && is_bound(evidence) && is_temporary(evidence) &&
           evidence_young(evidence) >= young_part;
}

static bool is_array_chain(const struct evidence *evidence)
{
    static const char *const names[] = {"Array.map",  "Array.mapi",   "Array.map2",
                                        "Array.init", "Array.concat", NULL};
    return calls(evidence, names) && is_consumed(evidence) && is_temporary(evidence);
}

/* Texts of numbers that go into a buffer or channel. */
static bool is_number_text(const struct evidence *evidence)
{
    static const char *const names[] = {"string_of_int",   "string_of_float", "Int64.to_string",
                                        "Int32.to_string", "Int.to_string",   NULL};
    static const char *const takers[] = {"Buffer.add_string", "output_string", "print_string",
                                         "print_endline", NULL};
    return calls(evidence, names) && evidence_names(evidence->code, takers);
}

static bool is_object(const struct evidence *evidence)
{
    static const char *const words[] = {"new", "object", NULL};
    return evidence_has_call(evidence, "CamlinternalOO.") || begins_with(evidence, words);
}

static bool is_marshal(const struct evidence *evidence)
{
    static const char *const names[] = {"Marshal.to_string", "Marshal.to_bytes", NULL};
    return calls(evidence, names) && evidence->figures->objects >= 2;
}

/* One array, buffer or matrix a turn, which the next could use again. */
static bool is_scratch(const struct evidence *evidence)
{
    static const char *const names[] = {"Array.make",
                                        "Array.init",
                                        "Array.make_matrix",
                                        "Bytes.create",
                                        "Bytes.make",
                                        "Array.create_float",
                                        "Float.Array.",
                                        "Buffer.create",
                                        "Hashtbl.create",
                                        "Array.make_float",
                                        NULL};
    return calls(evidence, names) && is_bound(evidence) &&
           evidence->figures->objects >= (double)growth_blocks &&
           evidence_block_bytes(evidence) >= scratch_words * word_bytes(evidence);
}

/* ---- Rules: numbers ---------------------------------------------------------------------- */

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
    return words_of(evidence) == 2 && evidence_names(evidence->expression, texts) &&
           count_commas(evidence->expression) == 0 &&
           count_outside(evidence->expression, "::", &last) == 0;
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
    size_t length =
        strspn(text, "!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'.");
    return islower((unsigned char)text[*text == '!']) && (!text[length] || text[length] == '(') &&
           (text[length] != '(' || text[length - 1] == '.') &&
           (*text == '!' || memchr(text, '.', length));
}

static bool is_constructor(const struct evidence *evidence)
{
    const char *text = inner(evidence);
    size_t length = 0;
    while (isupper((unsigned char)text[length])) {
        while (is_part(text[length]))
            length++;
        if (text[length] != '.')
            return text[length] == ' ' || text[length] == '(';
        length++;
    }
    return false;
}

static bool is_float(const struct evidence *evidence)
{
    static const char *const others[] = {"ref", "lazy", "fun", "function", NULL};
    const char *text = inner(evidence);
    return !is_constructor(evidence) && !begins_with(evidence, others) && !strchr("[{", *text) &&
           (has_float(text) || is_read(text));
}

static bool is_compared_float(const struct evidence *evidence)
{
    static const char *const words[] = {"compare", "max", "min", NULL};
    return is_float(evidence) && evidence_names(evidence->code, words) &&
           !strstr(evidence->code, "Float.") &&
           !(is_bound(evidence) || follows(evidence, ":=") || follows(evidence, "<-"));
}

static bool is_polymorphic_read(const struct evidence *evidence)
{
    const char *element = strstr(inner(evidence), ".(");
    return evidence->call_count == 0 && element && is_read(inner(evidence));
}

/* In a function that a fold or iteration is given, or in the fold, which reads an array of floats. */
static bool is_float_fold(const struct evidence *evidence)
{
    static const char *const folds[] = {"Array.fold_left", "Array.fold_right", "List.fold_left",
                                        "List.fold_right", "Array.iter",       "Array.map",
                                        "Hashtbl.fold",    "Seq.fold_left",    NULL};
    if (evidence->call_count > 0)
        return evidence_names(evidence->calls[0], (const char *const[]){"fold_left", "fold_right",
                                                                        "iter", "map", NULL}) &&
               calls(evidence, folds);
    return is_float(evidence) && follows(evidence, "->") &&
           evidence_names(evidence->before, folds) && strstr(evidence->before, "fun ");
}

/* What a function of its own ends with, or a branch of it. */
static bool is_returned_float(const struct evidence *evidence)
{
    static const char *const starts[] = {"=", "->", "then", "else", "in", ";", "begin", NULL};
    const char *const *start = starts;
    const char *before = evidence->before;
    bool is_inside = *before && before[strlen(before) - 1] == '(';
    while (*start && !follows(evidence, *start))
        start++;
    return is_float(evidence) && *start && !is_inside && !follows(evidence, ":=") &&
           (evidence->ends_item || is_before(evidence, "else") || is_before(evidence, "|")) &&
           !strstr(evidence->place->function, "(fun)");
}

/* ---- Rules: what an expression makes -------------------------------------------------------- */

static bool is_function(const struct evidence *evidence)
{
    static const char *const words[] = {"fun", "function", NULL};
    return begins_with(evidence, words);
}

/* `let name x = ...`, of which the characters begin behind the name. */
static bool is_local_function(const struct evidence *evidence)
{
    const char *before = evidence->before;
    size_t end = strlen(before);
    while (end > 0 && before[end - 1] == ' ')
        end--;
    while (end > 0 && is_part(before[end - 1]))
        end--;
    while (end > 0 && before[end - 1] == ' ')
        end--;
    return (end >= 3 && strncmp(before + end - 3, "let", 3) == 0) ||
           (end >= 3 && strncmp(before + end - 3, "rec", 3) == 0) ||
           (end >= 3 && strncmp(before + end - 3, "and", 3) == 0);
}

/* `Make (Order)`: the function at the place is one of the functor's, or its end. */
static bool is_functor(const struct evidence *evidence)
{
    const char *text = evidence->caller_expression;
    size_t name = 0;
    while (is_part(text[name]) || text[name] == '.')
        name++;
    return isupper((unsigned char)*text) && strncmp(text + name, " (", 2) == 0 &&
           evidence->call_count == 0 && isupper((unsigned char)text[name + 2]);
}

static bool is_module(const struct evidence *evidence)
{
    return begins(inner(evidence), "struct");
}

static bool is_closure(const struct evidence *evidence)
{
    return is_function(evidence) || is_local_function(evidence);
}

static bool is_option(const struct evidence *evidence)
{
    static const char *const words[] = {"Some", "Ok", "Error", NULL};
    const char *call = evidence->call_count > 0 ? evidence->calls[0] : "";
    return evidence->call_count > 0
               ? evidence_names(call,
                                (const char *const[]){
                                    "find_opt", "assoc_opt", "nth_opt", "int_of_string_opt",
                                    "index_opt", "min_elt_opt", "max_elt_opt", "min_binding_opt",
                                    "max_binding_opt", "peek_opt", "pop_opt", "take_opt",
                                    "assq_opt", "float_of_string_opt", NULL})
               : begins_with(evidence, words);
}

/* `~name:value`, or `~name` with what has that name. */
static bool is_labelled(const struct evidence *evidence)
{
    const char *before = evidence->before;
    size_t end = strlen(before);
    end -= end > 0 && before[end - 1] == ':';
    while (end > 0 && is_part(before[end - 1]))
        end--;
    return end > 0 && before[end - 1] == '~';
}

static bool is_tuple(const struct evidence *evidence)
{
    unsigned commas = count_commas(evidence->expression);
    return commas > 0 && words_of(evidence) == commas + 1 && !is_constructor(evidence) &&
           !is_function(evidence) && *inner(evidence) != '{' && *inner(evidence) != '[';
}

static bool is_ref(const struct evidence *evidence)
{
    return begins(inner(evidence), "ref");
}

static bool is_lazy(const struct evidence *evidence)
{
    return begins(inner(evidence), "lazy") || follows(evidence, "lazy");
}

static bool is_exception(const struct evidence *evidence)
{
    return is_constructor(evidence) &&
           (follows(evidence, "raise") || follows(evidence, "raise_notrace"));
}

static bool is_record_copy(const struct evidence *evidence)
{
    static const char *const with[] = {"with", NULL};
    return *inner(evidence) == '{' && evidence_names(evidence->expression, with);
}

static bool is_record(const struct evidence *evidence)
{
    return *inner(evidence) == '{';
}

/* An application of a function of the program's to some of its arguments: a closure of them. */
static bool is_partial(const struct evidence *evidence)
{
    static const char *const others[] = {
        "Unix.",  "Gc.",    "Sys.",    "Obj.",      "Marshal.", "Digest.", "Str.",
        "Array.", "Bytes.", "String.", "Bigarray.", "ref",      "lazy",    "if",
        "match",  "let",    "begin",   "new",       "object",   "try",     NULL};
    const char *text = inner(evidence);
    size_t name = strcspn(text, " ");
    return evidence->call_count == 0 && isalpha((unsigned char)*text) && text[name] == ' ' &&
           text[name + 1] && !strchr("-+*/=<>|&^@:;,", text[name + 1]) &&
           !evidence_names(text, others) && !is_function(evidence) && !is_constructor(evidence) &&
           count_commas(evidence->expression) == 0 && !strchr(text, '{') && !strstr(text, "::") &&
           !is_local_function(evidence);
}

/* ---- What remedies still allocate ------------------------------------------------------------ */

/* The text, and the texts of numbers that are put together to it. */
static double texts(const struct evidence *evidence)
{
    static const char *const parts[] = {"convert_int", "convert_float", "string_of_int", NULL};
    double bytes = evidence->figures->bytes;
    if (evidence_has_call(evidence, "Buffer.contents"))
        return 2 * bytes;
    return evidence_has_call_of(evidence, parts) ? bytes : 0;
}

/* Where each block is twice the one before, the last is as large as all before it; what a table takes for the move is no part of it. */
static double last_size(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "insert_all_buckets") ? 0 : evidence->figures->bytes / 2;
}

static double largest_twice(const struct evidence *evidence)
{
    return 2 * (double)evidence->figures->largest_bytes;
}

const struct advice_cause advice_ocaml[] = {
    {.name = "formats",
     .title = "Formats in a loop",
     .condition = "OCaml: blocks come from Printf or Format",
     .needs = {.calls = formats},
     .keeps = texts,
     .remedy =
         "A format is walked for each call, with closures, a buffer and a text for each part. Put texts together with `^` or "
         "`String.concat`, or add them to one Buffer.",
     .before = "Printf.sprintf \"%d:%d\" a b",
     .after = "string_of_int a ^ \":\" ^ string_of_int b"},
    {.name = "scans",
     .title = "Scanf in a loop",
     .condition = "OCaml: blocks come from Scanf",
     .needs = {.calls = scans},
     .remedy =
         "Scanf makes a buffer of 1 kB and a function for each part of the format, each time. Look for the separators with "
         "String.index_from, and read the digits where they stand.",
     .before = "Scanf.sscanf line \"%d,%d\" (fun a b -> a + b)",
     .after =
         "let rec number line i n = match line.[i] with '0' .. '9' as c -> number line (i + 1) (n * 10 + Char.code c - 48) | _ -> n"},
    {.name = "string-append",
     .title = "Strings appended one to the other",
     .condition =
         "OCaml: blocks come from `^`, String.concat or Bytes.cat; at least 8 replace a smaller one and are half of the "
         "bytes, or nearly all differ in size; and the largest is half as large again as the mean",
     .applies = is_string_append,
     .keeps = largest_twice,
     .remedy =
         "Each `a ^ b` copies both: n steps copy n * n / 2 of them. Add to a Buffer, or collect the parts and concatenate them once.",
     .before = "text := !text ^ part",
     .after = "Buffer.add_string buffer part",
     .is_growth = true},
    {.name = "list-append",
     .title = "Lists appended at their end",
     .condition = "OCaml: blocks come from `@` or List.append, with more than one element in front",
     .applies = is_list_append,
     .remedy =
         "Each `all @ more` copies all of `all`: n steps copy n * n / 2 of them. Put new elements in front, and reverse once at the end.",
     .before = "all := !all @ [ x ]",
     .after = "all := x :: !all (* and List.rev !all, once *)",
     .is_growth = true},
    {.name = "array-append",
     .title = "Arrays appended one to the other",
     .condition =
         "OCaml: blocks come from Array.append or Array.concat; at least 8 replace a smaller one and are half of the "
         "bytes, or nearly all differ in size; and the largest is half as large again as the mean",
     .applies = is_array_append,
     .remedy =
         "Each step copies all that is there. Collect the elements in a list, and make the array once; or keep an array that is "
         "doubled when it is full.",
     .before = "all := Array.append !all [| x |]",
     .after = "all := x :: !all (* and Array.of_list (List.rev !all), once *)",
     .is_growth = true},
    {.name = "buffer-growth",
     .title = "A buffer that grows by doubling",
     .condition = "OCaml: blocks come from Buffer's growth",
     .applies = is_buffer_growth,
     .keeps = last_size,
     .remedy = "Create the buffer with the size that it will have, or keep one and clear it.",
     .before = "let buffer = Buffer.create 16 in",
     .after = "let buffer = Buffer.create 65536 in (* or Buffer.clear buffer *)"},
    {.name = "hashtbl-growth",
     .title = "A hash table that grows by doubling",
     .condition = "OCaml: blocks come from the growth of a Hashtbl",
     .applies = is_hashtbl_growth,
     .keeps = last_size,
     .remedy =
         "Each time that it is full, the table takes an array twice as large, and another beside it for the move. Create it for "
         "half as many entries as it will have, or keep one and clear it by Hashtbl.clear.",
     .before = "let table = Hashtbl.create 16 in",
     .after = "let table = Hashtbl.create (entries / 2) in"},
    {.name = "splits",
     .title = "Texts split into lists of copies",
     .condition =
         "OCaml: blocks come from String.split_on_char or Str, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_split,
     .remedy =
         "Each part is a copy, in a list. Look for the separators with String.index_from, and read the parts where they stand.",
     .before = "List.iter use (String.split_on_char ',' line)",
     .after = "let stop = String.index_from line start ',' in use line start stop"},
    {.name = "copies",
     .title = "Copies that die at once",
     .condition =
         "OCaml: blocks come from String.sub, String.trim, Bytes.sub, Array.sub, Array.copy and the like, and 80 % of their "
         "bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_copy,
     .remedy =
         "Look at the original at an offset, or pass the offset and the length on; change it in place, and back.",
     .before = "let part = String.sub line from size in part.[0]",
     .after = "line.[from]"},
    {.name = "sequences",
     .title = "Sequences walked once",
     .condition =
         "OCaml: blocks come from Seq or a to_seq, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_sequence,
     .remedy =
         "Each element of each step is a node and a closure. Do all steps in one loop or fold over the original.",
     .before = "Array.to_seq all |> Seq.map f |> Seq.fold_left ( + ) 0",
     .after = "Array.fold_left (fun sum x -> sum + f x) 0 all"},
    {.name = "conversions",
     .title = "Arrays made into lists, or lists into arrays, to be walked once",
     .condition =
         "OCaml: blocks come from Array.to_list, Array.of_list and the like, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_conversion,
     .remedy = "Arrays and lists have the same folds and iterations: walk the original.",
     .before = "List.fold_left ( + ) 0 (Array.to_list all)",
     .after = "Array.fold_left ( + ) 0 all"},
    {.name = "list-chain",
     .title = "Lists between the steps of a chain",
     .condition =
         "OCaml: blocks come from functions of List, but for sorting, whose result is the argument of another or stands before "
         "`|>`, and 80 % of their bytes are dead by the end",
     .applies = is_list_chain,
     .remedy =
         "Each step makes a list for the next. Do all steps in one fold, List.filter_map or List.rev_map; a `for` needs no "
         "List.init.",
     .before = "List.fold_left ( + ) 0 (List.map f all)",
     .after = "List.fold_left (fun sum x -> sum + f x) 0 all"},
    {.name = "array-chain",
     .title = "Arrays between the steps of a chain",
     .condition =
         "OCaml: blocks come from Array.map, Array.init and the like, whose result is the argument of another function, and 80 % "
         "of their bytes are dead by the end",
     .applies = is_array_chain,
     .remedy = "Each step makes an array for the next. Do all steps in one fold or one loop.",
     .before = "Array.fold_left ( + ) 0 (Array.map f all)",
     .after = "Array.fold_left (fun sum x -> sum + f x) 0 all"},
    {.name = "number-texts",
     .title = "Numbers made into texts to be written",
     .condition =
         "OCaml: blocks come from string_of_int and the like on a line that adds to a buffer or prints, and 80 % of their bytes "
         "die without being promoted",
     .needs = {.is_young = true},
     .applies = is_number_text,
     .remedy = "Write the digits one by one, by a function of four lines.",
     .before = "Buffer.add_string buffer (string_of_int n)",
     .after =
         "let rec add_int buffer n = if n >= 10 then add_int buffer (n / 10); Buffer.add_char buffer (Char.chr (48 + n mod 10))"},
    {.name = "objects",
     .title = "Objects that die at once",
     .condition =
         "OCaml: blocks come from `new` or `object`, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_object,
     .remedy =
         "An object has a number and a table of methods besides its fields. Call a function on the fields, or keep one object and "
         "set its fields.",
     .before = "(new point x y)#length",
     .after = "length x y"},
    {.name = "marshal",
     .title = "Texts made by Marshal",
     .condition =
         "OCaml: blocks come from Marshal.to_string or Marshal.to_bytes, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_marshal,
     .keeps = evidence_block_bytes,
     .remedy =
         "Write into one buffer for all turns by Marshal.to_buffer, or straight to the channel by Marshal.to_channel.",
     .before = "let text = Marshal.to_string value [] in",
     .after = "let size = Marshal.to_buffer buffer 0 (Bytes.length buffer) value [] in"},
    {.name = "scratch-arrays",
     .title = "An array or buffer for each turn",
     .condition =
         "OCaml: at least 8 blocks of 16 words or more come from Array.make, Array.make_matrix, Bytes.create, Buffer.create and "
         "the like in a `let ... in`, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_scratch,
     .keeps = evidence_block_bytes,
     .remedy = "Make it once and fill or clear it in each turn, or let the caller pass it.",
     .before = "let count word = let seen = Array.make 256 false in",
     .after = "let seen = Array.make 256 false let count word = Array.fill seen 0 256 false;"},
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
     .condition = "OCaml: blocks of one word, from the element of an array",
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
         "`floatarray`; in any other record, in a list or an option, or in a reference that a closure shares, it is a block. Split the "
         "record, or use one of these.",
     .before = "type mean = { mutable count : int; mutable sum : float }",
     .after = "type sum = { mutable sum : float } type mean = { mutable count : int; sum : sum }"},
    {.name = "options",
     .title = "Options and results that are taken apart at once",
     .condition =
         "OCaml: blocks of one word from an expression that begins with Some, Ok or Error, or from a function such as find_opt, and "
         "80 % of their bytes die without being promoted",
     .needs = {.words_least = 1, .words_most = 1, .is_young = true},
     .applies = is_option,
     .remedy =
         "Return a value that cannot occur otherwise, -1 for an index, or raise Not_found, or take what to do as an argument.",
     .before = "match find i with Some x -> use x | None -> ()",
     .after = "match find i with x -> use x | exception Not_found -> ()"},
    {.name = "optional-arguments",
     .title = "Optional arguments",
     .condition =
         "OCaml: blocks of one word from a call with a label, and 80 % of their bytes die without being promoted",
     .needs = {.words_least = 1, .words_most = 1, .is_young = true},
     .applies = is_labelled,
     .remedy =
         "Each optional argument that is given is put into a Some. Let the argument be required.",
     .before = "let scale ?(factor = 1) n = n * factor",
     .after = "let scale ~factor n = n * factor"},
    {.name = "tuples",
     .title = "Tuples that are taken apart at once",
     .condition =
         "OCaml: blocks from an expression with as many parts, between commas, as they have words, and 80 % of their bytes die without being "
         "promoted",
     .needs = {.is_young = true},
     .applies = is_tuple,
     .remedy =
         "Return one of the values and compute the other where it is wanted, let the function take what to do with them, or let it "
         "store them; as a key, put two numbers into one.",
     .before = "let divide a b = (a / b, a mod b)",
     .after = "let quotient a b = a / b (* and a - b * quotient a b *)"},
    {.name = "lazy-values",
     .title = "Lazy values that are forced at once",
     .condition =
         "OCaml: blocks from an expression that begins with lazy, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_lazy,
     .remedy =
         "A lazy value is a block and a function. Compute the value, or do so where it is wanted.",
     .before = "choose n (lazy (n * 3))",
     .after = "choose n (n * 3)"},
    {.name = "escaping-refs",
     .title = "References that live in a block",
     .condition =
         "OCaml: blocks of one word from an expression that begins with ref, and 80 % of their bytes die without being promoted",
     .needs = {.words_least = 1, .words_most = 1, .is_young = true},
     .applies = is_ref,
     .remedy =
         "A reference that a function is given, or that a closure shares, is a block; one that is local to a function, loops included, is "
         "none. Pass its value and return the new one, or write the loop itself.",
     .before = "let count = ref 0 in List.iter (fun x -> count := !count + x) all",
     .after = "List.fold_left ( + ) 0 all"},
    {.name = "functor-applications",
     .title = "A functor applied again and again",
     .condition =
         "OCaml: blocks made by the body of a functor that is applied by a function, and 80 % of their bytes die without being "
         "promoted",
     .needs = {.is_young = true},
     .applies = is_functor,
     .remedy =
         "A functor that is applied within a function makes its module, and a block for each function of it, at each call. Apply it "
         "once, outside of all functions.",
     .before = "let largest a b = let module L = Largest (Up) in L.of_two a b",
     .after = "module L = Largest (Up) let largest a b = L.of_two a b",
     .names_caller = true},
    {.name = "modules",
     .title = "Modules made again and again",
     .condition =
         "OCaml: blocks from an expression that begins with struct, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_module,
     .remedy =
         "A module within a function is a block for each call, as are its functions that use what is around them. Pass the functions, or "
         "lift the module out.",
     .before = "let module Square = struct let area n = n * n * i end in measure (module Square)",
     .after = "measure (fun i n -> n * n * i) i"},
    {.name = "closures",
     .title = "Functions made again and again",
     .condition =
         "OCaml: blocks of at least 3 words from an expression that begins with fun or function, or from a local function, and 80 % of "
         "their bytes die without being promoted",
     .needs = {.words_least = 3, .words_most = 1000, .is_young = true},
     .applies = is_closure,
     .remedy =
         "A function that uses variables from around it is a block. Lift it out of the loop, or write the loop itself: a `for`, or "
         "`let rec` with what it uses as arguments.",
     .before = "Array.iter (fun x -> total := !total + x * scale) row",
     .after = "for i = 0 to Array.length row - 1 do total := !total + row.(i) * scale done"},
    {.name = "exceptions",
     .title = "Exceptions with arguments",
     .condition =
         "OCaml: blocks from a constructor that is raised, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_exception,
     .remedy =
         "Each is a block. Return the value, or raise a constant exception and leave the arguments in a variable.",
     .before = "raise (Found index)",
     .after = "index"},
    {.name = "variants",
     .title = "Constructors with arguments, taken apart at once",
     .condition =
         "OCaml: blocks from an expression that begins with a constructor, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_constructor,
     .remedy =
         "A constructor without arguments is no block: store the arguments where its user finds them, as a lexer does with the text of "
         "a token.",
     .before = "let next lexer = ... Number value",
     .after = "let next lexer = ... lexer.value <- value; Number"},
    {.name = "record-copies",
     .title = "Records copied to change a field",
     .condition =
         "OCaml: blocks from an expression `{ ... with ... }`, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_record_copy,
     .remedy = "Let the field be mutable, and set it.",
     .before = "state := { !state with count = !state.count + 1 }",
     .after = "state.count <- state.count + 1"},
    {.name = "records",
     .title = "Records taken apart at once",
     .condition =
         "OCaml: blocks from an expression `{ ... }`, and 80 % of their bytes die without being promoted",
     .needs = {.is_young = true},
     .applies = is_record,
     .remedy = "Pass the fields as arguments, or keep one record with mutable fields and set them.",
     .before = "let add a b = { x = a.x + b.x; y = a.y + b.y }",
     .after = "let add sum a b = sum.x <- a.x + b.x; sum.y <- a.y + b.y"},
    {.name = "partial-application",
     .title = "Functions given some of their arguments",
     .condition =
         "OCaml: blocks of 4 to 16 words from an application of a function of the program's, and 80 % of their bytes die without being promoted",
     .needs = {.words_least = 4, .words_most = 16, .is_young = true},
     .applies = is_partial,
     .remedy =
         "Given fewer arguments than it takes, a function becomes a block that holds them. Give all at once, or do it once, "
         "outside the loop.",
     .before = "let limit = clamp low high in apply limit x",
     .after = "clamp low high x"},
    {.name = "list-temporaries",
     .title = "Lists that die at once",
     .condition =
         "OCaml: blocks come from functions of List, but for sorting, in a `let ... in`, and 80 % of their bytes are dead by the end, a fifth of what was collected without having been promoted",
     .applies = is_list_temporary,
     .remedy = "Walk the original once, with what is to be done with each element.",
     .before = "let squares = List.map square all in List.fold_left ( + ) 0 squares",
     .after = "List.fold_left (fun sum x -> sum + square x) 0 all",
     .yields = true},
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
