#include "report/advice/python_append.h"

#include <string.h>

#include "base/affix.h"
#include "report/sites/name_letter.h"

/* An assignment on a line.  `code` has no literals, so that brackets and operators are found in it; in `line` there are the same characters
 * and the literals. */
struct assignment {
    const char *code, *line;
    size_t target, size; /* of these, what is assigned to */
    size_t value, end;   /* what is assigned */
    bool is_added;       /* by += */
};

/* Where a statement ends that begins here, at a bracket depth of 0: `;`, the `:` of a block on the same line, or the line's end. */
static size_t statement_end(const char *code, size_t from)
{
    int depth = 0;
    for (size_t at = from; code[at]; at++) {
        depth += (strchr("([{", code[at]) != NULL) - (strchr(")]}", code[at]) != NULL);
        if (depth == 0 && (code[at] == ';' || (code[at] == ':' && code[at + 1] == ' ')))
            return at;
    }
    return strlen(code);
}

/* The first `=` of a statement that assigns, outside of brackets; its end where there is none. */
static size_t sign_of(const char *code, size_t from, size_t end)
{
    int depth = 0;
    for (size_t at = from; at < end; at++) {
        depth += (strchr("([{", code[at]) != NULL) - (strchr(")]}", code[at]) != NULL);
        if (depth == 0 && code[at] == '=')
            return at > from && code[at + 1] != '=' && !strchr("=!<>:", code[at - 1]) ? at : end;
    }
    return end;
}

/* The next assignment of the line from a place on, which moves behind it. */
static bool next_assignment(struct assignment *found, size_t *from)
{
    const char *code = found->code;
    while (code[*from]) {
        size_t start = *from + strspn(code + *from, " \t"), end = statement_end(code, start),
               sign = sign_of(code, start, end), stop = sign;
        *from = end + (code[end] != 0);
        found->is_added = sign < end && code[sign - 1] == '+';
        stop -= found->is_added;
        while (stop > start && code[stop - 1] == ' ')
            stop--;
        found->target = start;
        found->size = stop - start;
        found->value = sign + 1;
        found->end = end;
        if (sign < end && found->size > 0)
            return true;
    }
    return false;
}

/* Is the target at a place of the line, as a whole? */
static bool is_target_at(const struct assignment *found, size_t at)
{
    char before = found->line[at - 1], after = found->line[at + found->size];
    return strncmp(found->line + at, found->line + found->target, found->size) == 0 &&
           !is_name_letter(before) && before != '.' && !is_name_letter(after) &&
           !(after && strchr("([.", after));
}

/* Is it part of a literal? */
static bool is_blank(const struct assignment *found, size_t at)
{
    return found->code[at] != found->line[at];
}

/* Is what is at the place one side of a `+`? */
static bool is_added(const struct assignment *found, size_t at)
{
    const char *after = found->code + at + found->size;
    while (at > found->value && found->code[at - 1] == ' ')
        at--;
    after += strspn(after, " ");
    return found->code[at - 1] == '+' || *after == '+';
}

/* Is it in the braces of a literal, f"{x}"? */
static bool is_in_braces(const struct assignment *found, size_t at)
{
    char after = found->line[at + found->size];
    return is_blank(found, at) && found->line[at - 1] == '{' && after && strchr("}!:", after);
}

/* Is it given to `%`, format() or join()? */
static bool is_given(const struct assignment *found, size_t at)
{
    const char *value = found->code + found->value;
    const char *after = found->code + at + found->size;
    const char *calls[] = {strstr(value, "\".format("), strstr(value, "'.format("),
                           strstr(value, ".join("), strstr(value, "\" % "), strstr(value, "' % ")};
    after += strspn(after, " ");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] && calls[i] < found->code + at)
            return !*after || strchr(",)]};", *after);
    return false;
}

static bool makes_longer(const struct assignment *found, bool of_formats)
{
    if (found->is_added)
        return true;
    for (size_t at = found->value; at + found->size <= found->end; at++)
        if (is_target_at(found, at) &&
            ((!is_blank(found, at) && is_added(found, at)) ||
             (of_formats && (is_in_braces(found, at) || is_given(found, at)))))
            return true;
    return false;
}

static bool appends(const struct evidence *evidence, bool of_formats)
{
    struct assignment found = {.code = evidence->code, .line = evidence->line};
    size_t from = 0;
    while (next_assignment(&found, &from))
        if (makes_longer(&found, of_formats))
            return true;
    return false;
}

bool python_adds_to_itself(const struct evidence *evidence)
{
    return appends(evidence, false);
}

bool python_appends_text(const struct evidence *evidence)
{
    return appends(evidence, true);
}
