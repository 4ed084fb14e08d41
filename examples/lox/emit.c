/* Code is written as the text is read; what is not known yet, the length of a jump, is filled in
 * afterwards. */
#include "parser.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPERAND_MAX = 65535 };

static void *grown(void *memory, uint32_t count, size_t size)
{
    void *larger = realloc(memory, count * size);
    if (!larger) {
        fputs("lox: out of memory\n", stderr);
        exit(71);
    }
    return larger;
}

struct code *code_of(struct parser *parser)
{
    return &parser->scope->function->code;
}

void emit(struct parser *parser, int byte)
{
    struct code *code = code_of(parser);
    if (code->count == code->capacity) {
        code->capacity = code->capacity ? 2 * code->capacity : 64;
        code->bytes = grown(code->bytes, code->capacity, sizeof *code->bytes);
        code->lines = grown(code->lines, code->capacity, sizeof *code->lines);
        code->places = grown(code->places, code->capacity, sizeof *code->places);
    }
    code->bytes[code->count] = (uint8_t)byte;
    code->lines[code->count] = parser->before.line;
    code->places[code->count++] = 0;
}

void emit_operand(struct parser *parser, uint32_t operand)
{
    if (operand > OPERAND_MAX)
        complain_before(parser, "this is too large for one function");
    emit(parser, (int)(operand & 255));
    emit(parser, (int)(operand >> 8 & 255));
}

void emit_with(struct parser *parser, int operation, uint32_t operand)
{
    emit(parser, operation);
    emit_operand(parser, operand);
}

uint32_t add_constant(struct parser *parser, value constant)
{
    struct code *code = code_of(parser);
    for (uint32_t i = 0; i < code->constant_count; i++)
        if (is_kind(constant, STRING) ? values_equal(code->constants[i], constant)
                                      : code->constants[i] == constant)
            return i;
    if (code->constant_count == code->constant_capacity) {
        code->constant_capacity = code->constant_capacity ? 2 * code->constant_capacity : 16;
        code->constants = grown(code->constants, code->constant_capacity, sizeof *code->constants);
    }
    code->constants[code->constant_count] = constant;
    return code->constant_count++;
}

uint32_t add_name(struct parser *parser, const struct token *name)
{
    return add_constant(parser, string_new(parser->heap, name->text, (size_t)name->length));
}

uint32_t emit_jump(struct parser *parser, int operation)
{
    emit_with(parser, operation, 0);
    return code_of(parser)->count;
}

void land_jump(struct parser *parser, uint32_t jump)
{
    struct code *code = code_of(parser);
    uint32_t length = code->count - jump;
    if (length > OPERAND_MAX)
        complain_before(parser, "this is too long to jump over");
    code->bytes[jump - 2] = (uint8_t)(length & 255);
    code->bytes[jump - 1] = (uint8_t)(length >> 8);
}

void emit_loop(struct parser *parser, uint32_t start)
{
    emit_with(parser, OP_LOOP, code_of(parser)->count - start + 3);
}

void emit_return(struct parser *parser)
{
    if (parser->scope->kind == KIND_INITIALIZER)
        emit_with(parser, OP_GET_LOCAL, 0);
    else
        emit(parser, OP_NIL);
    emit(parser, OP_RETURN);
}
