/* OCaml: library functions that allocate, by their names in the stack or in the text. */
#include <string.h>

#include "report/advice/cause.h"
#include "report/advice/ocaml_text.h"

static const double scratch_words = 16, row_words = 4;
static const uint64_t growth_blocks = 8;

static double word_bytes(const struct evidence *evidence)
{
    return evidence->sites->model->estimate.word_bytes;
}

/* `text := !text ^ part`. */
static bool extends_itself(const struct evidence *evidence)
{
    const char *text = ocaml_inner(evidence), *before = evidence->before;
    size_t length = 0, end = strlen(before);
    while (end > 0 && strchr(" (:=", before[end - 1]))
        end--;
    while (length < end && ocaml_is_part(before[end - 1 - length]))
        length++;
    return *text == '!' && length > 0 && ocaml_follows(evidence, ":=") &&
           strncmp(text + 1, before + end - length, length) == 0 &&
           !ocaml_is_part(text[1 + length]);
}

/* Does each replace one that is a little smaller?  Of large blocks the death may not be known by the end: then that their sizes differ
 * must do, or that the text says so. */
static bool grows(const struct evidence *evidence)
{
    static const double differing_words = 16, differing_part = 0.1;
    bool are_many = evidence->figures->objects >= (double)growth_blocks;
    bool differs = evidence_block_bytes(evidence) >= differing_words * word_bytes(evidence) &&
                   evidence_alike(evidence) < differing_part;
    return evidence_grows(evidence) &&
           (evidence_replaces(evidence) || (are_many && (differs || extends_itself(evidence))));
}

/* ---- Functions ------------------------------------------------------------------------------ */

static const char *const formats[] = {"CamlinternalFormat.", "Stdlib__Printf.", "Stdlib.Printf.",
                                      "Stdlib__Format.",     "Stdlib.Format.",  NULL};
static const char *const scans[] = {"Stdlib__Scanf.", "Stdlib.Scanf.", NULL};

static const char *const splits[] = {"String.split_on_char", "Str.", NULL};
static const char *const copies[] = {"String.sub",
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
static const char *const string_appends[] = {"(^)", "^", "String.concat", "Bytes.cat", NULL};
static const char *const list_appends[] = {"(@)", "@", "List.append", NULL};
static const char *const array_appends[] = {"Array.append", "Array.concat", NULL};
static const char *const buffer_growth[] = {"Buffer.resize", NULL};
static const char *const hashtbl_growth[] = {"Hashtbl.resize", "insert_all_buckets", NULL};
static const char *const sequences[] = {"Stdlib__Seq.", "Stdlib.Seq.", ".to_seq", NULL};
static const char *const list_makers[] = {"List.map",        "List.mapi",       "List.map2",
                                          "List.rev",        "List.rev_map",    "List.filter",
                                          "List.filteri",    "List.filter_map", "List.find_all",
                                          "List.concat_map", "List.concat",     "List.flatten",
                                          "List.init",       "List.combine",    "List.split",
                                          "List.partition",  "List.rev_append", NULL};
static const char *const array_makers[] = {"Array.map",  "Array.mapi",   "Array.map2",
                                           "Array.init", "Array.concat", NULL};
static const char *const number_texts[] = {"string_of_int",   "string_of_float", "Int64.to_string",
                                           "Int32.to_string", "Int.to_string",   NULL};
static const char *const takers[] = {"Buffer.add_string", "output_string", "print_string",
                                     "print_endline", NULL};
static const char *const marshals[] = {"Marshal.to_string", "Marshal.to_bytes", NULL};
static const char *const scratch[] = {"Array.make",
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
static const char *const conversions[] = {"Array.to_list",
                                          "Array.of_list",
                                          "Array.of_seq",
                                          "List.of_seq",
                                          "String.to_bytes",
                                          "List.to_seq",
                                          NULL};

/* An element in front of a list is no list appended. */
static bool is_list_append(const struct evidence *evidence)
{
    return *ocaml_inner(evidence) != '[';
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

static bool is_chain(const struct evidence *evidence)
{
    return !evidence_has_call(evidence, "sort") && ocaml_is_consumed(evidence) &&
           is_temporary(evidence);
}

static bool is_list_temporary(const struct evidence *evidence)
{
    static const double young_part = 0.2;
    return !evidence_has_call(evidence, "sort") && ocaml_is_bound(evidence) &&
           is_temporary(evidence) && evidence_young(evidence) >= young_part;
}

static bool is_object(const struct evidence *evidence)
{
    static const char *const words[] = {"new", "object", NULL};
    return evidence_has_call(evidence, "CamlinternalOO.") || ocaml_begins_with(evidence, words);
}

/* By a function of the same line, or, in parentheses, of one before. */
static bool is_taken(const struct evidence *evidence)
{
    return evidence_names(evidence->code, takers) ||
           (ocaml_is_argument(evidence) && evidence_names(ocaml_statement(evidence), takers));
}

static bool is_repeated(const struct evidence *evidence)
{
    return evidence->figures->objects >= 2;
}

/* `let name = Array.init n (fun i -> Array.make ...) in`: a row of what is bound. */
static bool is_bound_row(const struct evidence *evidence)
{
    static const char *const makers[] = {"= Array.init", "= Array.map", NULL};
    return ocaml_follows(evidence, "->") && ocaml_is_before(evidence, "in") &&
           evidence_names(evidence->before, makers);
}

/* A matrix, or `Array.init m (fun i -> Array.make ...)`, whose inner call, a tail call, leaves no frame. */
static bool has_rows(const struct evidence *evidence)
{
    const char *function = strstr(evidence->expression, "(fun");
    return ocaml_begins(ocaml_inner(evidence), "Array.make_matrix") ||
           (function && evidence_names(function, scratch));
}

/* What a function, which is called again and again, begins and ends with. */
static bool is_result(const struct evidence *evidence)
{
    return ocaml_follows(evidence, "=") && evidence->ends_item;
}

/* One array, buffer or matrix a turn, which the next could use again. */
static bool is_scratch(const struct evidence *evidence)
{
    bool is_row = is_bound_row(evidence) || has_rows(evidence);
    return (is_row || ocaml_is_bound(evidence) || is_result(evidence)) &&
           evidence->figures->objects >= (double)growth_blocks &&
           evidence_block_bytes(evidence) >=
               (is_row ? row_words : scratch_words) * word_bytes(evidence);
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

const struct advice_cause advice_ocaml_library[] = {
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
         "bytes, or nearly all differ in size, or the line is `x := !x ^ ...`; and the largest is half as large again as the mean",
     .needs = {.applied = string_appends},
     .applies = grows,
     .keeps = largest_twice,
     .remedy =
         "Each `a ^ b` copies both: n steps copy n * n / 2 of them. Add to a Buffer, or collect the parts and concatenate them once.",
     .before = "text := !text ^ part",
     .after = "Buffer.add_string buffer part",
     .is_growth = true},
    {.name = "list-append",
     .title = "Lists appended at their end",
     .condition = "OCaml: blocks come from `@` or List.append, with more than one element in front",
     .needs = {.applied = list_appends},
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
     .needs = {.applied = array_appends},
     .applies = grows,
     .remedy =
         "Each step copies all that is there. Collect the elements in a list, and make the array once; or keep an array that is "
         "doubled when it is full.",
     .before = "all := Array.append !all [| x |]",
     .after = "all := x :: !all (* and Array.of_list (List.rev !all), once *)",
     .is_growth = true},
    {.name = "buffer-growth",
     .title = "A buffer that grows by doubling",
     .condition = "OCaml: blocks come from Buffer's growth",
     .needs = {.calls = buffer_growth},
     .keeps = last_size,
     .remedy = "Create the buffer with the size that it will have, or keep one and clear it.",
     .before = "let buffer = Buffer.create 16 in",
     .after = "let buffer = Buffer.create 65536 in (* or Buffer.clear buffer *)"},
    {.name = "hashtbl-growth",
     .title = "A hash table that grows by doubling",
     .condition = "OCaml: blocks come from the growth of a Hashtbl",
     .needs = {.calls = hashtbl_growth},
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
     .needs = {.applied = splits, .is_young = true},
     .remedy =
         "Each part is a copy, in a list. Look for the separators with String.index_from, and read the parts where they stand.",
     .before = "List.iter use (String.split_on_char ',' line)",
     .after = "let stop = String.index_from line start ',' in use line start stop"},
    {.name = "copies",
     .title = "Copies that die at once",
     .condition =
         "OCaml: blocks come from String.sub, String.trim, Bytes.sub, Array.sub, Array.copy and the like, and 80 % of their "
         "bytes die without being promoted",
     .needs = {.applied = copies, .is_young = true},
     .remedy =
         "Look at the original at an offset, or pass the offset and the length on; change it in place, and back.",
     .before = "let part = String.sub line from size in part.[0]",
     .after = "line.[from]"},
    {.name = "sequences",
     .title = "Sequences walked once",
     .condition =
         "OCaml: blocks come from Seq or a to_seq, and 80 % of their bytes die without being promoted",
     .needs = {.calls = sequences, .is_young = true},
     .remedy =
         "Each element of each step is a node and a closure. Do all steps in one loop or fold over the original.",
     .before = "Array.to_seq all |> Seq.map f |> Seq.fold_left ( + ) 0",
     .after = "Array.fold_left (fun sum x -> sum + f x) 0 all"},
    {.name = "conversions",
     .title = "Arrays made into lists, or lists into arrays, to be walked once",
     .condition =
         "OCaml: blocks come from Array.to_list, Array.of_list and the like, and 80 % of their bytes die without being promoted",
     .needs = {.applied = conversions, .is_young = true},
     .remedy = "Arrays and lists have the same folds and iterations: walk the original.",
     .before = "List.fold_left ( + ) 0 (Array.to_list all)",
     .after = "Array.fold_left ( + ) 0 all"},
    {.name = "list-chain",
     .title = "Lists between the steps of a chain",
     .condition =
         "OCaml: blocks come from functions of List, but for sorting, whose result is the argument of another or stands before "
         "`|>`, and 80 % of their bytes are dead by the end",
     .needs = {.applied = list_makers},
     .applies = is_chain,
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
     .needs = {.applied = array_makers},
     .applies = is_chain,
     .remedy = "Each step makes an array for the next. Do all steps in one fold or one loop.",
     .before = "Array.fold_left ( + ) 0 (Array.map f all)",
     .after = "Array.fold_left (fun sum x -> sum + f x) 0 all"},
    {.name = "number-texts",
     .title = "Numbers made into texts to be written",
     .condition =
         "OCaml: blocks come from string_of_int and the like on a line, or in a statement, that adds to a buffer or prints, and 80 % of their bytes "
         "die without being promoted",
     .needs = {.applied = number_texts, .is_young = true},
     .applies = is_taken,
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
     .needs = {.applied = marshals, .is_young = true},
     .applies = is_repeated,
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
     .needs = {.applied = scratch, .is_young = true},
     .applies = is_scratch,
     .keeps = evidence_block_bytes,
     .remedy = "Make it once and fill or clear it in each turn, or let the caller pass it.",
     .before = "let count word = let seen = Array.make 256 false in",
     .after = "let seen = Array.make 256 false let count word = Array.fill seen 0 256 false;"},
    {.name = "list-temporaries",
     .title = "Lists that die at once",
     .condition =
         "OCaml: blocks come from functions of List, but for sorting, in a `let ... in`, and 80 % of their bytes are dead by the end, a fifth of what was collected without having been promoted",
     .needs = {.applied = list_makers},
     .applies = is_list_temporary,
     .remedy = "Walk the original once, with what is to be done with each element.",
     .before = "let squares = List.map square all in List.fold_left ( + ) 0 squares",
     .after = "List.fold_left (fun sum x -> sum + square x) 0 all",
     .yields = true},
    {0},
};
