#include "report/advice/ocaml_text.h"

#include <ctype.h>
#include <string.h>

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
    return false;
}

unsigned ocaml_count_outside(const char *text, const char *wanted, const char **last)
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
    function += strncmp(function, "Stdlib", 6) == 0 ? 6 : 0;
    return function + strspn(function, "_.");
}

bool ocaml_applies(const struct evidence *evidence, const char *const *names)
{
    const char *call = ocaml_short_name(evidence->call_count > 0 ? evidence->calls[0] : "");
    const char *text = ocaml_applied(evidence);
    for (; *names; names++)
        if (ocaml_begins(call, *names) || ocaml_begins(text, *names))
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

bool ocaml_is_consumed(const struct evidence *evidence)
{
    static const char *const modules[] = {"List.", "Array.",  "String.concat", "Seq.", "Buffer.",
                                          "Str.",  "Option.", "Hashtbl.",      NULL};
    const char *before = evidence->before;
    bool has_pair = *evidence->expression == '(' || (*before && before[strlen(before) - 1] == '(');
    return ocaml_is_before(evidence, "|>") || ((has_pair || ocaml_follows(evidence, "@@")) &&
                                               evidence_names(statement(before), modules));
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
