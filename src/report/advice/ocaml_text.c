#include "report/advice/ocaml_text.h"

#include <ctype.h>
#include <string.h>

#include "base/affix.h"

bool ocaml_is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'';
}

bool ocaml_begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           !(ocaml_is_part(text[length]) && ocaml_is_part(word[length - 1]));
}

const char *ocaml_inner(const struct evidence *evidence)
{
    return evidence->expression + strspn(evidence->expression, "( ");
}

bool ocaml_begins_with(const struct evidence *evidence, const char *const *words)
{
    while (*words && !ocaml_begins(ocaml_inner(evidence), *words))
        words++;
    return *words;
}

bool ocaml_follows(const struct evidence *evidence, const char *word)
{
    const char *before = evidence->before;
    size_t length = strlen(word), end = strlen(before);
    while (end > 0 && strchr(" (", before[end - 1]))
        end--;
    return end >= length && strncmp(before + end - length, word, length) == 0 &&
           !(end > length && ocaml_is_part(before[end - length - 1]) && ocaml_is_part(*word));
}

bool ocaml_is_before(const struct evidence *evidence, const char *word)
{
    return ocaml_begins(evidence->after + strspn(evidence->after, " )"), word);
}

/* The last word in front of the expression, to its end. */
static const char *word_before(const struct evidence *evidence)
{
    const char *start = evidence->before, *at = start + strlen(start);
    while (at > start && strchr(" (", at[-1]))
        at--;
    while (at > start && (ocaml_is_part(at[-1]) || at[-1] == '.'))
        at--;
    return at;
}

bool ocaml_is_inline_record(const struct evidence *evidence)
{
    const char *word = word_before(evidence);
    size_t length = strcspn(word, " (");
    return *ocaml_inner(evidence) == '{' && isupper((unsigned char)*word) &&
           word[length - 1] != '.';
}

bool ocaml_is_constructor(const struct evidence *evidence)
{
    const char *text = ocaml_inner(evidence);
    size_t length = 0;
    while (isupper((unsigned char)text[length])) {
        while (ocaml_is_part(text[length]))
            length++;
        if (text[length] != '.')
            return text[length] == ' ' || text[length] == '(';
        length++;
    }
    return ocaml_is_inline_record(evidence);
}

unsigned ocaml_count_outside(const char *text, const char *wanted, const char **last)
{
    unsigned count = 0;
    bool has_pair = *text == '(';
    int depth = 0;
    for (text += has_pair; *text && depth >= 0; text++) {
        depth += strchr("([{", *text) != NULL;
        depth -= strchr(")]}", *text) != NULL;
        if (depth == 0 && begins_with(text, wanted)) {
            *last = text + strlen(wanted);
            count++;
        }
    }
    return count;
}

unsigned ocaml_commas(const char *text)
{
    const char *last;
    return ocaml_count_outside(text, ",", &last);
}

const char *ocaml_applied(const struct evidence *evidence)
{
    const char *function = evidence->expression;
    ocaml_count_outside(evidence->expression, "|>", &function);
    return function + strspn(function, "( ");
}

const char *ocaml_short_name(const char *function)
{
    function += begins_with(function, "Stdlib") ? 6 : 0;
    return function + strspn(function, "_.");
}

/* The library function that the place applies; or where that is a fold which is given a function whose last call left no frame for
 * it, what that called. */
static const char *applied_by(const struct evidence *evidence)
{
    const char *call = ocaml_short_name(evidence->call_count > 0 ? evidence->calls[0] : "");
    bool is_fold = strstr(call, ".fold") && evidence->call_count > 1;
    return is_fold ? ocaml_short_name(evidence->calls[evidence->call_count - 1]) : call;
}

bool ocaml_applies(const struct evidence *evidence, const char *const *names)
{
    const char *call = applied_by(evidence), *text = ocaml_applied(evidence);
    for (; *names; names++)
        if (ocaml_begins(call, *names) || ocaml_begins(text, *names))
            return true;
    return false;
}

const char *ocaml_statement(const struct evidence *evidence)
{
    const char *text = evidence->before, *at = text + strlen(text);
    for (int depth = 0; at > text; at--) {
        depth += strchr(")]}", at[-1]) != NULL;
        depth -= strchr("([{", at[-1]) != NULL && depth > 0;
        bool is_end =
            at[-1] == ';' || (at[-1] == '=' && *at == ' ') ||
            (at - text >= 2 && (begins_with(at - 2, "->") || begins_with(at - 2, "<-"))) ||
            (at - text >= 4 && begins_with(at - 4, " in "));
        if (depth == 0 && is_end)
            break;
    }
    return at;
}

bool ocaml_is_argument(const struct evidence *evidence)
{
    const char *before = evidence->before;
    return *evidence->expression == '(' || (*before && before[strlen(before) - 1] == '(') ||
           ocaml_follows(evidence, "@@");
}

bool ocaml_is_consumed(const struct evidence *evidence)
{
    static const char *const modules[] = {"List.", "Array.",  "String.concat", "Seq.", "Buffer.",
                                          "Str.",  "Option.", "Hashtbl.",      NULL};
    return ocaml_is_before(evidence, "|>") ||
           (ocaml_is_argument(evidence) && evidence_names(ocaml_statement(evidence), modules));
}

bool ocaml_is_bound(const struct evidence *evidence)
{
    return ocaml_is_before(evidence, "in") && ocaml_follows(evidence, "=");
}

unsigned ocaml_words(const struct evidence *evidence)
{
    static const double alike_part = 0.9;
    return evidence_alike(evidence) >= alike_part
               ? (unsigned)((double)evidence->figures->common_bytes /
                            evidence->sites->model->estimate.word_bytes)
               : 0;
}
