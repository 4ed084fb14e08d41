#include "parser.h"

#include <stdio.h>

void complain(struct parser *parser, const struct token *at, const char *message)
{
    if (parser->panicking)
        return;
    parser->failed = parser->panicking = true;
    fprintf(stderr, "%s:%u: ", parser->script, at->line);
    if (at->kind == TOKEN_WRONG)
        fprintf(stderr, "%.*s\n", at->length, at->text);
    else if (at->kind == TOKEN_END)
        fprintf(stderr, "at the end: %s\n", message);
    else
        fprintf(stderr, "at '%.*s': %s\n", at->length, at->text, message);
}

void complain_before(struct parser *parser, const char *message)
{
    complain(parser, &parser->before, message);
}

void advance(struct parser *parser)
{
    parser->before = parser->now;
    do {
        parser->now = scanner_next(&parser->scanner);
        if (parser->now.kind == TOKEN_WRONG)
            complain(parser, &parser->now, "");
    } while (parser->now.kind == TOKEN_WRONG);
    parser->heap->compiling_line = parser->now.line;
}

bool match(struct parser *parser, int kind)
{
    if (parser->now.kind != kind)
        return false;
    advance(parser);
    return true;
}

void expect(struct parser *parser, int kind, const char *message)
{
    if (!match(parser, kind))
        complain(parser, &parser->now, message);
}

bool same_name(const struct token *a, const struct token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}
