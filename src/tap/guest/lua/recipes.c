/* Lines without a debug hook.
 *
 * Lua's interpreter keeps the program counter of the running function in a local variable, and
 * saves it where others can see it only before operations that may fail.  Making a table is not one
 * of them: when the allocator is called, the saved counter can be many lines old.  A debug hook
 * keeps it up to date, at the price of a call for every instruction.
 *
 * But the variable is somewhere: in a register that functions must preserve, or on the stack where
 * one of them put it.  Where exactly depends on how Lua was compiled, and on the way from the
 * interpreter to the allocator; for a given program and way it is always the same place.  So it is
 * found by trying: a state of our own runs small programs under a debug hook, which makes the saved
 * counter right, and each call of the allocator is looked over for words that are equal to it, and
 * for words that look like return addresses.  What holds in all trials of one way is a recipe: if
 * these return addresses are there, that word is the counter.
 *
 * A recipe that fits by accident can do little harm: the counter must lie in the code of the
 * running function, at an instruction that makes or fills a table. */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "tap/guest/lua/entry.h"
#include "tap/guest/lua/heap.h"
#include "tap/inside/pages.h"

enum {
    TRIALS_MAX = 96,
    LEAST_TRIALS = 4,
    OP_NEWTABLE = 19,
    OP_SETLIST = 78,
    OP_EXTRAARG = 82,
    OPCODE_BITS = 7
};

uintptr_t lua_text_low, lua_text_high;

static bool fits(const struct recipe *recipe, const struct entry_frame *entry)
{
    for (uint32_t mark = 0; mark < recipe->mark_count; mark++)
        if (entry->words[recipe->mark_at[mark]] != recipe->marks[mark])
            return false;
    return true;
}

/* The counter that a recipe finds, if it makes sense; else NULL. */
static const uint32_t *read_pc(const struct recipe *recipe, const struct entry_frame *entry,
                               const struct lua_prototype *prototype)
{
    const uint32_t *pc = (const uint32_t *)(uintptr_t)entry->words[recipe->pc_at] - recipe->ahead;
    const uint32_t opcode = (1u << OPCODE_BITS) - 1;
    if (pc <= prototype->code || pc > prototype->code + prototype->sizecode || (uintptr_t)pc & 3)
        return NULL;
    if ((pc[-1] & opcode) == OP_EXTRAARG && pc - 1 > prototype->code) /* of the one before */
        pc--;
    uint32_t operation = pc[-1] & opcode;
    return operation == OP_NEWTABLE || operation == OP_SETLIST ? pc : NULL;
}

const uint32_t *recipes_apply(struct recipe *recipes, uint32_t count,
                              const struct entry_frame *entry,
                              const struct lua_prototype *prototype)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *pc =
            fits(&recipes[i], entry) ? read_pc(&recipes[i], entry, prototype) : NULL;
        if (!pc)
            continue;
        if (i > 0) { /* those that are used are tried first */
            struct recipe swap = recipes[i];
            recipes[i] = recipes[i - 1];
            recipes[i - 1] = swap;
        }
        return pc;
    }
    return NULL;
}

void recipes_no_hook(struct lua_State *L, struct lua_debug *debug)
{
}

#if defined(__x86_64__)

/* ---- Trying out ----------------------------------------------------------------------------- */

struct trial {
    struct entry_frame entry;
    const uint32_t *pc; /* as saved */
};

static struct {
    struct lua_State *L;
    struct trial *trials;
    uint32_t count;
} bench;

void *trial_body(void *ud, void *block, size_t old_size, size_t new_size,
                 const struct entry_frame *entry);

__attribute__((used, visibility("hidden"))) void *
trial_body(void *ud, void *block, size_t old_size, size_t new_size, const struct entry_frame *entry)
{
    const struct call_info *call = bench.L ? bench.L->ci : NULL;
    if (call && new_size && call_is_lua(call) && bench.count < TRIALS_MAX) {
        struct trial *trial = &bench.trials[bench.count++];
        trial->entry = *entry;
        trial->pc = call->u.lua.savedpc;
    }
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

ENTRY("recipes_alloc", "trial_body");

/* One way to the allocator each; in each line something else goes before, so that what is left on
 * the stack from earlier calls differs. */
static const char *const programs[] = {
    "local s = 'x' local t\n"
    "t = {}\nt = {} s = s .. 1\nt = {} s = s .. s\nlocal function f() return {} end\n"
    "t = f()\nt = f() s = #s .. ''\nt = {} t = {}\nt = f()\n",
    "local s = 'x' local t\n"
    "t = {1,2,3}\nt = {s} s = s .. 1\nt = {s,s} s = s .. s\n"
    "local function f() return {4,5} end\nt = f()\nt = f() s = #s .. ''\nt = {s,1}\nt = f()\n",
    "local s = 'x' local t\n"
    "t = {a=1}\nt = {a=s,b=2} s = s .. 1\nt = {c=s} s = s .. s\n"
    "local function f() return {d=1,e=2,f=3} end\nt = f()\nt = f() s = #s .. ''\nt = {a=1}\n",
    "local s = 'x' local t\nlocal function v(n) if n > 0 then return n, v(n - 1) end end\n"
    "t = {v(3)}\nt = {v(9)} s = s .. 1\nt = {1,v(5)} s = s .. s\n"
    "local function f() return {v(7)} end\nt = f()\nt = f() s = #s .. ''\nt = {v(4)}\n",
};

static bool is_text(uint64_t word)
{
    return word >= lua_text_low && word < lua_text_high;
}

/* Do two trials come the same way?  Their first return address and the next one say so. */
static bool same_way(const struct trial *a, const struct trial *b)
{
    int seen = 0;
    for (int i = REGISTERS; i < REGISTERS + RECIPE_WORDS && seen < 3; i++) {
        if (is_text(a->entry.words[i]) != is_text(b->entry.words[i]))
            return false;
        if (!is_text(a->entry.words[i]))
            continue;
        if (a->entry.words[i] != b->entry.words[i])
            return false;
        seen++;
    }
    return true;
}

/* Makes a recipe of the trials that come the way of trial `first`; marks them as used. */
static bool make_recipe(struct recipe *recipe, uint32_t first, bool *used)
{
    const struct trial *model = &bench.trials[first];
    bool same[REGISTERS + RECIPE_WORDS], zero[REGISTERS + RECIPE_WORDS],
        one[REGISTERS + RECIPE_WORDS];
    uint32_t trials = 0;
    memset(same, true, sizeof same);
    memset(zero, true, sizeof zero);
    memset(one, true, sizeof one);
    for (uint32_t t = first; t < bench.count; t++) {
        const struct trial *trial = &bench.trials[t];
        if (used[t] || !same_way(model, trial))
            continue;
        used[t] = true;
        trials++;
        for (int i = 0; i < REGISTERS + RECIPE_WORDS; i++) {
            same[i] &= trial->entry.words[i] == model->entry.words[i];
            zero[i] &= trial->entry.words[i] == (uintptr_t)trial->pc;
            one[i] &= trial->entry.words[i] == (uintptr_t)(trial->pc + 1);
        }
    }
    *recipe = (struct recipe){.pc_at = UINT8_MAX};
    for (int i = 0; i < REGISTERS + RECIPE_WORDS && recipe->mark_count < 3; i++)
        if (i >= REGISTERS && same[i] && is_text(model->entry.words[i])) {
            recipe->marks[recipe->mark_count] = model->entry.words[i];
            recipe->mark_at[recipe->mark_count++] = (uint8_t)i;
        }
    /* What lies deeper than the interpreter's frame is not ours: the first word that fits counts.
     */
    for (int i = 0; i < REGISTERS + RECIPE_WORDS && recipe->pc_at == UINT8_MAX; i++)
        if (one[i] || zero[i]) {
            recipe->pc_at = (uint8_t)i;
            recipe->ahead = one[i];
        }
    return trials >= LEAST_TRIALS && recipe->mark_count >= 2 && recipe->pc_at != UINT8_MAX;
}

/* Adds the recipes of one program's trials to the `count` that there are. */
static uint32_t add_recipes(struct recipe *recipes, uint32_t count)
{
    bool used[TRIALS_MAX] = {false};
    for (uint32_t t = 0; t < bench.count && count < RECIPES_MAX; t++)
        if (!used[t] && make_recipe(&recipes[count], t, used))
            count++;
    return count;
}

/* ---- All of it -------------------------------------------------------------------- */

static int find_text(struct dl_phdr_info *module, size_t size, void *address)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t low = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            (uintptr_t)address - low < segment->p_memsz) {
            lua_text_low = low;
            lua_text_high = low + segment->p_memsz;
            return 1;
        }
    }
    return 0;
}

uint32_t recipes_find(struct recipe *recipes)
{
    uint32_t count = 0;
    if (!dl_iterate_phdr(find_text, (void *)(uintptr_t)lua.newstate))
        return 0;
    bench.trials = pages_map(TRIALS_MAX * sizeof *bench.trials);
    struct lua_State *L = bench.trials ? lua.newstate(recipes_alloc, NULL) : NULL;
    for (size_t i = 0; L && i < sizeof programs / sizeof *programs; i++) {
        if (lua.loadstring(L, programs[i]) != 0)
            break;
        lua.sethook(L, recipes_no_hook, LUA_MASK_COUNT, 0x7fffffff);
        bench.count = 0;
        bench.L = L;
        bool ran = lua.pcallk(L, 0, 0, 0, 0, NULL) == 0;
        bench.L = NULL;
        if (ran)
            count = add_recipes(recipes, count);
    }
    if (L)
        lua.close(L);
    pages_unmap(bench.trials, TRIALS_MAX * sizeof *bench.trials);
    bench.trials = NULL;
    return count;
}

#else

void *recipes_alloc(void *ud, void *block, size_t old_size, size_t new_size)
{
    return NULL;
}

uint32_t recipes_find(struct recipe *recipes)
{
    return 0;
}

#endif
