/* Columns that name a place of the program. */
#ifndef REPORT_SYMBOL_COLUMNS_H
#define REPORT_SYMBOL_COLUMNS_H

#include "answer/answer.h"
#include "profile/symbols.h"

/* Rows that begin with a struct symbol. */
struct answer_value symbol_column_function(const void *row, const void *context);
struct answer_value symbol_column_file(const void *row, const void *context);
struct answer_value symbol_column_line(const void *row, const void *context);
struct answer_value symbol_column_name(const void *row, const void *context); /* function or file */
struct answer_value symbol_column_place(const void *row, const void *context); /* of a function */

/* The same of a symbol at hand. */
struct answer_value symbol_value_line(const struct symbol *symbol);
struct answer_value symbol_value_place(const struct symbol *symbol);
struct answer_value symbol_value_address(const struct symbol *symbol);

/* Function, file and line for programs, name and place for people. */
#define SYMBOL_COLUMNS                                                                             \
    {"function", NULL, ANSWER_TEXT, symbol_column_function, 0, 0, "name of the function"},         \
        {"file", NULL, ANSWER_TEXT, symbol_column_file, 0, 0, "source file"},                      \
        {"line", NULL, ANSWER_WHOLE, symbol_column_line, 0, ANSWER_OMIT, "line of the file"},      \
        {NULL, "FUNCTION", ANSWER_NAME, symbol_column_name, 0, 0, NULL},                           \
    {                                                                                              \
        NULL, "PLACE", ANSWER_PLACE, symbol_column_place, 0, 0, NULL                               \
    }

/* A symbol with what pprof calls it; rows that begin with one. */
struct named_symbol {
    const char *name;
    const char *after; /* put after the name in text; NULL for nothing */
    const struct symbol *symbol;
};

struct answer_value named_column_name(const void *row, const void *context);
struct answer_value named_column_function(const void *row, const void *context);
struct answer_value named_column_file(const void *row, const void *context);
struct answer_value named_column_line(const void *row, const void *context);
struct answer_value named_column_address(const void *row, const void *context);
struct answer_value named_column_module(const void *row, const void *context);

/* The name, under a title, and what it is made of, which CSV has not. */
#define NAMED_COLUMNS(title, flags)                                                                \
    {"name", title, ANSWER_NAME, named_column_name, 0, flags, "the function as pprof names it"},   \
        {"function",                                                                               \
         NULL,                                                                                     \
         ANSWER_TEXT,                                                                              \
         named_column_function,                                                                    \
         0,                                                                                        \
         ANSWER_OMIT | ANSWER_NO_CSV,                                                              \
         "name of the function"},                                                                  \
        {"file",       NULL, ANSWER_TEXT, named_column_file, 0, ANSWER_OMIT | ANSWER_NO_CSV,       \
         "source file"},                                                                           \
        {"line",                                                                                   \
         NULL,                                                                                     \
         ANSWER_WHOLE,                                                                             \
         named_column_line,                                                                        \
         0,                                                                                        \
         ANSWER_OMIT | ANSWER_NO_CSV,                                                              \
         "line of the file"},                                                                      \
        {"address",                                                                                \
         NULL,                                                                                     \
         ANSWER_TEXT,                                                                              \
         named_column_address,                                                                     \
         0,                                                                                        \
         ANSWER_OMIT | ANSWER_NO_CSV,                                                              \
         "address, of addresses"},                                                                 \
    {                                                                                              \
        "module", NULL, ANSWER_TEXT, named_column_module, 0, ANSWER_OMIT | ANSWER_NO_CSV,          \
            "program or library, where no more is known"                                           \
    }

#endif
