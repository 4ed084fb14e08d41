/* What the parts of the compiler share: where it is in the text, and in which function.  All speak
 * to the user through complain; after the first complaint they go on to the next declaration, so
 * that more than one can be told. */
#ifndef LOX_PARSER_H
#define LOX_PARSER_H

#include "compiler.h"
#include "scanner.h"

enum { LOCALS_MAX = 256, UPVALUES_MAX = 256, ARGUMENTS_MAX = 255 };

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

/* ---- The text ---- */

void complain(struct parser *parser, const struct token *at, const char *message);
/* About the word that was taken last. */
void complain_before(struct parser *parser, const char *message);

/* Takes the word that is next. */
void advance(struct parser *parser);
/* Takes it if it is of this kind. */
bool match(struct parser *parser, int kind);
void expect(struct parser *parser, int kind, const char *message);
bool same_name(const struct token *a, const struct token *b);

/* ---- Code of the function under way ---- */

struct code *code_of(struct parser *parser);
void emit(struct parser *parser, int byte);
void emit_operand(struct parser *parser, uint32_t operand);
void emit_with(struct parser *parser, int operation, uint32_t operand);
/* The number of a constant, each of which is there once. */
uint32_t add_constant(struct parser *parser, value constant);
uint32_t add_name(struct parser *parser, const struct token *name);
/* A jump whose length is not known yet; returns where it stands, for land_jump. */
uint32_t emit_jump(struct parser *parser, int operation);
void land_jump(struct parser *parser, uint32_t jump);
void emit_loop(struct parser *parser, uint32_t start);
void emit_return(struct parser *parser);

/* ---- Scopes ---- */

void scope_begin(struct parser *parser, struct scope *scope, enum function_kind kind);
/* The function is whole. */
struct function *scope_end(struct parser *parser);
/* Its variables go. */
void block_end(struct parser *parser);
/* A variable that may not be read before local_is_ready. */
void add_local(struct parser *parser, const struct token *name);
void local_is_ready(struct parser *parser);
/* Where it is among these; -1: not there. */
int find_local(struct parser *parser, const struct scope *scope, const struct token *name);
int find_upvalue(struct parser *parser, struct scope *scope, const struct token *name);

/* ---- Expressions ---- */

void expression(struct parser *parser);
/* A variable is read, or assigned to if it may be and a = follows. */
void variable(struct parser *parser, struct token name, bool may_assign);
/* A name that doesn't stand in the text. */
struct token word(const char *text);

#endif
