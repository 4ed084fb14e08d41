/* Stacks through machine code that has no unwinding tables, as just-in-time compilers make it:
 * whole where the code keeps rbp, ended where rbp leads elsewhere. */
#include "run_tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tap/unwind/unwind.h"

enum { MOST_FRAMES = 128, PAGE_BYTES = 4096 };

static struct unwind_thread *thread;
static struct unwind_stack stack;
static uint64_t direct[MOST_FRAMES];
static uint32_t direct_length;
static uint8_t *page;

static __attribute__((noinline)) void take(void)
{
    struct unwind_start start = unwind_start_at_caller();
    unwind_capture(thread, &start, &stack);
}

static __attribute__((noinline)) void write_code(const char *bytes, size_t size)
{
    assert_int_equal(mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
    memset(page, 0xcc, PAGE_BYTES);
    memcpy(page, bytes, size);
    assert_int_equal(mprotect(page, PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
}

/* Calls the code at `entry` with `take` in rdi, and with the code at `inner` in rsi, from a
 * function that keeps rbp itself. */
static __attribute__((noinline)) void call_code(size_t entry, size_t inner)
{
    take();
    direct_length = unwind_stack_site_first(&stack, direct, MOST_FRAMES);
    assert_false(stack.truncated);
    ((void (*)(void (*)(void), void *))(uintptr_t)(page + entry))(take, page + inner);
    __asm__ volatile("");
}

/* The stack has the frames of the code, which return to these offsets, and then call_code's and all
 * further ones. */
static void assert_whole(size_t inner, size_t frames, const size_t *offsets)
{
    uint64_t addresses[MOST_FRAMES];
    call_code(0, inner);
    uint32_t length = unwind_stack_site_first(&stack, addresses, MOST_FRAMES);
    assert_false(stack.truncated);
    assert_int_equal(length, direct_length + frames);
    for (size_t i = 0; i < frames; i++)
        assert_int_equal(addresses[i], (uint64_t)page + offsets[i] - 1);
    assert_memory_equal(addresses + frames + 1, direct + 1, (direct_length - 1) * sizeof *direct);
    assert_true(addresses[frames] > direct[0] && addresses[frames] < direct[0] + 4096);
}

/* The stack ends with the frame of the code. */
static void assert_ended_from(size_t entry, size_t offset)
{
    call_code(entry, 0);
    assert_true(stack.truncated);
    assert_int_equal(stack.length, 1);
    assert_int_equal(stack.addresses[0], (uint64_t)page + offset - 1);
}

static void assert_ended(size_t offset)
{
    assert_ended_from(0, offset);
}

#define CODE(bytes) write_code(bytes, sizeof(bytes) - 1)
#define PUSH "\x55"                   /* push rbp */
#define MOVE "\x48\x89\xe5"           /* mov rbp, rsp */
#define CALL "\xff\xd7"               /* call rdi */
#define LEAVE "\xc9\xc3"              /* leave; ret */
#define POP "\x5d\xc3"                /* pop rbp; ret */
#define OLD_RETURN "\xff\x75\x08\x50" /* push [rbp + 8]; push rax: a word like a return address */

static void code_that_keeps_rbp(void **state)
{
    CODE(PUSH MOVE CALL POP);
    assert_whole(0, 1, (const size_t[]){6});
    CODE(PUSH "\x48\x8b\xec" CALL POP); /* the other way to say it */
    assert_whole(0, 1, (const size_t[]){6});
    CODE(PUSH MOVE OLD_RETURN CALL LEAVE);
    assert_whole(0, 1, (const size_t[]){10});
}

/* Two such functions, one calls the other: call rsi at 4, the inner one at 16. */
static void code_that_calls_code(void **state)
{
    CODE(PUSH MOVE "\xff\xd6" POP "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc" PUSH MOVE CALL POP);
    assert_whole(16, 2, (const size_t[]){22, 6});
}

/* The frame is made by other means: nothing tells but the words of the stack. */
static void frame_without_a_beginning(void **state)
{
#define MAKE "\x48\x83\xec\x08\x48\x89\x2c\x24\x48\x8d\x2c\x24" /* sub rsp; mov [rsp], rbp; lea */
    CODE(MAKE CALL LEAVE);
    assert_whole(0, 1, (const size_t[]){14});
    CODE(MAKE OLD_RETURN CALL LEAVE);
    assert_ended(18);
}

/* rbp still is call_code's, so that it leads past that function. */
static void code_that_leaves_rbp(void **state)
{
    CODE("\x48\x83\xec\x08" CALL "\x48\x83\xc4\x08\xc3");
    assert_ended(6);
    CODE(PUSH "\x48\x83\xec\x10" CALL "\x48\x83\xc4\x10" POP);
    assert_ended(7);
    CODE("\x48\x83\xec\x18\x48\x89\x6c\x24\x10" CALL
         "\x48\x83\xc4\x18\xc3"); /* saved, as Java does */
    assert_ended(11);
}

/* The same behind a function that keeps rbp, whose beginning must not be taken for theirs. */
static void code_that_leaves_rbp_behind_other_code(void **state)
{
#define OTHER PUSH MOVE CALL POP
    CODE(OTHER PUSH "\x48\x83\xec\x10" CALL "\x48\x83\xc4\x10" POP);
    assert_ended_from(8, 8 + 7);
    CODE(OTHER "\x48\x83\xec\x18\x48\x89\x6c\x24\x10" CALL "\x48\x83\xc4\x18\xc3");
    assert_ended_from(8, 8 + 11);
    static const char *const rooms[] = {"\xcc\xcc", "\x90\x90", "\xf4\xf4", "\x66\x90"};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        char bytes[] = OTHER "\x00\x00\x48\x83\xec\x08" CALL "\x48\x83\xc4\x08\xc3";
        memcpy(bytes + 8, rooms[i], 2);
        write_code(bytes, sizeof bytes - 1);
        assert_ended_from(10, 10 + 6);
    }
}

static void code_that_uses_rbp_otherwise(void **state)
{
    CODE(PUSH "\x31\xed" CALL POP); /* 0 */
    assert_ended(5);
    CODE(PUSH "\x48\x8d\x6c\x24\x01" CALL POP); /* odd */
    assert_ended(8);
    CODE(PUSH "\x48\x8d\x6c\x24\xc0" CALL POP); /* below the stack pointer */
    assert_ended(8);
    CODE(PUSH "\x48\xbd\xf0\xff\xff\xff\xff\x7f\x00\x00" CALL POP); /* above the stack */
    assert_ended(13);
    CODE(PUSH "\x48\xbd\xf8\xff\xff\xff\xff\xff\xff\xff" CALL POP); /* the last words of all */
    assert_ended(13);
}

/* What lies above the saved rbp is no return address: it was pushed, and is behind a jump. */
static void return_address_behind_no_call(void **state)
{
    CODE("\x48\x83\xec\x08\x48\x8d\x05\x09\x00\x00\x00\x50" PUSH MOVE CALL POP
         "\x48\x83\xc4\x08\xc3");
    assert_ended(18);
}

/* Nothing that was found out of the code is believed of other code at the same place. */
static void code_that_is_replaced(void **state)
{
    for (int i = 0; i < 3; i++) {
        CODE(PUSH MOVE CALL POP);
        assert_whole(0, 1, (const size_t[]){6});
        assert_whole(0, 1, (const size_t[]){6});
        CODE("\x48\x83\xec\x08" CALL "\x48\x83\xc4\x08\xc3");
        assert_ended(6);
        assert_ended(6);
        CODE("\x90" PUSH MOVE OLD_RETURN CALL LEAVE);
        assert_whole(0, 1, (const size_t[]){11});
        CODE("\xff\xf5" MOVE OLD_RETURN CALL LEAVE); /* does the same, and doesn't look so */
        assert_ended(11);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_keeps_rbp),
        cmocka_unit_test(code_that_calls_code),
        cmocka_unit_test(frame_without_a_beginning),
        cmocka_unit_test(code_that_leaves_rbp),
        cmocka_unit_test(code_that_leaves_rbp_behind_other_code),
        cmocka_unit_test(code_that_uses_rbp_otherwise),
        cmocka_unit_test(return_address_behind_no_call),
        cmocka_unit_test(code_that_is_replaced),
    };
    page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    thread = unwind_thread_init(
        aligned_alloc(64, (unwind_thread_size(MOST_FRAMES) + 63) & ~(size_t)63), MOST_FRAMES);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("code without tables", tests, NULL, NULL);
}
