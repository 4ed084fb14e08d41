/* OCaml: what an expression makes: options, tuples, functions, records, modules. */
#include <ctype.h>
#include <string.h>

#include "base/affix.h"
#include "report/advice/cause.h"
#include "report/advice/ocaml_text.h"

static const char *const references[] = {"ref", NULL};
static const char *const modules[] = {"struct", NULL};
static const unsigned closure_words = 3;

static bool is_function(const struct evidence *evidence)
{
    static const char *const words[] = {"fun", "function", NULL};
    return ocaml_begins_with(evidence, words);
}

/* `let name x = ...`, of which the characters begin behind the name. */
static bool is_local_function(const struct evidence *evidence)
{
    const char *before = evidence->before;
    size_t end = strlen(before);
    while (end > 0 && before[end - 1] == ' ')
        end--;
    while (end > 0 && ocaml_is_part(before[end - 1]))
        end--;
    while (end > 0 && before[end - 1] == ' ')
        end--;
    return (end >= 3 && begins_with(before + end - 3, "let")) ||
           (end >= 3 && begins_with(before + end - 3, "rec")) ||
           (end >= 3 && begins_with(before + end - 3, "and"));
}

/* `Make (Order)`, `Map.Make (struct ... end)`; not `Complex.add (Complex.i)`, a function. */
static bool applies_functor(const char *text)
{
    size_t name = 0, last = 0;
    for (; ocaml_is_part(text[name]) || text[name] == '.'; name++)
        last = text[name] == '.' ? name + 1 : last;
    const char *argument = text + name + strspn(text + name, " (");
    return isupper((unsigned char)text[last]) &&
           memchr(text + name, '(', (size_t)(argument - text) - name) &&
           (isupper((unsigned char)*argument) || ocaml_begins(argument, "struct"));
}

/* One of the program's, where the function at the place is one of the functor's or its end, or one of Stdlib's. */
static bool is_functor(const struct evidence *evidence)
{
    return applies_functor(evidence->call_count > 0 ? evidence->expression
                                                    : evidence->caller_expression);
}

/* Behind `let* name = ... in`: of the function that is made of the rest, the characters are those of the rest, and so are those of
 * the result or option with which that ends. */
static bool is_continuation(const struct evidence *evidence)
{
    const char *start = evidence->before, *at = start + strlen(start);
    while (at > start && ((at[-1] != ' ' && at[-1] != '(') ||
                          !(ocaml_begins(at, "let") || ocaml_begins(at, "and"))))
        at--;
    bool is_behind = ocaml_follows(evidence, "in") && at > start && at[3] && strchr("*+@", at[3]);
    unsigned words = ocaml_words(evidence);
    bool is_itself = *ocaml_inner(evidence) == '{' || ocaml_is_constructor(evidence);
    return is_behind && (words == 0 || (words >= closure_words && !is_itself));
}

/* The results, each of one word. */
static double results(const struct evidence *evidence)
{
    const struct site *figures = evidence->figures;
    double word = evidence->sites->model->estimate.word_bytes;
    bool are_most = (double)figures->common_bytes == word;
    return 2 * word *
           (are_most ? figures->common_objects : figures->objects - figures->common_objects);
}

/* `object#method`, without arguments: a function of the object. */
static bool is_method(const struct evidence *evidence)
{
    const char *text = ocaml_inner(evidence), *at = text;
    while (ocaml_is_part(*at) || *at == '#' || *at == '.')
        at++;
    return at > text && memchr(text, '#', (size_t)(at - text)) && !at[strspn(at, " )")];
}

static bool is_closure(const struct evidence *evidence)
{
    return is_function(evidence) || is_local_function(evidence) || is_method(evidence);
}

static const char *const of_options[] = {"Some", "Ok", "Error", NULL};

static bool is_option(const struct evidence *evidence)
{
    const char *call = evidence->call_count > 0 ? evidence->calls[0] : "";
    return evidence->call_count > 0
               ? evidence_names(call,
                                (const char *const[]){
                                    "find_opt", "assoc_opt", "nth_opt", "int_of_string_opt",
                                    "index_opt", "min_elt_opt", "max_elt_opt", "min_binding_opt",
                                    "max_binding_opt", "peek_opt", "pop_opt", "take_opt",
                                    "assq_opt", "float_of_string_opt", NULL})
               : ocaml_begins_with(evidence, of_options);
}

/* `~name:value`, or `~name` with what has that name. */
static bool is_labelled(const struct evidence *evidence)
{
    const char *before = evidence->before;
    size_t end = strlen(before);
    end -= end > 0 && before[end - 1] == ':';
    while (end > 0 && ocaml_is_part(before[end - 1]))
        end--;
    return end > 0 && before[end - 1] == '~';
}

static bool is_tuple(const struct evidence *evidence)
{
    unsigned commas = ocaml_commas(evidence->expression);
    return commas > 0 && ocaml_words(evidence) == commas + 1 && !ocaml_is_constructor(evidence) &&
           !is_function(evidence) && *ocaml_inner(evidence) != '{' && *ocaml_inner(evidence) != '[';
}

static bool is_lazy(const struct evidence *evidence)
{
    return ocaml_begins(ocaml_inner(evidence), "lazy") || ocaml_follows(evidence, "lazy");
}

/* Blocks of several sizes at one of an option or a result are functions, too (is_continuation). */
static bool is_constructor(const struct evidence *evidence)
{
    return evidence->call_count == 0 && ocaml_is_constructor(evidence) &&
           !(ocaml_begins_with(evidence, of_options) && ocaml_words(evidence) == 0);
}

static bool is_raised(const struct evidence *evidence)
{
    return ocaml_follows(evidence, "raise") || ocaml_follows(evidence, "raise_notrace");
}

static bool is_exception(const struct evidence *evidence)
{
    static const char *const raises[] = {"raise", "raise_notrace", NULL};
    bool is_inline = ocaml_is_inline_record(evidence);
    return is_constructor(evidence) &&
           (is_raised(evidence) ||
            (is_inline && evidence_names(ocaml_statement(evidence), raises)));
}

static bool is_record_copy(const struct evidence *evidence)
{
    static const char *const with[] = {"with", NULL};
    return *ocaml_inner(evidence) == '{' && evidence_names(evidence->expression, with);
}

static bool is_record(const struct evidence *evidence)
{
    return *ocaml_inner(evidence) == '{' || evidence_has_call(evidence, "Complex.");
}

/* An application of a function of the program's to some of its arguments: a closure of them. */
static bool is_partial(const struct evidence *evidence)
{
    static const char *const others[] = {
        "Unix.",  "Gc.",    "Sys.",    "Obj.",      "Marshal.", "Digest.", "Str.",
        "Array.", "Bytes.", "String.", "Bigarray.", "ref",      "lazy",    "if",
        "match",  "let",    "begin",   "new",       "object",   "try",     NULL};
    const char *text = ocaml_inner(evidence);
    size_t name = strcspn(text, " ");
    return evidence->call_count == 0 && isalpha((unsigned char)*text) && text[name] == ' ' &&
           text[name + 1] && !strchr("-+*/=<>|&^@:;,", text[name + 1]) &&
           !evidence_names(text, others) && !is_function(evidence) &&
           !ocaml_is_constructor(evidence) && ocaml_commas(evidence->expression) == 0 &&
           !strchr(text, '{') && !strstr(text, "::") && !is_local_function(evidence);
}

const struct advice_cause advice_ocaml_values[] = {
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
     .needs = {.begins = references, .words_least = 1, .words_most = 1, .is_young = true},
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
     .needs = {.begins = modules, .is_young = true},
     .remedy =
         "A module within a function is a block for each call, as are its functions that use what is around them. Pass the functions, or "
         "lift the module out.",
     .before = "let module Square = struct let area n = n * n * i end in measure (module Square)",
     .after = "measure (fun i n -> n * n * i) i"},
    {.name = "closures",
     .title = "Functions made again and again",
     .condition =
         "OCaml: blocks of at least 3 words from an expression that begins with fun or function, or from a local function or a method without arguments, and 80 % of "
         "their bytes die without being promoted",
     .needs = {.words_least = 3, .words_most = 1000, .is_young = true},
     .applies = is_closure,
     .remedy =
         "A function that uses variables from around it is a block. Lift it out of the loop, or write the loop itself: a `for`, or "
         "`let rec` with what it uses as arguments.",
     .before = "Array.iter (fun x -> total := !total + x * scale) row",
     .after = "for i = 0 to Array.length row - 1 do total := !total + row.(i) * scale done"},
    {.name = "continuations",
     .title = "Functions made for `let*`",
     .condition =
         "OCaml: blocks of several sizes, or of at least 3 words, from an expression behind `let* ... in`, and 80 % of their bytes die "
         "without being promoted",
     .needs = {.is_young = true},
     .applies = is_continuation,
     .keeps = results,
     .remedy =
         "What follows `let* x = a in` is a function that is given x, and a block for each call. Write the `match` itself: it needs "
         "none.",
     .before = "let* x = find a in Some (x + 1)",
     .after = "match find a with None -> None | Some x -> Some (x + 1)"},
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
         "OCaml: blocks from an expression `{ ... }` or a function of Complex, and 80 % of their bytes die without being promoted",
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
    {0},
};
