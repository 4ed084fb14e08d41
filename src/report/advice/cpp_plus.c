#include "report/advice/cpp_plus.h"

#include <string.h>

#include "report/sites/name_letter.h"

/* ---- A string that grows ------------------------------------------------------------------- */

/* Does the text have the name as one side of a `+`, up to the end of the statement? */
static bool adds(const char *text, const char *name, size_t size)
{
    size_t length = strcspn(text, ";");
    for (size_t at = 1; at + size <= length; at++) {
        const char *word = text + at, *behind = word + size;
        if (strncmp(word, name, size) == 0 && !is_name_letter(word[-1]) &&
            !is_name_letter(*behind) &&
            (strncmp(behind, " +", 2) == 0 || (at > 1 && word[-2] == '+')))
            return true;
    }
    return false;
}

/* `text = text + part`, `this->text = part + this->text` */
static bool adds_to_itself(const char *code)
{
    for (const char *sign = code; (sign = strstr(sign, " = ")); sign++) {
        const char *name = sign;
        while (name > code && is_name_letter(name[-1]))
            name--;
        if (sign > name && adds(sign + 2, name, (size_t)(sign - name)))
            return true;
    }
    return false;
}

/* Of strings of any length in turn, half are longer than the one before. */
static bool nearly_all_rise(const struct site *figures)
{
    static const double part = 0.75;
    return (double)(figures->doublings + figures->small_steps) >= part * (double)figures->followers;
}

static bool grows(const struct evidence *evidence)
{
    return evidence_replaces(evidence) && evidence_grows(evidence) &&
           (adds_to_itself(evidence->code) || nearly_all_rise(evidence->figures));
}

/* ---- Several `+` of one line -------------------------------------------------------------- */

/* Is what stands between two places of the line part of one sum, as far as brackets and other operators tell? */
static bool is_one_sum(const char *code, size_t from, size_t to)
{
    int depth = 0;
    if (to > strlen(code))
        return false;
    for (const char *at = code + from; at < code + to && depth >= 0; at++) {
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        if (depth == 0 && strchr(",;?=<>&|", *at))
            return false;
    }
    return depth >= 0;
}

static bool appends(const struct evidence *evidence)
{
    static const char *const parts[] = {"::append", "::_M_append", NULL};
    return evidence_has_call(evidence, "std::operator+") && evidence_has_call_of(evidence, parts);
}

/* Does the step take what the step before left into a larger block?  The same `+`, which has copied its left side first, or one behind it. */
static bool is_next(const struct evidence *step, const struct evidence *before, const char *code)
{
    static const double part = 0.6; /* of the blocks, as samples show some */
    size_t from = before->place->start_char, to = step->place->start_char;
    return step->place->line == before->place->line && appends(step) &&
           step->figures->objects >= part * before->figures->objects &&
           evidence_block_bytes(step) > evidence_block_bytes(before) &&
           (from == to ? !appends(before) : from < to && is_one_sum(code, from, to));
}

/* Is there a step of the line that comes next, or that came before? */
static bool has_step(const struct evidence *evidence, bool wants_next)
{
    const struct sites *sites = evidence->sites;
    uint32_t site = sites->site_of[evidence->stack];
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (origin->site != site || &origin->figures == evidence->figures)
            continue;
        struct evidence other = evidence_of(sites, origin, NULL);
        bool is_step = other.place && evidence_has_call(&other, "std::operator+");
        if (is_step && (wants_next ? is_next(&other, evidence, evidence->code)
                                   : is_next(evidence, &other, evidence->code)))
            return true;
    }
    return false;
}

/* ---- Both ---------------------------------------------------------------------------------- */

bool cpp_is_plus(const struct evidence *evidence)
{
    return evidence_has_call(evidence, "std::operator+") &&
           (grows(evidence) || has_step(evidence, true) || has_step(evidence, false));
}

/* The last of several steps stays. */
double cpp_keeps_of_plus(const struct evidence *evidence)
{
    return grows(evidence) || has_step(evidence, true) ? 0 : evidence->figures->bytes;
}

const struct advice_example *cpp_plus_example(const struct evidence *evidence)
{
    static const struct advice_example
        grown = {"text = text + part;", "text += part;"},
        sum = {"return folder + \"/\" + name;",
               "std::string text; text.reserve(n); text += folder; text += '/'; text += name;"};
    return grows(evidence) ? &grown : &sum;
}
