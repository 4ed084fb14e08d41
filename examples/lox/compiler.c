/* A parser that goes down by the strength of operators, and writes code as it goes. */
#include "compiler.h"

#include <stdio.h>
#include <stdlib.h>

#include "scanner.h"

enum { LOCALS_MAX = 256, UPVALUES_MAX = 256, ARGUMENTS_MAX = 255, OPERAND_MAX = 65535 };

enum function_kind { KIND_SCRIPT, KIND_FUNCTION, KIND_METHOD, KIND_INITIALIZER };

struct local {
    struct token name;
    int depth; /* -1: declared, but not yet to be used */
    bool captured;
};

struct captured {
    bool local; /* of the function around; else an upvalue of it */
    int index;
};

/* One for each function under way. */
struct scope {
    struct scope *around;
    struct function *function;
    enum function_kind kind;
    int depth, local_count;
    struct local locals[LOCALS_MAX];
    struct captured upvalues[UPVALUES_MAX];
};

struct class_scope {
    struct class_scope *around;
    bool has_superclass;
};

struct parser {
    struct heap *heap;
    const char *script;
    struct scanner scanner;
    struct token now, before;
    struct scope *scope;
    struct class_scope *class;
    bool failed, panicking;
};

/* ---- What is wrong ------------------------------------------------------------------------- */

static void complain(struct parser *parser, const struct token *at, const char *message)
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

static void complain_before(struct parser *parser, const char *message)
{
    complain(parser, &parser->before, message);
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void advance(struct parser *parser)
{
    parser->before = parser->now;
    do {
        parser->now = scanner_next(&parser->scanner);
        if (parser->now.kind == TOKEN_WRONG)
            complain(parser, &parser->now, "");
    } while (parser->now.kind == TOKEN_WRONG);
    parser->heap->compiling_line = parser->now.line;
}

static bool match(struct parser *parser, int kind)
{
    if (parser->now.kind != kind)
        return false;
    advance(parser);
    return true;
}

static void expect(struct parser *parser, int kind, const char *message)
{
    if (!match(parser, kind))
        complain(parser, &parser->now, message);
}

static bool same_name(const struct token *a, const struct token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* ---- Code ------------------------------------------------------------------------------------ */

static void *grown(void *memory, uint32_t count, size_t size)
{
    void *larger = realloc(memory, count * size);
    if (!larger) {
        fputs("lox: out of memory\n", stderr);
        exit(71);
    }
    return larger;
}

static struct code *code_of(struct parser *parser)
{
    return &parser->scope->function->code;
}

static void emit(struct parser *parser, int byte)
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

static void emit_operand(struct parser *parser, uint32_t operand)
{
    if (operand > OPERAND_MAX)
        complain_before(parser, "this is too large for one function");
    emit(parser, (int)(operand & 255));
    emit(parser, (int)(operand >> 8 & 255));
}

static void emit_with(struct parser *parser, int operation, uint32_t operand)
{
    emit(parser, operation);
    emit_operand(parser, operand);
}

static uint32_t add_constant(struct parser *parser, value constant)
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

static uint32_t add_name(struct parser *parser, const struct token *name)
{
    return add_constant(parser, string_new(parser->heap, name->text, (size_t)name->length));
}

/* A jump whose length is not known yet; returns where it stands. */
static uint32_t emit_jump(struct parser *parser, int operation)
{
    emit_with(parser, operation, 0);
    return code_of(parser)->count;
}

static void land_jump(struct parser *parser, uint32_t jump)
{
    struct code *code = code_of(parser);
    uint32_t length = code->count - jump;
    if (length > OPERAND_MAX)
        complain_before(parser, "this is too long to jump over");
    code->bytes[jump - 2] = (uint8_t)(length & 255);
    code->bytes[jump - 1] = (uint8_t)(length >> 8);
}

static void emit_loop(struct parser *parser, uint32_t start)
{
    emit_with(parser, OP_LOOP, code_of(parser)->count - start + 3);
}

static void emit_return(struct parser *parser)
{
    if (parser->scope->kind == KIND_INITIALIZER)
        emit_with(parser, OP_GET_LOCAL, 0);
    else
        emit(parser, OP_NIL);
    emit(parser, OP_RETURN);
}

/* ---- Scopes -----------------------------------------------------------------------------------
 */

static void scope_begin(struct parser *parser, struct scope *scope, enum function_kind kind)
{
    value function = function_new(parser->heap);
    *scope = (struct scope){.around = parser->scope,
                            .function = AS(function, function),
                            .kind = kind,
                            .local_count = 1};
    if (kind != KIND_SCRIPT)
        scope->function->name =
            string_new(parser->heap, parser->before.text, (size_t)parser->before.length);
    scope->locals[0].name.text = kind == KIND_METHOD || kind == KIND_INITIALIZER ? "this" : "";
    scope->locals[0].name.length = (int)strlen(scope->locals[0].name.text);
    parser->scope = scope;
}

static struct function *scope_end(struct parser *parser)
{
    struct function *function = parser->scope->function;
    emit_return(parser);
    parser->scope = parser->scope->around;
    return function;
}

static void block_end(struct parser *parser)
{
    struct scope *scope = parser->scope;
    scope->depth--;
    while (scope->local_count > 0 && scope->locals[scope->local_count - 1].depth > scope->depth) {
        emit(parser, scope->locals[scope->local_count - 1].captured ? OP_CLOSE_UPVALUE : OP_POP);
        scope->local_count--;
    }
}

static void add_local(struct parser *parser, const struct token *name)
{
    struct scope *scope = parser->scope;
    for (int i = scope->local_count - 1; i >= 0; i--) {
        const struct local *local = &scope->locals[i];
        if (local->depth != -1 && local->depth < scope->depth)
            break;
        if (same_name(&local->name, name))
            complain_before(parser, "there is a variable of this name already in this block");
    }
    if (scope->local_count == LOCALS_MAX)
        complain_before(parser, "a function has 255 local variables at most");
    else
        scope->locals[scope->local_count++] = (struct local){*name, -1, false};
}

static void local_is_ready(struct parser *parser)
{
    if (parser->scope->depth > 0)
        parser->scope->locals[parser->scope->local_count - 1].depth = parser->scope->depth;
}

static int find_local(struct parser *parser, const struct scope *scope, const struct token *name)
{
    for (int i = scope->local_count - 1; i >= 0; i--)
        if (same_name(&scope->locals[i].name, name)) {
            if (scope->locals[i].depth == -1)
                complain_before(parser,
                                "a variable is not there yet where its first value is made");
            return i;
        }
    return -1;
}

static int add_upvalue(struct parser *parser, struct scope *scope, int index, bool local)
{
    int count = scope->function->upvalue_count;
    for (int i = 0; i < count; i++)
        if (scope->upvalues[i].index == index && scope->upvalues[i].local == local)
            return i;
    if (count == UPVALUES_MAX) {
        complain_before(parser, "a function uses 256 variables around it at most");
        return 0;
    }
    scope->upvalues[count] = (struct captured){local, index};
    return scope->function->upvalue_count++;
}

static int find_upvalue(struct parser *parser, struct scope *scope, const struct token *name)
{
    if (!scope->around)
        return -1;
    int index = find_local(parser, scope->around, name);
    if (index >= 0) {
        scope->around->locals[index].captured = true;
        return add_upvalue(parser, scope, index, true);
    }
    index = find_upvalue(parser, scope->around, name);
    return index < 0 ? -1 : add_upvalue(parser, scope, index, false);
}

/* ---- Expressions ---------------------------------------------------------------------------- */

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
static void declaration(struct parser *parser);

static void expression(struct parser *parser)
{
    parse_at(parser, ASSIGNMENT);
}

static void variable(struct parser *parser, struct token name, bool may_assign)
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

static struct token word(const char *text)
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
    case TOKEN_STRING:
        emit_with(parser, OP_CONSTANT, add_name(parser, &token));
        return true;
    case TOKEN_NUMBER:
        emit_with(parser, OP_CONSTANT,
                  add_constant(parser, number_value(strtod(token.text, NULL))));
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
    case TOKEN_THIS:
        this_value(parser);
        return true;
    case TOKEN_SUPER:
        super_method(parser);
        return true;
    default:
        return false;
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

/* ---- Declarations -----------------------------------------------------------------------------
 */

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

/* ---- Statements --------------------------------------------------------------------------------
 */

static void statement(struct parser *parser);

static void expression_statement(struct parser *parser)
{
    expression(parser);
    expect(parser, ';', "';' is missing after the expression");
    emit(parser, OP_POP);
}

static void if_statement(struct parser *parser)
{
    expect(parser, '(', "'(' is missing after 'if'");
    expression(parser);
    expect(parser, ')', "')' is missing after the condition");
    uint32_t otherwise = emit_jump(parser, OP_JUMP_IF_FALSE);
    emit(parser, OP_POP);
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
    expect(parser, '(', "'(' is missing after 'while'");
    expression(parser);
    expect(parser, ')', "')' is missing after the condition");
    uint32_t end = emit_jump(parser, OP_JUMP_IF_FALSE);
    emit(parser, OP_POP);
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
