#include "parser.h"

static void declaration(struct parser *parser);

/* ---- Declarations ----------------------------------------------------------------- */

/* Declares the name that was just read; returns it as a constant, for globals. */
static uint32_t declare(struct parser *parser)
{
    if (parser->scope->depth > 0) {
        add_local(parser, &parser->before);
        return 0;
    }
    return add_name(parser, &parser->before);
}

static void define(struct parser *parser, uint32_t name)
{
    if (parser->scope->depth > 0)
        local_is_ready(parser);
    else
        emit_with(parser, OP_DEFINE_GLOBAL, name);
}

static void block(struct parser *parser)
{
    while (parser->now.kind != '}' && parser->now.kind != TOKEN_END)
        declaration(parser);
    expect(parser, '}', "'}' is missing at the end of the block");
}

static void parameters(struct parser *parser)
{
    expect(parser, '(', "'(' is missing before the parameters");
    if (parser->now.kind != ')')
        do {
            if (++parser->scope->function->arity > ARGUMENTS_MAX)
                complain(parser, &parser->now, "a function has 255 parameters at most");
            expect(parser, TOKEN_NAME, "the name of a parameter is missing");
            define(parser, declare(parser));
        } while (match(parser, ','));
    expect(parser, ')', "')' is missing after the parameters");
}

/* The rest of a function whose name was just read. */
static void function(struct parser *parser, enum function_kind kind)
{
    struct scope scope;
    scope_begin(parser, &scope, kind);
    scope.depth++;
    parameters(parser);
    expect(parser, '{', "'{' is missing before the body");
    block(parser);
    struct function *made = scope_end(parser);
    emit_with(parser, OP_CLOSURE, add_constant(parser, object_value(made)));
    for (int i = 0; i < made->upvalue_count; i++) {
        emit(parser, scope.upvalues[i].local);
        emit_operand(parser, (uint32_t)scope.upvalues[i].index);
    }
}

static void method(struct parser *parser)
{
    expect(parser, TOKEN_NAME, "the name of a method is missing");
    uint32_t name = add_name(parser, &parser->before);
    struct token init = word("init");
    function(parser, same_name(&parser->before, &init) ? KIND_INITIALIZER : KIND_METHOD);
    emit_with(parser, OP_METHOD, name);
}

static void superclass(struct parser *parser, struct token class_name)
{
    expect(parser, TOKEN_NAME, "the name of a superclass is missing");
    if (same_name(&class_name, &parser->before))
        complain_before(parser, "a class can't be its own superclass");
    variable(parser, parser->before, false);
    parser->scope->depth++;
    struct token super = word("super");
    add_local(parser, &super);
    local_is_ready(parser);
    variable(parser, class_name, false);
    emit(parser, OP_INHERIT);
    parser->class->has_superclass = true;
}

static void class_declaration(struct parser *parser)
{
    expect(parser, TOKEN_NAME, "the name of the class is missing");
    struct token name = parser->before;
    uint32_t constant = add_name(parser, &name), global = declare(parser);
    emit_with(parser, OP_CLASS, constant);
    define(parser, global);
    struct class_scope scope = {parser->class, false};
    parser->class = &scope;
    if (match(parser, '<'))
        superclass(parser, name);
    variable(parser, name, false);
    expect(parser, '{', "'{' is missing before the methods");
    while (parser->now.kind != '}' && parser->now.kind != TOKEN_END)
        method(parser);
    expect(parser, '}', "'}' is missing after the methods");
    emit(parser, OP_POP);
    if (scope.has_superclass)
        block_end(parser);
    parser->class = scope.around;
}

static void function_declaration(struct parser *parser)
{
    expect(parser, TOKEN_NAME, "the name of the function is missing");
    uint32_t name = declare(parser);
    local_is_ready(parser);
    function(parser, KIND_FUNCTION);
    define(parser, name);
}

static void variable_declaration(struct parser *parser)
{
    expect(parser, TOKEN_NAME, "the name of the variable is missing");
    uint32_t name = declare(parser);
    if (match(parser, '='))
        expression(parser);
    else
        emit(parser, OP_NIL);
    expect(parser, ';', "';' is missing after the variable");
    define(parser, name);
}

/* ---- Statements ------------------------------------------------------------------- */

static void statement(struct parser *parser);

static void expression_statement(struct parser *parser)
{
    expression(parser);
    expect(parser, ';', "';' is missing after the expression");
    emit(parser, OP_POP);
}

/* In parentheses; the jump to take where it is false. */
static uint32_t condition(struct parser *parser, const char *without_parenthesis)
{
    expect(parser, '(', without_parenthesis);
    expression(parser);
    expect(parser, ')', "')' is missing after the condition");
    uint32_t otherwise = emit_jump(parser, OP_JUMP_IF_FALSE);
    emit(parser, OP_POP);
    return otherwise;
}

static void if_statement(struct parser *parser)
{
    uint32_t otherwise = condition(parser, "'(' is missing after 'if'");
    statement(parser);
    uint32_t end = emit_jump(parser, OP_JUMP);
    land_jump(parser, otherwise);
    emit(parser, OP_POP);
    if (match(parser, TOKEN_ELSE))
        statement(parser);
    land_jump(parser, end);
}

static void while_statement(struct parser *parser)
{
    uint32_t start = code_of(parser)->count;
    uint32_t end = condition(parser, "'(' is missing after 'while'");
    statement(parser);
    emit_loop(parser, start);
    land_jump(parser, end);
    emit(parser, OP_POP);
}

static void for_statement(struct parser *parser)
{
    uint32_t end = 0;
    parser->scope->depth++;
    expect(parser, '(', "'(' is missing after 'for'");
    if (match(parser, TOKEN_VAR))
        variable_declaration(parser);
    else if (!match(parser, ';'))
        expression_statement(parser);
    uint32_t start = code_of(parser)->count;
    bool conditional = parser->now.kind != ';';
    if (conditional) {
        expression(parser);
        end = emit_jump(parser, OP_JUMP_IF_FALSE);
        emit(parser, OP_POP);
    }
    expect(parser, ';', "';' is missing after the condition");
    if (parser->now.kind != ')') { /* the step stands before the body and runs after it */
        uint32_t body = emit_jump(parser, OP_JUMP), step = code_of(parser)->count;
        expression(parser);
        emit(parser, OP_POP);
        emit_loop(parser, start);
        start = step;
        land_jump(parser, body);
    }
    expect(parser, ')', "')' is missing after the step");
    statement(parser);
    emit_loop(parser, start);
    if (conditional) {
        land_jump(parser, end);
        emit(parser, OP_POP);
    }
    block_end(parser);
}

static void return_statement(struct parser *parser)
{
    if (parser->scope->kind == KIND_SCRIPT)
        complain_before(parser, "there is nothing to return from");
    if (match(parser, ';')) {
        emit_return(parser);
        return;
    }
    if (parser->scope->kind == KIND_INITIALIZER)
        complain_before(parser, "an initializer returns nothing but its object");
    expression(parser);
    expect(parser, ';', "';' is missing after the result");
    emit(parser, OP_RETURN);
}

static void statement(struct parser *parser)
{
    if (match(parser, TOKEN_PRINT)) {
        expression(parser);
        expect(parser, ';', "';' is missing after what is printed");
        emit(parser, OP_PRINT);
    } else if (match(parser, TOKEN_IF)) {
        if_statement(parser);
    } else if (match(parser, TOKEN_WHILE)) {
        while_statement(parser);
    } else if (match(parser, TOKEN_FOR)) {
        for_statement(parser);
    } else if (match(parser, TOKEN_RETURN)) {
        return_statement(parser);
    } else if (match(parser, '{')) {
        parser->scope->depth++;
        block(parser);
        block_end(parser);
    } else {
        expression_statement(parser);
    }
}

/* After a mistake: on to where the next statement may begin. */
static void recover(struct parser *parser)
{
    parser->panicking = false;
    while (parser->now.kind != TOKEN_END && parser->before.kind != ';') {
        switch (parser->now.kind) {
        case TOKEN_CLASS:
        case TOKEN_FUN:
        case TOKEN_VAR:
        case TOKEN_FOR:
        case TOKEN_IF:
        case TOKEN_WHILE:
        case TOKEN_PRINT:
        case TOKEN_RETURN:
            return;
        default:
            advance(parser);
        }
    }
}

static void declaration(struct parser *parser)
{
    if (match(parser, TOKEN_CLASS))
        class_declaration(parser);
    else if (match(parser, TOKEN_FUN))
        function_declaration(parser);
    else if (match(parser, TOKEN_VAR))
        variable_declaration(parser);
    else
        statement(parser);
    if (parser->panicking)
        recover(parser);
}

value compile(struct heap *heap, const char *source, const char *script)
{
    struct parser parser = {.heap = heap, .script = script, .scanner = {source, 1}};
    struct scope scope;
    heap->compiling = true;
    scope_begin(&parser, &scope, KIND_SCRIPT);
    advance(&parser);
    while (parser.now.kind != TOKEN_END)
        declaration(&parser);
    struct function *function = scope_end(&parser);
    heap->compiling = false;
    return parser.failed ? NIL : object_value(function);
}
