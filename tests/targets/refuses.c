/* Runs a program to which the kernel refuses system calls: refuses NUMBER[,NUMBER...] PROGRAM [ARGUMENT...].
 * They fail with ENOSYS, as in a sandbox, under an emulator or with an older kernel. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(unsigned number)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int count, char **arguments)
{
    if (count < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 125;
    for (char *at = arguments[1]; *at; at += *at == ',')
        if (refuse((unsigned)strtoul(at, &at, 10)) != 0)
            return 125;
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 127;
}
