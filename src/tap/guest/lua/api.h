/* Lua 5.4 as we see it: its C interface, found in the process at run time, and of its inner
 * structures what has been the same from 5.4.0 to 5.4.7.  Nothing of Lua's is needed to build; that
 * the structures are as said here is checked when a state is attached (recipes.c). */
#ifndef TAP_GUEST_LUA_API_H
#define TAP_GUEST_LUA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_State;

/* lua_Debug. */
struct lua_debug {
    int event;
    const char *name, *namewhat, *what, *source;
    size_t source_size;
    int currentline, linedefined, lastlinedefined;
    unsigned char nups, nparams;
    char isvararg, istailcall;
    unsigned short ftransfer, ntransfer;
    char short_src[60];
    struct call_info *ci; /* private to Lua */
    char margin[64];
};

typedef void *lua_alloc(void *ud, void *block, size_t old_size, size_t new_size);
typedef int lua_function(struct lua_State *L);

struct lua_api {
    struct lua_State *(*newstate)(lua_alloc *alloc, void *ud);
    void (*close)(struct lua_State *L);
    lua_alloc *(*getallocf)(struct lua_State *L, void **ud);
    void (*setallocf)(struct lua_State *L, lua_alloc *alloc, void *ud);
    int (*getinfo)(struct lua_State *L, const char *what, struct lua_debug *debug);
    void (*sethook)(struct lua_State *L, void (*hook)(struct lua_State *, struct lua_debug *),
                    int mask, int count);
    int (*gc)(struct lua_State *L, int what, ...);
    int (*loadstring)(struct lua_State *L, const char *text);
    int (*pcallk)(struct lua_State *L, int arguments, int results, int handler, intptr_t context,
                  void *continuation);
    double (*version)(struct lua_State *L);
    int (*getglobal)(struct lua_State *L, const char *name);
    int (*rawgeti)(struct lua_State *L, int index, long long n);
    const char *(*tolstring)(struct lua_State *L, int index, size_t *size);
    struct lua_State *(*tothread)(struct lua_State *L, int index);
    void (*settop)(struct lua_State *L, int index);
    int (*gettop)(struct lua_State *L);
};

/* False where there is no Lua 5.4 in the process. */
bool lua_api_find(struct lua_api *api);

enum {
    LUA_MASK_COUNT = 8,
    LUA_GC_COUNT = 3,
    LUA_GC_COUNT_BYTES = 4,
    LUA_TYPE_STRING = 4,
    LUA_TYPE_TABLE = 5
};

/* ---- Inside -------------------------------------------------------------------------------- */

struct lua_value {
    union {
        void *object;
        lua_function *function;
    } is;
    uint8_t type;
};

enum {
    VALUE_LIGHT_FUNCTION = 6 | 1 << 4,
    VALUE_C_CLOSURE = 6 | 2 << 4 | 64,
    VALUE_LUA_CLOSURE = 6 | 64,
    VALUE_TABLE = 5 | 64,
    VALUE_USERDATA = 7 | 64,
    VALUE_THREAD = 8 | 64,
    VALUE_PROTOTYPE = 10 | 64,
    VALUE_COLLECTED =
        64, /* the value is an object; its own kind is that of the value without this */
    VALUE_KIND = 15,
};

/* CallInfo. */
struct call_info {
    struct lua_value *function;
    struct lua_value *top;
    struct call_info *previous, *next;
    union {
        struct {
            const uint32_t *savedpc;
            volatile int trap;
            int nextraargs;
        } lua;
        struct {
            void *k;
            ptrdiff_t old_errfunc;
            intptr_t context;
        } c;
    } u;
    int u2;
    short nresults;
    unsigned short callstatus;
};

enum {
    CALL_IS_C = 2,
    CALL_SEEN = 1 << 15, /* ours: Lua doesn't use this bit, and clears it at each new call */
};

struct lua_global {
    void *reallocate, *its;
    size_t total, debt, estimate, last_atomic;
    void *strings; /* the table of all short strings */
};

struct lua_State {
    void *next;
    uint8_t tt, marked, status, allowhook;
    unsigned short nci;
    struct lua_value *top;
    const struct lua_global *global;
    struct call_info *ci;
    struct lua_value *stack_last, *stack;
};

struct lua_prototype {
    void *next;
    uint8_t tt, marked, numparams, is_vararg, maxstacksize;
    int sizeupvalues, sizek, sizecode, sizelineinfo, sizep, sizelocvars, sizeabslineinfo;
    int linedefined, lastlinedefined;
    struct lua_value *k;
    const uint32_t *code;
    struct lua_prototype **p;
    struct lua_upvalue_name {
        struct lua_string *name;
        uint8_t in_stack, index, kind;
    } * upvalues;
    const int8_t
        *lineinfo; /* by instruction: how many lines on; LINE_IS_ABSOLUTE: in abslineinfo */
    const struct lua_line {
        int pc, line;
    } * abslineinfo;
    struct lua_local {
        struct lua_string *name;
        int start, end; /* instructions while it is there */
    } * locvars;
    struct lua_string *source;
};

enum { LINE_IS_ABSOLUTE = -128 };

struct lua_upvalue {
    void *next;
    uint8_t tt, marked, closes;
    struct lua_value *value; /* on a stack, or its own */
};

struct lua_closure {
    void *next;
    uint8_t tt, marked, nupvalues;
    void *gclist;
    struct lua_prototype *prototype;
    struct lua_upvalue *upvalues[];
};

struct c_closure {
    void *next;
    uint8_t tt, marked, nupvalues;
    void *gclist;
    lua_function *function;
    struct lua_value upvalues[];
};

struct lua_string {
    void *next;
    uint8_t tt, marked, extra, short_bytes;
    uint32_t hash;
    uint64_t long_bytes;
    char text[]; /* ends with a zero byte, and may have others */
};

struct lua_node {
    void *value;
    uint8_t type, key_type;
    int next;
    void *key;
};

struct lua_table {
    void *next;
    uint8_t tt, marked, flags, node_bits;
    uint32_t limit; /* of the array; less than its size where flags say so */
    struct lua_value *array;
    struct lua_node *nodes;
    struct lua_node *last_free;
    struct lua_table *metatable;
    void *gclist;
};

enum { TABLE_LIMIT_IS_LESS = 1 << 7 };

struct lua_userdata {
    void *next;
    uint8_t tt, marked;
    uint16_t value_count;
    uint64_t bytes;
    struct lua_table *metatable;
    void *gclist; /* what the program has begins here where there are no values */
    struct lua_value values[];
};

enum { THREAD_MARGIN = 8 /* before a lua_State in its block */, STACK_MARGIN = 8 };

static inline bool call_is_lua(const struct call_info *call)
{
    return !(call->callstatus & CALL_IS_C);
}

static inline const struct lua_prototype *call_prototype(const struct call_info *call)
{
    return ((const struct lua_closure *)call->function->is.object)->prototype;
}

#endif
