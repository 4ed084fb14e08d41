/* Which variable a name means: one of the function, of a function around it, or a global one. */
#include "parser.h"

void scope_begin(struct parser *parser, struct scope *scope, enum function_kind kind)
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

struct function *scope_end(struct parser *parser)
{
    struct function *function = parser->scope->function;
    emit_return(parser);
    parser->scope = parser->scope->around;
    return function;
}

void block_end(struct parser *parser)
{
    struct scope *scope = parser->scope;
    scope->depth--;
    while (scope->local_count > 0 && scope->locals[scope->local_count - 1].depth > scope->depth) {
        emit(parser, scope->locals[scope->local_count - 1].captured ? OP_CLOSE_UPVALUE : OP_POP);
        scope->local_count--;
    }
}

void add_local(struct parser *parser, const struct token *name)
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

void local_is_ready(struct parser *parser)
{
    if (parser->scope->depth > 0)
        parser->scope->locals[parser->scope->local_count - 1].depth = parser->scope->depth;
}

int find_local(struct parser *parser, const struct scope *scope, const struct token *name)
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

int find_upvalue(struct parser *parser, struct scope *scope, const struct token *name)
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
