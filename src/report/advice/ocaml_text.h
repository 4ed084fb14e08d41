/* OCaml's text as rules of advice read it: the expression that allocates, and what stands around it. */
#ifndef REPORT_ADVICE_OCAML_TEXT_H
#define REPORT_ADVICE_OCAML_TEXT_H

#include "report/sites/evidence.h"

/* Of a name: a letter, a digit, an underscore or a quote. */
bool ocaml_is_part(char c);

/* Does the text begin with the word, and not with a longer one? */
bool ocaml_begins(const char *text, const char *word);

/* The expression without the parentheses and spaces in front. */
const char *ocaml_inner(const struct evidence *evidence);

/* Does that begin with one of the words, ended by NULL? */
bool ocaml_begins_with(const struct evidence *evidence, const char *const *words);

/* Is the last word in front of the expression this? */
bool ocaml_follows(const struct evidence *evidence, const char *word);

/* Is the first word behind it this? */
bool ocaml_is_before(const struct evidence *evidence, const char *word);

/* Is it what a constructor stands in front of, `{ ... }`? */
bool ocaml_is_inline_record(const struct evidence *evidence);

/* Is it a constructor with what it holds? */
bool ocaml_is_constructor(const struct evidence *evidence);

/* How often the text occurs outside all brackets but a pair around the whole; `*last` is behind the last of them. */
unsigned ocaml_count_outside(const char *text, const char *wanted, const char **last);

/* Commas between the parts of a tuple. */
unsigned ocaml_commas(const char *text);

/* The function that the expression applies as it is written: that behind the last |>, or the first word. */
const char *ocaml_applied(const struct evidence *evidence);

/* "List.map" of "Stdlib__List.map". */
const char *ocaml_short_name(const char *function);

/* Is one of Stdlib's functions applied: by its name in the stack, or in the text? */
bool ocaml_applies(const struct evidence *evidence, const char *const *names);

/* Where the statement of the expression begins in what precedes that: behind the last `=`, `;`, arrow or `in` outside of what has been
 * closed. */
const char *ocaml_statement(const struct evidence *evidence);

/* Is it in parentheses or behind @@, as an argument is? */
bool ocaml_is_argument(const struct evidence *evidence);

/* Is the result an argument of another function of a library, as written? */
bool ocaml_is_consumed(const struct evidence *evidence);

/* Is it what a `let ... in` binds? */
bool ocaml_is_bound(const struct evidence *evidence);

/* Words of a block without its header, where nearly all have the same; 0 where they don't. */
unsigned ocaml_words(const struct evidence *evidence);

#endif
