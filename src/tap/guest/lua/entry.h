/* How an allocator of ours is entered where it wants the registers as the interpreter left them. */
#ifndef TAP_GUEST_LUA_ENTRY_H
#define TAP_GUEST_LUA_ENTRY_H

#if defined(__x86_64__)

/* A function of an allocator's four arguments that gives `body` a fifth, a struct entry_frame of what it was entered with. */
#define ENTRY(name, body)                                                                          \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " name "\n"                                                                    \
            ".hidden " name "\n"                                                                   \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "    push %r15\n"                                                                      \
            "    push %r14\n"                                                                      \
            "    push %r13\n"                                                                      \
            "    push %r12\n"                                                                      \
            "    push %rbp\n"                                                                      \
            "    push %rbx\n"                                                                      \
            ".cfi_adjust_cfa_offset 48\n"                                                          \
            "    mov %rsp, %r8\n"                                                                  \
            "    sub $8, %rsp\n"                                                                   \
            ".cfi_adjust_cfa_offset 8\n"                                                           \
            "    call " body "\n"                                                                  \
            "    add $56, %rsp\n"                                                                  \
            ".cfi_adjust_cfa_offset -56\n"                                                         \
            "    ret\n"                                                                            \
            ".cfi_endproc\n"                                                                       \
            ".size " name ", . - " name "\n")

#endif

#endif
