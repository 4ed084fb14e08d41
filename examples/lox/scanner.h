/* The words of a Lox program, one at a time. */
#ifndef LOX_SCANNER_H
#define LOX_SCANNER_H

#include <stdint.h>

enum token_kind {
    /* Signs are their own character; these have two. */
    TOKEN_END = 0,
    TOKEN_NOT_EQUAL = 256,
    TOKEN_EQUAL_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_LESS_EQUAL,
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_WRONG, /* `text` says what is */
    TOKEN_AND,
    TOKEN_CLASS,
    TOKEN_ELSE,
    TOKEN_FALSE,
    TOKEN_FOR,
    TOKEN_FUN,
    TOKEN_IF,
    TOKEN_NIL,
    TOKEN_OR,
    TOKEN_PRINT,
    TOKEN_RETURN,
    TOKEN_SUPER,
    TOKEN_THIS,
    TOKEN_TRUE,
    TOKEN_VAR,
    TOKEN_WHILE,
};

struct token {
    int kind;
    const char *text; /* in the source */
    int length;
    uint32_t line;
};

struct scanner {
    const char *at; /* the source, up to its zero */
    uint32_t line;
};

struct token scanner_next(struct scanner *scanner);

#endif
