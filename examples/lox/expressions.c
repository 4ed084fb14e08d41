/* A parser that goes down by the strength of operators, and writes code as it goes. */
#include "parser.h"

#include <stdlib.h>

enum strength {
    WEAKEST,
    ASSIGNMENT,
    OR,
    AND,
    EQUALITY,
    COMPARISON,
    TERM,
    FACTOR,
    UNARY,
    POSTFIX,
};

static void parse_at(struct parser *parser, enum strength strength);

void expression(struct parser *parser)
{
    parse_at(parser, ASSIGNMENT);
}

void variable(struct parser *parser, struct token name, bool may_assign)
{
    int get = OP_GET_LOCAL, set = OP_SET_LOCAL;
    int index = find_local(parser, parser->scope, &name);
    if (index < 0) {
        get = OP_GET_UPVALUE;
        set = OP_SET_UPVALUE;
        index = find_upvalue(parser, parser->scope, &name);
    }
    if (index < 0) {
        get = OP_GET_GLOBAL;
        set = OP_SET_GLOBAL;
        index = (int)add_name(parser, &name);
    }
    if (may_assign && match(parser, '=')) {
        expression(parser);
        emit_with(parser, set, (uint32_t)index);
    } else {
        emit_with(parser, get, (uint32_t)index);
    }
}

struct token word(const char *text)
{
    return (struct token){TOKEN_NAME, text, (int)strlen(text), 0};
}

static void this_value(struct parser *parser)
{
    if (parser->class)
        variable(parser, word("this"), false);
    else
        complain_before(parser, "there is no 'this' outside of a class");
}

static uint32_t list(struct parser *parser, int end, const char *message)
{
    uint32_t count = 0;
    while (parser->now.kind != end && parser->now.kind != TOKEN_END) {
        expression(parser);
        count++;
        if (!match(parser, ','))
            break;
    }
    expect(parser, end, message);
    return count;
}

static uint32_t arguments(struct parser *parser)
{
    uint32_t count = list(parser, ')', "')' is missing after the arguments");
    if (count > ARGUMENTS_MAX)
        complain_before(parser, "a call has 255 arguments at most");
    return count;
}

static void super_method(struct parser *parser)
{
    if (!parser->class || !parser->class->has_superclass)
        complain_before(parser, "there is no 'super' without a superclass");
    expect(parser, '.', "'.' is missing after 'super'");
    expect(parser, TOKEN_NAME, "the name of a method is missing");
    uint32_t name = add_name(parser, &parser->before);
    variable(parser, word("this"), false);
    variable(parser, word("super"), false);
    emit_with(parser, OP_GET_SUPER, name);
}

/* A value that stands in the text; false where it is none. */
static bool literal(struct parser *parser, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_STRING:
        emit_with(parser, OP_CONSTANT, add_name(parser, token));
        return true;
    case TOKEN_NUMBER:
        emit_with(parser, OP_CONSTANT,
                  add_constant(parser, number_value(strtod(token->text, NULL))));
        return true;
    case TOKEN_NIL:
        emit(parser, OP_NIL);
        return true;
    case TOKEN_TRUE:
        emit(parser, OP_TRUE);
        return true;
    case TOKEN_FALSE:
        emit(parser, OP_FALSE);
        return true;
    default:
        return false;
    }
}

/* What an expression can begin with; false where it can't. */
static bool prefix(struct parser *parser, bool may_assign)
{
    struct token token = parser->before;
    switch (token.kind) {
    case '(':
        expression(parser);
        expect(parser, ')', "')' is missing");
        return true;
    case '[':
        emit_with(parser, OP_ARRAY, list(parser, ']', "']' is missing after the elements"));
        return true;
    case '-':
        parse_at(parser, UNARY);
        emit(parser, OP_NEGATE);
        return true;
    case '!':
        parse_at(parser, UNARY);
        emit(parser, OP_NOT);
        return true;
    case TOKEN_NAME:
        variable(parser, token, may_assign);
        return true;
    case TOKEN_THIS:
        this_value(parser);
        return true;
    case TOKEN_SUPER:
        super_method(parser);
        return true;
    default:
        return literal(parser, &token);
    }
}

static void field(struct parser *parser, bool may_assign)
{
    expect(parser, TOKEN_NAME, "the name of a field is missing after '.'");
    uint32_t name = add_name(parser, &parser->before);
    if (may_assign && match(parser, '=')) {
        expression(parser);
        emit_with(parser, OP_SET_FIELD, name);
    } else if (match(parser, '(')) {
        uint32_t count = arguments(parser);
        emit_with(parser, OP_INVOKE, name);
        emit_operand(parser, count);
    } else {
        emit_with(parser, OP_GET_FIELD, name);
    }
}

static void element(struct parser *parser, bool may_assign)
{
    expression(parser);
    expect(parser, ']', "']' is missing after the index");
    if (may_assign && match(parser, '=')) {
        expression(parser);
        emit(parser, OP_SET_INDEX);
    } else {
        emit(parser, OP_GET_INDEX);
    }
}

/* `a and b`, `a or b`: b is left out where a settles it. */
static void shortcut(struct parser *parser, int kind)
{
    uint32_t end;
    if (kind == TOKEN_AND) {
        end = emit_jump(parser, OP_JUMP_IF_FALSE);
    } else {
        uint32_t other = emit_jump(parser, OP_JUMP_IF_FALSE);
        end = emit_jump(parser, OP_JUMP);
        land_jump(parser, other);
    }
    emit(parser, OP_POP);
    parse_at(parser, kind == TOKEN_AND ? AND : OR);
    land_jump(parser, end);
}

static enum strength strength_of(int kind)
{
    switch (kind) {
    case TOKEN_OR:
        return OR;
    case TOKEN_AND:
        return AND;
    case TOKEN_EQUAL_EQUAL:
    case TOKEN_NOT_EQUAL:
        return EQUALITY;
    case '<':
    case '>':
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL:
        return COMPARISON;
    case '+':
    case '-':
        return TERM;
    case '*':
    case '/':
        return FACTOR;
    case '(':
    case '.':
    case '[':
        return POSTFIX;
    default:
        return WEAKEST;
    }
}

static void binary(struct parser *parser, int kind)
{
    static const struct {
        int kind, operation;
        bool negated;
    } operations[] = {
        {'+', OP_ADD, false},
        {'-', OP_SUBTRACT, false},
        {'*', OP_MULTIPLY, false},
        {'/', OP_DIVIDE, false},
        {'<', OP_LESS, false},
        {'>', OP_GREATER, false},
        {TOKEN_LESS_EQUAL, OP_GREATER, true},
        {TOKEN_GREATER_EQUAL, OP_LESS, true},
        {TOKEN_EQUAL_EQUAL, OP_EQUAL, false},
        {TOKEN_NOT_EQUAL, OP_EQUAL, true},
    };
    parse_at(parser, strength_of(kind) + 1);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].kind == kind) {
            emit(parser, operations[i].operation);
            if (operations[i].negated)
                emit(parser, OP_NOT);
        }
}

static void infix(struct parser *parser, int kind, bool may_assign)
{
    switch (kind) {
    case '(':
        emit_with(parser, OP_CALL, arguments(parser));
        break;
    case '.':
        field(parser, may_assign);
        break;
    case '[':
        element(parser, may_assign);
        break;
    case TOKEN_AND:
    case TOKEN_OR:
        shortcut(parser, kind);
        break;
    default:
        binary(parser, kind);
        break;
    }
}

static void parse_at(struct parser *parser, enum strength strength)
{
    bool may_assign = strength <= ASSIGNMENT;
    advance(parser);
    if (!prefix(parser, may_assign)) {
        complain_before(parser, "an expression is missing");
        return;
    }
    while (strength_of(parser->now.kind) >= strength && strength_of(parser->now.kind) > WEAKEST) {
        advance(parser);
        infix(parser, parser->before.kind, may_assign);
    }
    if (may_assign && match(parser, '='))
        complain_before(parser, "nothing can be assigned to this");
}
