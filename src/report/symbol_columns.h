/* Columns that name a place of the program. */
#ifndef REPORT_SYMBOL_COLUMNS_H
#define REPORT_SYMBOL_COLUMNS_H

#include "answer/answer.h"
#include "profile/symbols.h"

/* Rows that begin with a struct symbol. */
#define SYMBOL_FUNCTION ANSWER_FIELD(struct symbol, function)
#define SYMBOL_FILE ANSWER_FIELD(struct symbol, file)
#define SYMBOL_LINE ANSWER_FILLED(struct symbol, line)
struct answer_value symbol_column_name(const void *row, const void *context); /* function or file */
struct answer_value symbol_column_place(const void *row, const void *context); /* of a function */

struct answer_value symbol_column_call(const void *row, const void *context);
struct answer_value symbol_column_call_file(const void *row, const void *context);
struct answer_value symbol_column_call_share(const void *row, const void *context);

/* The same of a symbol at hand. */
struct answer_value symbol_value_name(const struct symbol *symbol); /* with what it calls */
struct answer_value symbol_value_line(const struct symbol *symbol);
struct answer_value symbol_value_place(const struct symbol *symbol);

/* " (shop.c:12)", what a sentence has after a function's name; "" where file or line is not known. */
enum { SYMBOL_LINE_BYTES = 512 };
const char *symbol_line_text(char text[SYMBOL_LINE_BYTES], const char *file, uint32_t line);

/* Is one called, of which at least the library is known? */
bool symbol_calls(const struct symbol_call *call);

/* " calling into jv_parse (libjq.so.1)", or " calling into libjq.so.1" where that has no name, what a sentence has after the name and place of a function that has no name of its own; else "". */
enum { SYMBOL_CALL_BYTES = 1024 };
const char *symbol_call_text(char text[SYMBOL_CALL_BYTES], const struct symbol *symbol);

/* For programs: of a place whose function has no name, the library function that it calls; of rows that begin with a struct symbol,
 * or by functions of their own. */
#define SYMBOL_CALL_KEYS                                                                           \
    SYMBOL_CALL_KEYS_OF(symbol_column_call, symbol_column_call_file, symbol_column_call_share)
#define SYMBOL_CALL_KEYS_OF(name_of, file_of, share_of)                                                                                                     \
    {"calls",                                                                                                                                               \
     NULL,                                                                                                                                                  \
     ANSWER_TEXT,                                                                                                                                           \
     name_of,                                                                                                                                               \
     "of a function without a name: the library function that it calls, of several the one that most comes through; missing where that has no name either", \
     .flags = ANSWER_OMIT | ANSWER_NO_CSV},                                                                                                                 \
        {"calls_file",                                                                                                                                      \
         NULL,                                                                                                                                              \
         ANSWER_TEXT,                                                                                                                                       \
         file_of,                                                                                                                                           \
         "its source file, or its library",                                                                                                                 \
         .flags = ANSWER_OMIT | ANSWER_NO_CSV},                                                                                                             \
    {                                                                                                                                                       \
        "calls_share", NULL, ANSWER_SHARE, share_of, "the part that comes through it",                                                                      \
            .flags = ANSWER_OMIT | ANSWER_NO_CSV                                                                                                            \
    }

/* For programs, with flags for all of them. */
#define SYMBOL_KEYS(all)                                                                           \
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "name of the function", .flags = (all)},      \
        {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "source file", .flags = (all)},                   \
    {                                                                                              \
        "line", NULL, ANSWER_WHOLE, SYMBOL_LINE, "line of the file", .flags = ANSWER_OMIT | (all)  \
    }

/* The same, and name and place for people. */
#define SYMBOL_COLUMNS                                                                             \
    SYMBOL_KEYS(0), {NULL, "FUNCTION", ANSWER_NAME, symbol_column_name},                           \
    {                                                                                              \
        NULL, "PLACE", ANSWER_PLACE, symbol_column_place                                           \
    }

/* A symbol with what pprof calls it; rows that begin with one. */
struct named_symbol {
    const char *name;
    const char *after; /* put after the name in text; NULL for nothing */
    const struct symbol *symbol;
};

/* Empty texts are none. */
#define NAMED_PART_OF(member) ANSWER_FILLED_OF(struct named_symbol, symbol, member)
struct answer_value named_column_name(const void *row, const void *context);
struct answer_value named_column_address(const void *row, const void *context);

/* The name, under a title, and what it is made of, which CSV has not. */
enum { NAMED_PART = ANSWER_OMIT | ANSWER_NO_CSV };
#define NAMED_COLUMNS(title, name_flags)                                                           \
    {"name", title,     ANSWER_NAME, named_column_name, "the function as pprof names it",          \
     0,      name_flags},                                                                          \
        {"function", NULL,      ANSWER_TEXT, NAMED_PART_OF(function), "name of the function",      \
         0,          NAMED_PART},                                                                  \
        {"file", NULL, ANSWER_TEXT, NAMED_PART_OF(file), "source file", 0, NAMED_PART},            \
        {"line", NULL, ANSWER_WHOLE, NAMED_PART_OF(line), "line of the file", 0, NAMED_PART},      \
        {"address", NULL,      ANSWER_TEXT, named_column_address, "address, of addresses",         \
         0,         NAMED_PART},                                                                   \
    {                                                                                              \
        "module", NULL, ANSWER_TEXT, NAMED_PART_OF(module),                                        \
            "program or library, where no more is known", 0, NAMED_PART                            \
    }

#endif
