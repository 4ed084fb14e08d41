#include "scanner.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    int kind;
} words[] = {
    {"and", TOKEN_AND},   {"class", TOKEN_CLASS}, {"else", TOKEN_ELSE},     {"false", TOKEN_FALSE},
    {"for", TOKEN_FOR},   {"fun", TOKEN_FUN},     {"if", TOKEN_IF},         {"nil", TOKEN_NIL},
    {"or", TOKEN_OR},     {"print", TOKEN_PRINT}, {"return", TOKEN_RETURN}, {"super", TOKEN_SUPER},
    {"this", TOKEN_THIS}, {"true", TOKEN_TRUE},   {"var", TOKEN_VAR},       {"while", TOKEN_WHILE},
};

static void skip_blanks(struct scanner *scanner)
{
    for (;; scanner->at++) {
        if (scanner->at[0] == '/' && scanner->at[1] == '/')
            scanner->at += strcspn(scanner->at, "\n");
        if (scanner->at[0] == '\n')
            scanner->line++;
        else if (!*scanner->at || !strchr(" \t\r", *scanner->at))
            return;
    }
}

static struct token make(const struct scanner *scanner, int kind, const char *text)
{
    return (struct token){kind, text, (int)(scanner->at - text), scanner->line};
}

static struct token wrong(const struct scanner *scanner, const char *message)
{
    return (struct token){TOKEN_WRONG, message, (int)strlen(message), scanner->line};
}

static struct token scan_string(struct scanner *scanner)
{
    const char *text = scanner->at;
    for (; *scanner->at && *scanner->at != '"'; scanner->at++)
        scanner->line += *scanner->at == '\n';
    if (!*scanner->at)
        return wrong(scanner, "a string is not closed");
    struct token token = make(scanner, TOKEN_STRING, text);
    scanner->at++;
    return token;
}

static struct token scan_number(struct scanner *scanner, const char *text)
{
    while (isdigit((unsigned char)*scanner->at))
        scanner->at++;
    if (scanner->at[0] == '.' && isdigit((unsigned char)scanner->at[1])) {
        scanner->at++;
        while (isdigit((unsigned char)*scanner->at))
            scanner->at++;
    }
    return make(scanner, TOKEN_NUMBER, text);
}

static struct token scan_word(struct scanner *scanner, const char *text)
{
    while (isalnum((unsigned char)*scanner->at) || *scanner->at == '_')
        scanner->at++;
    struct token token = make(scanner, TOKEN_NAME, text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == (size_t)token.length &&
            memcmp(words[i].name, text, (size_t)token.length) == 0)
            token.kind = words[i].kind;
    return token;
}

struct token scanner_next(struct scanner *scanner)
{
    skip_blanks(scanner);
    const char *text = scanner->at;
    if (!*text)
        return make(scanner, TOKEN_END, text);
    scanner->at++;
    if (isalpha((unsigned char)*text) || *text == '_')
        return scan_word(scanner, text);
    if (isdigit((unsigned char)*text))
        return scan_number(scanner, text);
    if (*text == '"')
        return scan_string(scanner);
    if (strchr("!=<>", *text) && *scanner->at == '=') {
        scanner->at++;
        return make(scanner,
                    *text == '!'   ? TOKEN_NOT_EQUAL
                    : *text == '=' ? TOKEN_EQUAL_EQUAL
                    : *text == '<' ? TOKEN_LESS_EQUAL
                                   : TOKEN_GREATER_EQUAL,
                    text);
    }
    if (strchr("(){}[];,.+-*/!=<>", *text))
        return make(scanner, *text, text);
    return wrong(scanner, "no word of Lox begins like this");
}
