/* From the text of a program to the code of its functions, in one pass. */
#ifndef LOX_COMPILER_H
#define LOX_COMPILER_H

#include "heap.h"

/* Operands are two bytes, the low one first. */
enum operation {
    OP_CONSTANT, /* which */
    OP_NIL,
    OP_TRUE,
    OP_FALSE,
    OP_POP,
    OP_GET_LOCAL,     /* which place of the frame */
    OP_SET_LOCAL,     /* the same */
    OP_GET_GLOBAL,    /* constant: its name; so below */
    OP_DEFINE_GLOBAL, /* name */
    OP_SET_GLOBAL,    /* name */
    OP_GET_UPVALUE,   /* which */
    OP_SET_UPVALUE,   /* which */
    OP_GET_FIELD,     /* name */
    OP_SET_FIELD,     /* name */
    OP_GET_SUPER,     /* name */
    OP_GET_INDEX,
    OP_SET_INDEX,
    OP_EQUAL,
    OP_GREATER,
    OP_LESS,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_NOT,
    OP_NEGATE,
    OP_PRINT,
    OP_JUMP,          /* forward by */
    OP_JUMP_IF_FALSE, /* forward by; the condition stays */
    OP_LOOP,          /* back by */
    OP_CALL,          /* arguments */
    OP_INVOKE,        /* name, arguments */
    OP_ARRAY,         /* elements */
    OP_CLOSURE,       /* constant; then for each upvalue: is it a local of the maker, which */
    OP_CLOSE_UPVALUE,
    OP_RETURN,
    OP_CLASS, /* name */
    OP_INHERIT,
    OP_METHOD, /* name */
};

/* The function of the whole program, or NIL after telling on stderr what is wrong with it. */
value compile(struct heap *heap, const char *source, const char *script);

#endif
